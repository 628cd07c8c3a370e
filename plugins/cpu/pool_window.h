// pool_window.h - what poolings share: windows over images of any strides, blocks of channels split
// over threads, and sums into an image.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "gemm.h"
#include "parallel.h"
#include "tenon/ops/pool.h"
#include "tenon/sdk/kernel.h"

namespace tn::cpu {

using ops::PoolShape;

struct PlaneStrides {
  int64_t n, c, h, w;
  explicit PlaneStrides(const Tensor& t)
      : n(t.dim() == 4 ? t.stride(0) : 0), c(t.stride(-3)), h(t.stride(-2)), w(t.stride(-1)) {}
};

// Channels handled together: a block where they lie side by side, else one.
inline constexpr int64_t kBlock = 64;

struct Blocks {
  int64_t width, count;
  explicit Blocks(const PoolShape& s)
      : width(s.channels_last ? kBlock : 1), count((s.channels + width - 1) / width) {}
};

// Calls f(n, first channel, channels) for every block of every image, on several threads.
template <class F>
void each_block(const PoolShape& s, double work_per_channel, F f) {
  const Blocks blocks(s);
  const double work = work_per_channel * static_cast<double>(blocks.width);
  const int64_t grain = std::max<int64_t>(1, static_cast<int64_t>(kGrain / std::max(1.0, work)));
  parallel_for(s.planes * blocks.count, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t first = i % blocks.count * blocks.width;
      f(i / blocks.count, first, std::min(blocks.width, s.channels - first));
    }
  });
}

// What one output cell covers along a dimension, and how long that is with padding.
struct Span {
  int64_t begin, end, padded;
};
// The cells of both dimensions: a window is a span of rows by a span of columns.
struct Spans {
  std::vector<Span> rows, columns;
};
inline std::vector<Span> fixed_spans(const PoolShape& s, int d) {
  std::vector<Span> spans;
  for (int64_t o = 0; o < s.out[d]; ++o) {
    const int64_t first = o * s.stride[d] - s.padding[d],
                  reach = (s.kernel[d] - 1) * s.dilation[d] + 1;
    // With dilation, the first place inside is the first multiple of it from there.
    const int64_t skipped =
        first < 0 ? (-first + s.dilation[d] - 1) / s.dilation[d] * s.dilation[d] : 0;
    const int64_t begin = first + skipped,
                  padded_end = std::min(first + reach, s.in[d] + s.padding[d]);
    spans.push_back({begin, std::max(begin, std::min(padded_end, s.in[d])), padded_end - first});
  }
  return spans;
}
inline std::vector<Span> adaptive_spans(const PoolShape& s, int d) {
  std::vector<Span> spans;
  for (int64_t o = 0; o < s.out[d]; ++o) {
    const int64_t begin = o * s.in[d] / s.out[d],
                  end = ((o + 1) * s.in[d] + s.out[d] - 1) / s.out[d];
    spans.push_back({begin, end, end - begin});
  }
  return spans;
}
inline Spans fixed(const PoolShape& s) {
  return {fixed_spans(s, 0), fixed_spans(s, 1)};
}
inline Spans adaptive(const PoolShape& s) {
  return {adaptive_spans(s, 0), adaptive_spans(s, 1)};
}

inline int64_t area(const int64_t* size) {
  return size[0] * size[1];
}
// For each_block: of sums that read and write each number of a channel once, and of windows that
// are gone through, whose parts outside the image cost nothing.
inline double work_of_sums(const PoolShape& s) {
  return static_cast<double>(area(s.in)) + static_cast<double>(area(s.out));
}
inline double work_of_windows(const PoolShape& s) {
  const int64_t window[2] = {std::min(s.kernel[0], s.in[0]), std::min(s.kernel[1], s.in[1])};
  return static_cast<double>(area(s.out)) * static_cast<double>(area(window));
}

// Sums over a block of channels of an image, made in the output itself or, for 16-bit numbers, in a
// buffer that is rounded at the end.
template <class E>
class BlockSums {
  using T = Sum<E>;

 public:
  BlockSums(const Frame& frame, const PoolShape& s, const Tensor& out)
      : s_(s), out_(out), strides_(out), out_strides_(out) {
    if constexpr (std::is_same_v<E, T>) return;
    const int64_t plane = area(s.in);
    buffer_ = frame.scratch<T>(static_cast<size_t>(s.planes * s.channels * plane));
    strides_.n = s.channels * plane;
    strides_.c = s.channels_last ? 1 : plane;
    strides_.w = s.channels_last ? s.channels : 1;
    strides_.h = s.in[1] * strides_.w;
  }
  int64_t channel_stride() const { return strides_.c; }
  T* at(int64_t n, int64_t c, int64_t h, int64_t w) const {
    return base(n, c) + h * strides_.h + w * strides_.w;
  }
  // By the position h * W + w.
  T* at(int64_t n, int64_t c, int64_t place) const {
    if (strides_.h == s_.in[1] * strides_.w) return base(n, c) + place * strides_.w;
    return at(n, c, place / s_.in[1], place % s_.in[1]);
  }
  void clear(int64_t n, int64_t c, int64_t count) const {
    each_pixel(n, c, [&](T* sums, E*) {
      for (int64_t i = 0; i < count; ++i) sums[i * strides_.c] = T(0);
    });
  }
  void finish(int64_t n, int64_t c, int64_t count) const {
    if constexpr (!std::is_same_v<E, T>)
      each_pixel(n, c, [&](const T* sums, E* to) {
        for (int64_t i = 0; i < count; ++i)
          to[i * out_strides_.c] = static_cast<E>(sums[i * strides_.c]);
      });
  }

 private:
  T* base(int64_t n, int64_t c) const {
    T* start = buffer_;
    if constexpr (std::is_same_v<E, T>) start = out_.data<T>();
    return start + n * strides_.n + c * strides_.c;
  }
  template <class F>
  void each_pixel(int64_t n, int64_t c, F f) const {
    E* const to = out_.data<E>() + n * out_strides_.n + c * out_strides_.c;
    for (int64_t h = 0; h < s_.in[0]; ++h)
      for (int64_t w = 0; w < s_.in[1]; ++w)
        f(at(n, c, h, w), to + h * out_strides_.h + w * out_strides_.w);
  }
  const PoolShape& s_;
  const Tensor& out_;
  PlaneStrides strides_, out_strides_;
  T* buffer_ = nullptr;
};

}  // namespace tn::cpu
