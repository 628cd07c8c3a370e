// bytes.h - files for tests, put together from a header's text and a number of data bytes.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace safetensors {

inline std::string length_bytes(std::uint64_t length) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<char>(length >> (8 * i) & 0xFF));
  return bytes;
}

inline std::string file_of(const std::string& json, std::size_t data_size) {
  return length_bytes(json.size()) + json + std::string(data_size, '\1');
}

}  // namespace safetensors
