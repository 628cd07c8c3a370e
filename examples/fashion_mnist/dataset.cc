#include "dataset.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <vector>

#include "idx.h"

namespace fashion {
namespace {

template <class T>
tn::Tensor tensor(const std::vector<T>& values, const std::vector<int64_t>& sizes,
                  tn::DType dtype) {
  tn::Tensor t = tn::empty(sizes, dtype);
  tn::check(tn::api->tensor_write(t.get(), values.data(), values.size() * sizeof(T)));
  return t;
}

}  // namespace

Dataset read_dataset(const std::string& folder, const std::string& name, int64_t limit) {
  const std::string stem = folder + "/" + name;
  const std::string images_path = stem + "-images-idx3-ubyte.gz";
  const std::string labels_path = stem + "-labels-idx1-ubyte.gz";
  for (const std::string& path : {images_path, labels_path})
    if (!std::filesystem::exists(path))
      throw std::runtime_error(path +
                               ": no such file; Debian's package dataset-fashion-mnist has it, "
                               "and --data names the folder");
  Idx images = read_idx(images_path, 3), labels = read_idx(labels_path, 1);
  if (images.sizes[1] != 28 || images.sizes[2] != 28)
    throw std::runtime_error(images_path + ": holds pictures of " +
                             std::to_string(images.sizes[1]) + " x " +
                             std::to_string(images.sizes[2]) + " pixels, expected 28 x 28");
  if (images.sizes[0] != labels.sizes[0] || labels.sizes[0] == 0)
    throw std::runtime_error(images_path + ": holds " + std::to_string(images.sizes[0]) +
                             " pictures, but " + labels_path + " " +
                             std::to_string(labels.sizes[0]) + " labels");
  int64_t count = labels.sizes[0];
  if (limit > 0) count = std::min(count, limit);
  images.bytes.resize(static_cast<size_t>(count) * 28 * 28);
  std::vector<int64_t> classes(labels.bytes.begin(), labels.bytes.begin() + count);
  if (const auto worst = std::max_element(classes.begin(), classes.end()); *worst > 9)
    throw std::runtime_error(labels_path + ": label " + std::to_string(*worst) + " at place " +
                             std::to_string(worst - classes.begin()) + ", expected 0 to 9");
  return {tensor(images.bytes, {count, 1, 28, 28}, TN_U8), tensor(classes, {count}, TN_I64)};
}

tn::Tensor normalised(const tn::Tensor& images) {
  return (images.to(TN_F32) - 255 * kMean) / (255 * kDeviation);
}

}  // namespace fashion
