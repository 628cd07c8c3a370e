// Pooling over windows of images, in any layout: channels are walked innermost where they lie side
// by side.
#include "tenon/ops/pool.h"

#include <cmath>
#include <limits>
#include <vector>

#include "float_types.h"
#include "gemm.h"
#include "kernels.h"
#include "parallel.h"
#include "tenon/sdk/entry.h"

namespace tn::cpu {
namespace {

using ops::PoolShape;

struct PlaneStrides {
  int64_t n, c, h, w;
  explicit PlaneStrides(const Tensor& t)
      : n(t.dim() == 4 ? t.stride(0) : 0), c(t.stride(-3)), h(t.stride(-2)), w(t.stride(-1)) {}
};

// Channels handled together: a block where they lie side by side, else one.
constexpr int64_t kBlock = 64;

struct Blocks {
  int64_t width, count;
  explicit Blocks(const PoolShape& s)
      : width(s.channels_last ? kBlock : 1), count((s.channels + width - 1) / width) {}
};

// Calls f(n, first channel, channels) for every block of every image, on several threads.
template <class F>
void each_block(const PoolShape& s, int64_t work_per_channel, F f) {
  const Blocks blocks(s);
  const int64_t grain =
      std::max<int64_t>(1, kGrain / std::max<int64_t>(1, work_per_channel * blocks.width));
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
std::vector<Span> fixed_spans(const PoolShape& s, int d) {
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
std::vector<Span> adaptive_spans(const PoolShape& s, int d) {
  std::vector<Span> spans;
  for (int64_t o = 0; o < s.out[d]; ++o) {
    const int64_t begin = o * s.in[d] / s.out[d],
                  end = ((o + 1) * s.in[d] + s.out[d] - 1) / s.out[d];
    spans.push_back({begin, end, end - begin});
  }
  return spans;
}
Spans fixed(const PoolShape& s) {
  return {fixed_spans(s, 0), fixed_spans(s, 1)};
}
Spans adaptive(const PoolShape& s) {
  return {adaptive_spans(s, 0), adaptive_spans(s, 1)};
}

// What a mean over a window divides by.
struct Divisor {
  bool include_padding = true;
  std::optional<int64_t> given;
  template <class T>
  T of(const Span& rows, const Span& columns) const {
    if (given) return static_cast<T>(*given);
    if (include_padding) return static_cast<T>(rows.padded * columns.padded);
    return static_cast<T>(
        std::max<int64_t>(1, (rows.end - rows.begin) * (columns.end - columns.begin)));
  }
};

int64_t area(const int64_t* size) {
  return size[0] * size[1];
}

template <class E>
void max_forward(const PoolShape& s, const Tensor& self, const Tensor& out, const Tensor& indices) {
  using T = Sum<E>;
  const PlaneStrides is(self), os(out), xs(indices);
  const Spans spans = fixed(s);
  each_block(s, area(s.out) * area(s.kernel), [&](int64_t n, int64_t c, int64_t count) {
    const E* const image = self.data<E>() + n * is.n + c * is.c;
    for (int64_t oh = 0; oh < s.out[0]; ++oh)
      for (int64_t ow = 0; ow < s.out[1]; ++ow) {
        const Span rows = spans.rows[static_cast<size_t>(oh)],
                   columns = spans.columns[static_cast<size_t>(ow)];
        E* const to = out.data<E>() + n * os.n + c * os.c + oh * os.h + ow * os.w;
        int64_t* const index =
            indices.data<int64_t>() + n * xs.n + c * xs.c + oh * xs.h + ow * xs.w;
        auto each_place = [&](auto take) {
          for (int64_t h = rows.begin; h < rows.end; h += s.dilation[0])
            for (int64_t w = columns.begin; w < columns.end; w += s.dilation[1])
              take(image + h * is.h + w * is.w, h * s.in[1] + w);
        };
        // The first place, should all be minus infinity.
        const int64_t first = rows.begin * s.in[1] + columns.begin;
        T best[kBlock];
        int64_t where[kBlock];
        if (count == 1) {
          T most = -std::numeric_limits<T>::infinity();
          int64_t at = first;
          each_place([&](const E* pixel, int64_t place) {
            const T value = static_cast<T>(*pixel);
            const bool better = value > most || std::isnan(value);
            most = better ? value : most;
            at = better ? place : at;
          });
          *to = static_cast<E>(most);
          *index = at;
          continue;
        }
        std::fill(best, best + count, -std::numeric_limits<T>::infinity());
        std::fill(where, where + count, first);
        each_place([&](const E* pixel, int64_t place) {
          for (int64_t i = 0; i < count; ++i) {
            const T value = static_cast<T>(pixel[i * is.c]);
            const bool better = value > best[i] || std::isnan(value);
            best[i] = better ? value : best[i];
            where[i] = better ? place : where[i];
          }
        });
        for (int64_t i = 0; i < count; ++i) {
          to[i * os.c] = static_cast<E>(best[i]);
          index[i * xs.c] = where[i];
        }
      }
  });
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

template <class E>
void max_backward(Frame& frame, const PoolShape& s, const Tensor& grad, const Tensor& indices,
                  const Tensor& out) {
  using T = Sum<E>;
  const PlaneStrides gs(grad), xs(indices);
  const BlockSums<E> sums(frame, s, out);
  each_block(s, area(s.in) + area(s.out), [&](int64_t n, int64_t c, int64_t count) {
    sums.clear(n, c, count);
    for (int64_t oh = 0; oh < s.out[0]; ++oh)
      for (int64_t ow = 0; ow < s.out[1]; ++ow) {
        const E* const g = grad.data<E>() + n * gs.n + c * gs.c + oh * gs.h + ow * gs.w;
        const int64_t* const index =
            indices.data<int64_t>() + n * xs.n + c * xs.c + oh * xs.h + ow * xs.w;
        for (int64_t i = 0; i < count; ++i) {
          *sums.at(n, c + i, index[i * xs.c]) += static_cast<T>(g[i * gs.c]);
        }
      }
    sums.finish(n, c, count);
  });
}

template <class E>
void mean_forward(const PoolShape& s, const Spans& spans, const Divisor& divisor,
                  const Tensor& self, const Tensor& out) {
  using T = Sum<E>;
  const PlaneStrides is(self), os(out);
  each_block(s, area(s.in) + area(s.out), [&](int64_t n, int64_t c, int64_t count) {
    const E* const image = self.data<E>() + n * is.n + c * is.c;
    T sum[kBlock];
    for (int64_t oh = 0; oh < s.out[0]; ++oh)
      for (int64_t ow = 0; ow < s.out[1]; ++ow) {
        const Span rows = spans.rows[static_cast<size_t>(oh)],
                   columns = spans.columns[static_cast<size_t>(ow)];
        const T size = divisor.of<T>(rows, columns);
        E* const to = out.data<E>() + n * os.n + c * os.c + oh * os.h + ow * os.w;
        auto each_pixel = [&](auto add) {
          for (int64_t h = rows.begin; h < rows.end; ++h)
            for (int64_t w = columns.begin; w < columns.end; ++w) add(image + h * is.h + w * is.w);
        };
        if (count == 1) {
          T one = 0;
          each_pixel([&](const E* pixel) { one += static_cast<T>(*pixel); });
          *to = static_cast<E>(one / size);
          continue;
        }
        std::fill(sum, sum + count, T(0));
        each_pixel([&](const E* pixel) {
          for (int64_t i = 0; i < count; ++i) sum[i] += static_cast<T>(pixel[i * is.c]);
        });
        for (int64_t i = 0; i < count; ++i) to[i * os.c] = static_cast<E>(sum[i] / size);
      }
  });
}

template <class E>
void mean_backward(Frame& frame, const PoolShape& s, const Spans& spans, const Divisor& divisor,
                   const Tensor& grad, const Tensor& out) {
  using T = Sum<E>;
  const PlaneStrides gs(grad);
  const BlockSums<E> sums(frame, s, out);
  each_block(s, area(s.in) + area(s.out), [&](int64_t n, int64_t c, int64_t count) {
    sums.clear(n, c, count);
    T share[kBlock];
    for (int64_t oh = 0; oh < s.out[0]; ++oh)
      for (int64_t ow = 0; ow < s.out[1]; ++ow) {
        const Span rows = spans.rows[static_cast<size_t>(oh)],
                   columns = spans.columns[static_cast<size_t>(ow)];
        const T size = divisor.of<T>(rows, columns);
        const E* const g = grad.data<E>() + n * gs.n + c * gs.c + oh * gs.h + ow * gs.w;
        for (int64_t i = 0; i < count; ++i) share[i] = static_cast<T>(g[i * gs.c]) / size;
        for (int64_t h = rows.begin; h < rows.end; ++h)
          for (int64_t w = columns.begin; w < columns.end; ++w) {
            T* const pixel = sums.at(n, c, h, w);
            for (int64_t i = 0; i < count; ++i) pixel[i * sums.channel_stride()] += share[i];
          }
      }
    sums.finish(n, c, count);
  });
}

void max_pool2d(const Tensor& self, Ints kernel_size, Ints stride, Ints padding, Ints dilation,
                bool ceil_mode, Out out, Out indices) {
  const PoolShape s = ops::pool_shape(self, kernel_size, stride, padding, dilation, ceil_mode);
  with_float(self.dtype(), [&](auto e) { max_forward<decltype(e)>(s, self, *out, *indices); });
}

void max_pool2d_backward(const Tensor& grad, const Tensor& self, Ints kernel_size, Ints stride,
                         Ints padding, Ints dilation, bool ceil_mode, const Tensor& indices,
                         Frame& frame, Out out) {
  const PoolShape s = ops::pool_shape(self, kernel_size, stride, padding, dilation, ceil_mode);
  const PlaneStrides xs(indices);
  for (int64_t n = 0; n < s.planes; ++n)
    for (int64_t c = 0; c < s.channels; ++c)
      for (int64_t h = 0; h < s.out[0]; ++h)
        for (int64_t w = 0; w < s.out[1]; ++w) {
          const int64_t place = indices.data<int64_t>()[n * xs.n + c * xs.c + h * xs.h + w * xs.w];
          if (place < 0 || place >= area(s.in))
            fail(TN_INDEX_ERROR, "indices must lie in [0, %lld) for %s, got %lld",
                 static_cast<long long>(area(s.in)), self.describe().c_str(),
                 static_cast<long long>(place));
        }
  with_float(self.dtype(),
             [&](auto e) { max_backward<decltype(e)>(frame, s, grad, indices, *out); });
}

void avg_pool2d(const Tensor& self, Ints kernel_size, Ints stride, Ints padding, bool ceil_mode,
                bool include, std::optional<int64_t> divisor, Out out) {
  const PoolShape s = ops::pool_shape(self, kernel_size, stride, padding, {1, 1}, ceil_mode);
  with_float(self.dtype(), [&](auto e) {
    mean_forward<decltype(e)>(s, fixed(s), {include, divisor}, self, *out);
  });
}

void avg_pool2d_backward(const Tensor& grad, const Tensor& self, Ints kernel_size, Ints stride,
                         Ints padding, bool ceil_mode, bool include, std::optional<int64_t> divisor,
                         Frame& frame, Out out) {
  const PoolShape s = ops::pool_shape(self, kernel_size, stride, padding, {1, 1}, ceil_mode);
  with_float(self.dtype(), [&](auto e) {
    mean_backward<decltype(e)>(frame, s, fixed(s), {include, divisor}, grad, *out);
  });
}

void adaptive_avg_pool2d(const Tensor& self, Ints, Out out) {
  PoolShape s = ops::pool_detail::image_shape(self);
  for (int d = 0; d < 2; ++d) s.out[d] = out->size(d - 2);
  with_float(self.dtype(),
             [&](auto e) { mean_forward<decltype(e)>(s, adaptive(s), {}, self, *out); });
}

void adaptive_avg_pool2d_backward(const Tensor& grad, const Tensor& self, Frame& frame, Out out) {
  PoolShape s = ops::pool_detail::image_shape(self);
  for (int d = 0; d < 2; ++d) s.out[d] = grad.size(d - 2);
  with_float(self.dtype(),
             [&](auto e) { mean_backward<decltype(e)>(frame, s, adaptive(s), {}, grad, *out); });
}

}  // namespace

void register_pool(tn_plugin* plugin) {
  tn_caps caps = TN_INIT(tn_caps);
  caps.flags = TN_CAP_DETERMINISTIC;
  caps.dtypes = kFloatDtypes;
  register_kernel<max_pool2d>(plugin, "max_pool2d_with_indices", "cpu", caps);
  register_kernel<avg_pool2d>(plugin, "avg_pool2d", "cpu", caps);
  register_kernel<avg_pool2d_backward>(plugin, "avg_pool2d_backward", "cpu", caps);
  register_kernel<adaptive_avg_pool2d>(plugin, "_adaptive_avg_pool2d", "cpu", caps);
  register_kernel<adaptive_avg_pool2d_backward>(plugin, "_adaptive_avg_pool2d_backward", "cpu",
                                                caps);
  caps.dtypes |= TN_DTYPE_BIT(TN_I64);  // the indices
  register_kernel<max_pool2d_backward>(plugin, "max_pool2d_with_indices_backward", "cpu", caps);
}

}  // namespace tn::cpu
