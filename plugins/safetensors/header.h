// header.h - what a file's header says.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "dtype.h"

namespace safetensors {

// As the reference implementation's: a header that claims more is refused before anything is
// allocated for it.
inline constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;
// Of the header's length, a little-endian 64-bit number that starts the file.
inline constexpr std::size_t kLengthBytes = 8;
// The header's key that is no tensor's name.
inline constexpr const char* kMetadataKey = "__metadata__";

struct TensorEntry {
  std::string name;
  const DtypeRow* dtype = nullptr;
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0;  // bytes from the start of the data
  std::uint64_t end = 0;
};

struct Header {
  std::vector<TensorEntry> tensors;  // in order of data
  std::map<std::string, std::string> metadata;
  std::size_t data_start = 0;  // bytes from the start of the file
};

}  // namespace safetensors
