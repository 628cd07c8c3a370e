#include "save.h"

#include <memory>
#include <utility>

#include <tenon/sdk/error.h>

#include "failure.h"
#include "header_writer.h"
#include "replacing_file.h"
#include "text.h"

namespace safetensors {
namespace {

[[noreturn]] void refuse(const char* name, const tn_tensor* tensor, const std::string& why) {
  char text[256];
  tn::api->tensor_describe(tensor, text, sizeof text);
  throw Failure(TN_INVALID_ARGUMENT, "tensor " + quoted(name) + ", " + text + ", " + why);
}

TensorEntry describe(const char* name, const tn_tensor* tensor) {
  if (name == nullptr) throw Failure(TN_INVALID_ARGUMENT, "a tensor's name is null");
  if (tensor == nullptr) throw Failure(TN_INVALID_ARGUMENT, "tensor " + quoted(name) + " is null");
  if (tn::api->device_flags(tensor->dl.device.type) & TN_DEVICE_NO_DATA) {
    refuse(name, tensor, "is on a device without data");
  }
  TensorEntry entry;
  entry.name = name;
  entry.dtype = find_dtype(static_cast<tn_dtype>(tensor->dtype));
  if (entry.dtype == nullptr) {
    refuse(name, tensor, "has a dtype that the format lacks; it has " + dtype_names());
  }
  entry.shape.assign(tensor->dl.shape, tensor->dl.shape + tensor->dl.ndim);
  return entry;
}

void write_tensor(ReplacingFile& file, tn_tensor* tensor, std::size_t size) {
  const bool on_host = tn::api->device_flags(tensor->dl.device.type) & TN_DEVICE_HOST;
  if (on_host && (tensor->flags & TN_TENSOR_CONTIGUOUS)) {
    file.write(tensor->dl.data, size);
    return;
  }
  const auto copy = std::make_unique_for_overwrite<char[]>(size);
  tn::check(tn::api->tensor_read(tensor, copy.get(), size));
  file.write(copy.get(), size);
}

}  // namespace

void save(const std::string& path, const char* const* names, tn_tensor* const* tensors,
          std::size_t count, std::map<std::string, std::string> metadata) {
  Header described;
  described.metadata = std::move(metadata);
  std::map<std::string, tn_tensor*> by_name;
  for (std::size_t i = 0; i < count; ++i) {
    described.tensors.push_back(describe(names[i], tensors[i]));
    by_name.emplace(names[i], tensors[i]);
  }
  lay_out(described);
  const std::string start = write_header(described);  // refuses names that are there twice

  ReplacingFile file(path);
  file.write(start.data(), start.size());
  for (const TensorEntry& entry : described.tensors) {
    write_tensor(file, by_name.at(entry.name), static_cast<std::size_t>(entry.end - entry.begin));
  }
  file.commit();
}

}  // namespace safetensors
