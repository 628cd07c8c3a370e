// Any bytes as an IDX file: refused by name, or exactly the bytes that its header announces.
//
// A changed byte of a compressed file seldom gets past the checksum, so compressed inputs are
// mostly changed inside.
#include <zlib.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "../idx.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t capacity);

namespace {

constexpr int kGzip = 16 + MAX_WBITS;
using Bytes = std::vector<std::uint8_t>;

bool is_gzip(const std::uint8_t* data, std::size_t size) {
  return size > 2 && data[0] == 0x1f && data[1] == 0x8b;
}

// What the stream holds, as far as it is intact and fits the capacity.
std::size_t unpack(const std::uint8_t* data, std::size_t size, Bytes& out) {
  z_stream stream{};
  if (inflateInit2(&stream, kGzip) != Z_OK) std::abort();
  stream.next_in = const_cast<Bytef*>(data);
  stream.avail_in = static_cast<uInt>(size);
  stream.next_out = out.data();
  stream.avail_out = static_cast<uInt>(out.size());
  inflate(&stream, Z_FINISH);
  inflateEnd(&stream);
  return out.size() - stream.avail_out;
}

// Zero where it does not fit.
std::size_t pack(const std::uint8_t* data, std::size_t size, std::uint8_t* out, std::size_t room) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    std::abort();
  stream.next_in = const_cast<Bytef*>(data);
  stream.avail_in = static_cast<uInt>(size);
  stream.next_out = out;
  stream.avail_out = static_cast<uInt>(room);
  const int result = deflate(&stream, Z_FINISH);
  deflateEnd(&stream);
  return result == Z_STREAM_END ? room - stream.avail_out : 0;
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t capacity, unsigned seed) {
  if (!is_gzip(data, size) || seed % 4 == 0) return LLVMFuzzerMutate(data, size, capacity);
  Bytes content(4 * capacity);
  const std::size_t mutated =
      LLVMFuzzerMutate(content.data(), unpack(data, size, content), content.size());
  const std::size_t packed = pack(content.data(), mutated, data, capacity);
  return packed != 0 ? packed : LLVMFuzzerMutate(data, size, capacity);
}

extern "C" void fuzz_file(const char* path, const std::uint8_t*, std::size_t) {
  for (const int rank : {1, 3}) {
    try {
      const fashion::Idx idx = fashion::read_idx(path, rank);
      std::size_t count = 1;
      for (const std::int64_t size : idx.sizes) count *= static_cast<std::size_t>(size);
      if (idx.sizes.size() != static_cast<std::size_t>(rank) || idx.bytes.size() != count)
        std::abort();
    } catch (const std::runtime_error& error) {
      if (std::string(error.what()).find(path) == std::string::npos) std::abort();
    }
  }
}
