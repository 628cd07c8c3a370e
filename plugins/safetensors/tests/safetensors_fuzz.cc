// Any bytes as a safetensors file: refused, by the reader and by the plugin alike, or tensors that
// hold the bytes which the header names.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/safetensors.h>
#include <tenon/tenon.h>

#include "failure.h"
#include "header_reader.h"
#include "header_writer.h"

namespace {

void require(bool expected, int line = __builtin_LINE()) {
  if (expected) return;
  std::fprintf(stderr, "line %d: not as expected\n", line);
  std::abort();
}

const tn_safetensors& files() {
  static const tn_safetensors* table = [] {
    setenv("TENON_CONFIG", "/dev/null", 1);
    const void* found = nullptr;
    require(!tn_init(TN_ABI_MAJOR, TN_ABI_MINOR));
    require(!tn_get_interface(TN_SAFETENSORS_INTERFACE, 1, &found));
    return static_cast<const tn_safetensors*>(found);
  }();
  return *table;
}

std::optional<safetensors::Header> read(std::string_view bytes) {
  try {
    return safetensors::read_header(bytes);
  } catch (const safetensors::Malformed& error) {
    require(error.position() <= bytes.size());
    return std::nullopt;
  }
}

// What was read can be written, and reads the same.
void write_and_read(safetensors::Header header) {
  safetensors::lay_out(header);
  const std::string written = safetensors::write_header(header);
  const std::size_t data_size = header.tensors.empty() ? 0 : header.tensors.back().end;
  const auto again = safetensors::read_header(written + std::string(data_size, '\0'));
  require(again.metadata == header.metadata && again.tensors.size() == header.tensors.size());
}

void compare(tn_tensor* tensor, const safetensors::TensorEntry& entry, const char* bytes) {
  require(tensor->dtype == entry.dtype->dtype);
  require(std::vector<std::int64_t>(tensor->dl.shape, tensor->dl.shape + tensor->dl.ndim) ==
          entry.shape);
  std::string read(entry.end - entry.begin, '\0');
  require(!tn_tensor_read(tensor, read.data(), read.size()));
  require(read.empty() || std::memcmp(read.data(), bytes, read.size()) == 0);
}

void compare(tn_safetensors_file* file, const safetensors::Header& header, const char* bytes) {
  require(files().count(file) == header.tensors.size());
  for (std::size_t i = 0; i < header.tensors.size(); ++i) {
    const safetensors::TensorEntry& entry = header.tensors[i];
    require(files().name(file, i) == entry.name);
    tn_tensor* tensor = nullptr;
    require(!files().get(file, entry.name.c_str(), &tensor));
    compare(tensor, entry, bytes + header.data_start + entry.begin);
    tn_tensor_release(tensor);
  }
  for (const auto& [key, value] : header.metadata)
    require(files().metadata(file, key.c_str()) == value);
}

}  // namespace

extern "C" void fuzz_file(const char* path, const std::uint8_t* data, std::size_t size) {
  const auto* bytes = reinterpret_cast<const char*>(data);
  const std::optional<safetensors::Header> header = read({bytes, size});
  tn_safetensors_file* file = nullptr;
  const tn_status status = files().open(path, &file);
  require(header.has_value() == (status == nullptr));
  if (status) {
    require(tn_status_code(status) == TN_INVALID_ARGUMENT);
    tn_status_release(status);
    return;
  }
  compare(file, *header, bytes);
  write_and_read(*header);
  files().close(file);
}
