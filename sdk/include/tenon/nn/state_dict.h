// A state dict: tensors by name, what is saved of a module or an optimizer, and its files.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include <tenon/sdk/autograd.h>

namespace tn {

// Names are paths: "conv1.weight", "0.momentum_buffer". Tensors are shared with their owner: what
// the owner writes later shows here. clone() them to keep a moment.
using StateDict = std::map<std::string, Tensor, std::less<>>;

// Text that a weights file carries beside its tensors.
using Metadata = std::map<std::string, std::string, std::less<>>;

// Collects the reasons why a state dict does not fit its owner, so that one error tells them all.
class Mismatch {
 public:
  void add(const std::string& line) { lines_.push_back(line); }
  // Whether `given` has the sizes that it should have; dtype and device may differ.
  bool expect_sizes(const std::string& name, const Tensor& own, const Tensor& given) {
    if (own.sizes() == given.sizes()) return true;
    add("\"" + name + "\" is " + given.describe() + ", expected " + own.describe());
    return false;
  }
  // Throws Error (TN_INVALID_ARGUMENT) with all lines under `headline`, if there are any.
  void raise(const std::string& headline) const {
    if (lines_.empty()) return;
    std::string text = headline;
    for (const std::string& line : lines_) text += "\n  " + line;
    throw Error(api->status_make(TN_INVALID_ARGUMENT, nullptr, 0, "", 0, "%s", text.c_str()));
  }

 private:
  std::vector<std::string> lines_;
};

// The weights file interface; loads the safetensors plugin at the first use. Throws Error when no
// plugin provides it.
inline const tn_safetensors& safetensors() {
  static const Interface<tn_safetensors> table(TN_SAFETENSORS_INTERFACE, 1);
  return table.get();
}

// Writes a safetensors file in place of `path`: complete, or not at all. Throws Error
// (TN_IO_ERROR) where the disk refuses, TN_NOT_IMPLEMENTED for dtypes that the format lacks.
inline void save(const std::string& path, const StateDict& tensors, const Metadata& metadata = {}) {
  std::vector<const char*> names, keys, values;
  std::vector<tn_tensor*> raw;
  for (const auto& [name, tensor] : tensors) {
    names.push_back(name.c_str());
    raw.push_back(tensor.get());
  }
  for (const auto& [key, value] : metadata) {
    keys.push_back(key.c_str());
    values.push_back(value.c_str());
  }
  check(safetensors().save(path.c_str(), names.data(), raw.data(), raw.size(), keys.data(),
                           values.data(), keys.size()));
}

// Opens a safetensors file. Tensors are on the host and refer to the mapped file: reading one
// costs nothing until its numbers are touched. They outlive this object.
class WeightsFile {
 public:
  // Throws Error: no such file, or a malformed one.
  explicit WeightsFile(const std::string& path) { check(safetensors().open(path.c_str(), &file_)); }
  ~WeightsFile() { safetensors().close(file_); }
  WeightsFile(const WeightsFile&) = delete;
  WeightsFile& operator=(const WeightsFile&) = delete;

  // Throws Error when there is no tensor of that name.
  Tensor get(const std::string& name) const {
    tn_tensor* out = nullptr;
    check(safetensors().get(file_, name.c_str(), &out));
    return Tensor::own(out);
  }
  StateDict tensors() const {
    StateDict all;
    for (size_t i = 0; i < safetensors().count(file_); ++i) {
      const std::string name = safetensors().name(file_, i);
      all.emplace(name, get(name));
    }
    return all;
  }
  // "" when there is no such key.
  std::string metadata(const std::string& key) const {
    const char* value = safetensors().metadata(file_, key.c_str());
    return value ? value : "";
  }

 private:
  tn_safetensors_file* file_ = nullptr;
};

// All tensors of a safetensors file.
inline StateDict load(const std::string& path) {
  return WeightsFile(path).tensors();
}

}  // namespace tn
