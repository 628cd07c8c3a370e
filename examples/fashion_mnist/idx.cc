#include "idx.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <stdexcept>

namespace fashion {
namespace {

constexpr uint8_t kUnsignedByte = 8;
constexpr int64_t kMostElements = int64_t{1} << 31;

class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path), file_(gzopen(path.c_str(), "rb")) {
    if (!file_) fail(std::string("cannot be opened: ") + std::strerror(errno));
  }
  ~Reader() { gzclose(file_); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  [[noreturn]] void fail(const std::string& why) const {
    throw std::runtime_error(path_ + ": " + why);
  }
  // All of them, or an error that says what was to come. Memory follows what is really there, since
  // a short file may announce anything.
  std::vector<uint8_t> read(size_t count, const std::string& what) {
    std::vector<uint8_t> bytes;
    for (size_t done = 0; done < count;) {
      constexpr size_t kLeast = 1u << 14, kMost = 1u << 30;  // gzread counts in int
      bytes.resize(done + std::min(count - done, std::clamp(done, kLeast, kMost)));
      const int n = gzread(file_, bytes.data() + done, static_cast<unsigned>(bytes.size() - done));
      if (n <= 0)
        explain(n, "ends after " + std::to_string(done) + " of " + std::to_string(count) +
                       " bytes of " + what);
      done += static_cast<size_t>(n);
    }
    return bytes;
  }
  void expect_end() {
    uint8_t more = 0;
    const int n = gzread(file_, &more, 1);
    if (n > 0) fail("goes on after the data that its header announces");
    // The checksum is compared at the end.
    if (n < 0) explain(n, "");
  }

 private:
  [[noreturn]] void explain(int result, const std::string& otherwise) {
    int code = Z_OK;
    const char* text = gzerror(file_, &code);
    if (result < 0 || code == Z_BUF_ERROR)
      fail(std::string("is damaged or cut off (") +
           (code == Z_ERRNO ? std::strerror(errno) : text) + ")");
    fail(otherwise);
  }

  std::string path_;
  gzFile file_;
};

}  // namespace

Idx read_idx(const std::string& path, int rank) {
  Reader file(path);
  const std::vector<uint8_t> magic = file.read(4, "the header");
  if (magic[0] || magic[1]) file.fail("is no IDX file: it does not begin with two zero bytes");
  if (magic[2] != kUnsignedByte || magic[3] != rank)
    file.fail("holds elements of type " + std::to_string(magic[2]) + " in " +
              std::to_string(magic[3]) + " dimensions, expected type 8 (bytes) in " +
              std::to_string(rank));
  Idx idx;
  int64_t count = 1;
  for (int d = 0; d < rank; ++d) {
    const std::vector<uint8_t> b = file.read(4, "the header");
    const int64_t size = int64_t{b[0]} << 24 | b[1] << 16 | b[2] << 8 | b[3];
    if (size && count > kMostElements / size) file.fail("announces more than 2^31 elements");
    idx.sizes.push_back(size);
    count *= size;
  }
  idx.bytes = file.read(static_cast<size_t>(count), "data");
  file.expect_end();
  return idx;
}

}  // namespace fashion
