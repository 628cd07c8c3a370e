#include "mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "descriptor.h"
#include "failure.h"

namespace safetensors {

MappedFile::MappedFile(const std::string& path) {
  // Opening a pipe would wait for its writer; O_NONBLOCK changes nothing for regular files.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_open()) throw_errno("open");
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) throw_errno("stat");
  if (!S_ISREG(status.st_mode)) throw Failure(TN_INVALID_ARGUMENT, "this is no regular file");
  size_ = static_cast<std::size_t>(status.st_size);
  if (size_ == 0) return;
  // Without MAP_NORESERVE the kernel would want memory and swap for the whole file, in case all of
  // it is written.
  void* memory =
      ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, file.get(), 0);
  if (memory == MAP_FAILED) throw_errno("map " + std::to_string(size_) + " bytes");
  data_ = static_cast<char*>(memory);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(data_, size_);
}

}  // namespace safetensors
