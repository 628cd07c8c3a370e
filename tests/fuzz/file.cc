// libFuzzer's entry for targets that read a file. The input lies in memory and has a path, so that
// the road is the one of a real file and no disk is worn.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>

// The target: reads the file at `path`, which holds these bytes.
extern "C" void fuzz_file(const char* path, const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const int file = memfd_create("fuzz", MFD_CLOEXEC);
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  // In this order the file keeps its page from input to input.
  const auto length = static_cast<ssize_t>(size);
  if (pwrite(file, data, size, 0) != length || ftruncate(file, length) != 0) std::abort();
  fuzz_file(path.c_str(), data, size);
  return 0;
}
