// mapped_file.h - a file's bytes as memory.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace safetensors {

// Readable and writable; what is written stays in this process (copy on write). The mapping
// outlives the file's name: a file that is replaced or deleted keeps its bytes for as long as it is
// mapped. A file that another program truncates does not, as with every mapped file: touching the
// lost pages raises SIGBUS.
class MappedFile {
 public:
  // Throws std::system_error, or `Failure` for something that is no regular file.
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  char* data() const { return data_; }
  std::string_view bytes() const { return {data_, size_}; }

 private:
  char* data_ = nullptr;  // null for an empty file
  std::size_t size_ = 0;
};

}  // namespace safetensors
