// A weights file in a folder of its own, and the interface that reads and writes it.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <tenon/safetensors.h>

#include "scenario.h"

namespace faults {

inline const tn_safetensors& files() {
  static const tn_safetensors* table = [] {
    const void* found = nullptr;
    tn::check(tn::api->get_interface(TN_SAFETENSORS_INTERFACE, 1, &found));
    return static_cast<const tn_safetensors*>(found);
  }();
  return *table;
}

// Three tensors, one of which has to be copied into its own order first, and metadata.
class Weights : public testing::Test {
 protected:
  Weights() {
    std::string pattern = testing::TempDir() + "tenon_faults_XXXXXX";
    folder_ = mkdtemp(pattern.data());
    path_ = folder_ / "weights.safetensors";
    files();
  }
  ~Weights() override { std::filesystem::remove_all(folder_); }

  tn_status save_status(double factor = 1) const {
    const Tensor list[] = {first_ * factor, tn::transpose(second_ * factor, 0, 1), third_ * factor};
    tn_tensor* raw[] = {list[0].get(), list[1].get(), list[2].get()};
    return save_list(raw);
  }
  tn_status save_list(tn_tensor* const* raw) const {
    const char* names[] = {"encoder.weight.of.the.first.layer", "encoder.bias", "scale"};
    const char *key = "format", *value = "faults";
    return files().save(path_.c_str(), names, raw, 3, &key, &value, 1);
  }
  void save(double factor = 1) const { tn::check(save_status(factor)); }

  static Tensor get(tn_safetensors_file* file, const char* name) {
    tn_tensor* tensor = nullptr;
    tn::check(files().get(file, name, &tensor));
    return Tensor::own(tensor);
  }
  // The three, from a file that is closed again.
  Results load() const {
    struct File {
      tn_safetensors_file* file = nullptr;
      ~File() {
        if (file) files().close(file);
      }
    } opened;
    tn::check(files().open(path_.c_str(), &opened.file));
    return {get(opened.file, "encoder.weight.of.the.first.layer"), get(opened.file, "encoder.bias"),
            get(opened.file, "scale")};
  }

  std::string contents() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void put(const std::string& bytes) const {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes;
  }
  // What is in the folder beside the file itself.
  std::vector<std::filesystem::path> others() const {
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder_))
      if (entry.path() != path_) found.push_back(entry.path());
    return found;
  }

  std::filesystem::path folder_, path_;
  const Tensor first_ = counting({3, 2}), second_ = counting({2, 2}, TN_F64), third_ = tn::ones({});
};

}  // namespace faults
