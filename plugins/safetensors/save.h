// save.h - writing tensors to a file.
#pragma once
#include <cstddef>
#include <map>
#include <string>

#include <tenon/tensor.h>

namespace safetensors {

// Tensors on other devices or in other layouts are copied to host memory, one at a time. Throws
// `Failure` for what the format cannot hold, std::system_error for what the disk cannot, and
// tn::Error where the host fails.
void save(const std::string& path, const char* const* names, tn_tensor* const* tensors,
          std::size_t count, std::map<std::string, std::string> metadata);

}  // namespace safetensors
