// libFuzzer's entry. Whatever the bytes are, the reader refuses them or describes tensors inside
// them.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "failure.h"
#include "header_reader.h"
#include "header_writer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view file(reinterpret_cast<const char*>(data), size);
  try {
    safetensors::Header header = safetensors::read_header(file);
    for (const auto& entry : header.tensors) {
      if (entry.end < entry.begin || header.data_start + entry.end > size) std::abort();
    }
    // What was read can be written, and reads the same.
    safetensors::lay_out(header);
    const std::string written = safetensors::write_header(header);
    const std::size_t data_size = header.tensors.empty() ? 0 : header.tensors.back().end;
    const auto again = safetensors::read_header(written + std::string(data_size, '\0'));
    if (again.metadata != header.metadata || again.tensors.size() != header.tensors.size()) {
      std::abort();
    }
  } catch (const safetensors::Malformed&) {
  }
  return 0;
}
