// stream.h - copies past the caches: no line of the target is read before it is written, and none
// of it stays. Worth it for targets too large to stay in the caches anyway.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "vector_type.h"

namespace tn::cpu {

// Targets of this size are streamed.
inline constexpr int64_t kStreamBytes = int64_t{8} << 20;

// Copies n bytes. The caller ends with _mm_sfence() when all is written.
inline void stream_bytes(char* to, const char* from, int64_t n) {
  const Tag<uint8_t> tag;
  constexpr int64_t width = kVectorBytes;
  const int64_t head =
      std::min(n, -static_cast<int64_t>(reinterpret_cast<uintptr_t>(to)) & (width - 1));
  std::memcpy(to, from, static_cast<size_t>(head));
  int64_t i = head;
  for (; i + width <= n; i += width)
    hn::Stream(hn::LoadU(tag, reinterpret_cast<const uint8_t*>(from + i)), tag,
               reinterpret_cast<uint8_t*>(to + i));
  std::memcpy(to + i, from + i, static_cast<size_t>(n - i));
}

// Rows of `bytes` bytes, row(i) the one that goes to place i, for places [begin, end) of a target
// that is `total` bytes in all. Rows are read in no order that the processor could foresee, so they
// are asked for some ahead.
template <class Row>
void gather_rows(char* to, int64_t bytes, int64_t begin, int64_t end, int64_t total, Row row) {
  constexpr int64_t ahead = 4, line = 64, lines = 16;
  // A line that is written in two parts would be sent twice.
  const bool streams =
      total >= kStreamBytes && bytes % line == 0 && reinterpret_cast<uintptr_t>(to) % line == 0;
  for (int64_t i = begin; i < end; ++i) {
    if (i + ahead < end) {
      const char* const next = row(i + ahead);
      for (int64_t at = 0; at < std::min(bytes, lines * line); at += line)
        __builtin_prefetch(next + at);
    }
    if (streams)
      stream_bytes(to + i * bytes, row(i), bytes);
    else
      std::memcpy(to + i * bytes, row(i), static_cast<size_t>(bytes));
  }
  if (streams) _mm_sfence();
}

}  // namespace tn::cpu
