#include "transpose.h"

#include <algorithm>
#include <cstring>

#include "vector_type.h"

namespace tn::cpu {
namespace {

// to[c][r] = from[r][c] for a square of words on the stack.
template <class Word>
void turn(Word* to, const Word* from) {
  constexpr int n = 64 / sizeof(Word);
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c) to[c * n + r] = from[r * n + c];
}

// 16 x 16 words of four bytes in registers: pairs of rows are interleaved four times.
template <>
[[maybe_unused]] void turn(uint32_t* to, const uint32_t* from) {
  using D = hn::FixedTag<uint32_t, 4>;
  const D d;
  const hn::RepartitionToWide<D> wide;
  for (int r = 0; r < 16; r += 4) {
    for (int c = 0; c < 16; c += 4) {
      const uint32_t* p = from + r * 16 + c;
      const auto a = hn::Load(d, p), b = hn::Load(d, p + 16), e = hn::Load(d, p + 32),
                 f = hn::Load(d, p + 48);
      const auto ab_low = hn::BitCast(wide, hn::InterleaveLower(d, a, b));
      const auto ab_high = hn::BitCast(wide, hn::InterleaveUpper(d, a, b));
      const auto ef_low = hn::BitCast(wide, hn::InterleaveLower(d, e, f));
      const auto ef_high = hn::BitCast(wide, hn::InterleaveUpper(d, e, f));
      uint32_t* q = to + c * 16 + r;
      hn::Store(hn::BitCast(d, hn::InterleaveLower(wide, ab_low, ef_low)), d, q);
      hn::Store(hn::BitCast(d, hn::InterleaveUpper(wide, ab_low, ef_low)), d, q + 16);
      hn::Store(hn::BitCast(d, hn::InterleaveLower(wide, ab_high, ef_high)), d, q + 32);
      hn::Store(hn::BitCast(d, hn::InterleaveUpper(wide, ab_high, ef_high)), d, q + 48);
    }
  }
}

struct Sixteen {
  uint64_t words[2];
};

void turn_tile(char* to, const char* from, int64_t size) {
  switch (size) {
    case 1:
      return turn(reinterpret_cast<uint8_t*>(to), reinterpret_cast<const uint8_t*>(from));
    case 2:
      return turn(reinterpret_cast<uint16_t*>(to), reinterpret_cast<const uint16_t*>(from));
    case 4:
      return turn(reinterpret_cast<uint32_t*>(to), reinterpret_cast<const uint32_t*>(from));
    case 8:
      return turn(reinterpret_cast<uint64_t*>(to), reinterpret_cast<const uint64_t*>(from));
    default:
      return turn(reinterpret_cast<Sixteen*>(to), reinterpret_cast<const Sixteen*>(from));
  }
}

void copy_line(char* to, const char* line) {
  const Tag<uint8_t> d;
  for (size_t i = 0; i < 64; i += kVectorBytes)
    hn::Store(hn::LoadU(d, reinterpret_cast<const uint8_t*>(line + i)), d,
              reinterpret_cast<uint8_t*>(to + i));
}
void stream_line(char* to, const char* line) {
  const Tag<uint8_t> d;
  for (size_t i = 0; i < 64; i += kVectorBytes)
    hn::Stream(hn::Load(d, reinterpret_cast<const uint8_t*>(line + i)), d,
               reinterpret_cast<uint8_t*>(to + i));
}

}  // namespace

void Transpose::run_tile(char* to, const char* from, int64_t height, int64_t width,
                         bool whole_lines) const {
  const int64_t side = tile();
  alignas(64) char source[64 * 64], target[64 * 64];
  for (int64_t i = 0; i < height; ++i) {
    if (plain && width == side)
      copy_line(source + i * 64, from + i * from_stride);
    else
      convert(source + i * 64, to_size, from + i * from_stride, from_size, width);
  }
  turn_tile(target, source, to_size);
  for (int64_t c = 0; c < width; ++c) {
    if (whole_lines && height == side)
      stream_line(to + c * to_stride, target + c * 64);
    else
      std::memcpy(to + c * to_stride, target + c * 64, static_cast<size_t>(height * to_size));
  }
}

void Transpose::run(char* to, const char* from, int64_t band) const {
  const int64_t side = tile(), first = band * band_width(),
                last = std::min(columns, first + band_width());
  const bool whole_lines =
      streams && to_stride % 64 == 0 && reinterpret_cast<uintptr_t>(to) % 64 == 0;
  for (int64_t r = 0; r < rows; r += side) {
    const int64_t height = std::min(side, rows - r);
    for (int64_t c = first; c < last; c += side)
      run_tile(to + c * to_stride + r * to_size, from + r * from_stride + c * from_size, height,
               std::min(side, last - c), whole_lines);
  }
  if (streams) _mm_sfence();
}

}  // namespace tn::cpu
