// plugin.cc - the interface "tenon.safetensors" version 1: null checks, and the way to the code
// behind it.
#include <memory>
#include <string>

#include <tenon/safetensors.h>
#include <tenon/sdk/entry.h>

#include "edge.h"
#include "file.h"
#include "save.h"
#include "text.h"

namespace safetensors {
namespace {

tn_status missing(const char* function, const char* argument) {
  return tn::api->status_make(TN_INVALID_ARGUMENT, nullptr, 0, __FILE__, __LINE__,
                              "tenon.safetensors %s: %s is null", function, argument);
}

tn_status open(const char* path, tn_safetensors_file** out) {
  if (path == nullptr) return missing("open", "path");
  if (out == nullptr) return missing("open", "out");
  return guarded("read", path,
                 [&] { *out = std::make_unique<tn_safetensors_file>(path).release(); });
}

void close(tn_safetensors_file* file) {
  delete file;
}

std::size_t count(const tn_safetensors_file* file) {
  return file->header().tensors.size();
}

const char* name(const tn_safetensors_file* file, std::size_t index) {
  const auto& tensors = file->header().tensors;
  return index < tensors.size() ? tensors[index].name.c_str() : nullptr;
}

tn_status get(tn_safetensors_file* file, const char* name, tn_tensor** out) {
  if (file == nullptr) return missing("get", "file");
  if (name == nullptr) return missing("get", "name");
  if (out == nullptr) return missing("get", "out");
  return guarded("get a tensor from", file->path().c_str(),
                 [&] { *out = file->tensor(name).release(); });
}

const char* metadata(const tn_safetensors_file* file, const char* key) {
  if (key == nullptr) return nullptr;
  const auto& pairs = file->header().metadata;
  const auto found = pairs.find(key);
  return found != pairs.end() ? found->second.c_str() : nullptr;
}

std::map<std::string, std::string> collect(const char* const* keys, const char* const* values,
                                           std::size_t npairs) {
  std::map<std::string, std::string> pairs;
  for (std::size_t i = 0; i < npairs; ++i) {
    if (keys[i] == nullptr || values[i] == nullptr) {
      throw Failure(TN_INVALID_ARGUMENT,
                    "metadata pair " + std::to_string(i) + " has a null key or value");
    }
    if (!pairs.emplace(keys[i], values[i]).second) {
      throw Failure(TN_INVALID_ARGUMENT, "metadata key " + quoted(keys[i]) + " is there twice");
    }
  }
  return pairs;
}

tn_status save_file(const char* path, const char* const* names, tn_tensor* const* tensors,
                    std::size_t count, const char* const* keys, const char* const* values,
                    std::size_t npairs) {
  if (path == nullptr) return missing("save", "path");
  if (count != 0 && names == nullptr) return missing("save", "names");
  if (count != 0 && tensors == nullptr) return missing("save", "tensors");
  if (npairs != 0 && keys == nullptr) return missing("save", "keys");
  if (npairs != 0 && values == nullptr) return missing("save", "values");
  return guarded("write", path,
                 [&] { save(path, names, tensors, count, collect(keys, values, npairs)); });
}

constexpr tn_safetensors kTable = {
    sizeof(tn_safetensors), 0, open, close, count, name, get, metadata, save_file,
};

}  // namespace
}  // namespace safetensors

extern "C" TN_API tn_status tn_plugin_entry(const tn_host* host, tn_plugin* plugin) {
  return tn::plugin_entry(host, [&] {
    tn::check(host->register_interface(plugin, TN_SAFETENSORS_INTERFACE, 1, &safetensors::kTable));
  });
}
