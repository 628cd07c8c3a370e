// Pooling over windows of images, in any layout: channels are walked innermost where they lie side
// by side.
#include "tenon/ops/pool.h"

#include <cmath>
#include <limits>

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

// Part of the image that one output cell covers, and what a mean over it divides by.
struct Window {
  int64_t begin[2], end[2];
  double divisor;
};

// Windows of a fixed size at a fixed distance.
struct FixedWindows {
  PoolShape s;
  bool include_padding;
  std::optional<int64_t> divisor;
  Window operator()(int64_t oh, int64_t ow) const {
    const int64_t o[2] = {oh, ow};
    Window w{};
    int64_t padded = 1, inside = 1;
    for (int d = 0; d < 2; ++d) {
      const int64_t begin = o[d] * s.stride[d] - s.padding[d];
      const int64_t end = std::min(begin + s.kernel[d], s.in[d] + s.padding[d]);
      padded *= end - begin;
      w.begin[d] = std::max<int64_t>(begin, 0);
      w.end[d] = std::max(w.begin[d], std::min(end, s.in[d]));
      inside *= w.end[d] - w.begin[d];
    }
    w.divisor = static_cast<double>(divisor           ? *divisor
                                    : include_padding ? padded
                                                      : std::max<int64_t>(inside, 1));
    return w;
  }
};
// As many windows as asked for, near equal in size.
struct AdaptiveWindows {
  PoolShape s;
  Window operator()(int64_t oh, int64_t ow) const {
    const int64_t o[2] = {oh, ow};
    Window w{};
    w.divisor = 1;
    for (int d = 0; d < 2; ++d) {
      w.begin[d] = o[d] * s.in[d] / s.out[d];
      w.end[d] = ((o[d] + 1) * s.in[d] + s.out[d] - 1) / s.out[d];
      w.divisor *= static_cast<double>(w.end[d] - w.begin[d]);
    }
    return w;
  }
};

int64_t area(const int64_t* size) {
  return size[0] * size[1];
}

template <class E>
void max_forward(const PoolShape& s, const Tensor& self, const Tensor& out, const Tensor& indices) {
  using T = Sum<E>;
  const PlaneStrides is(self), os(out), xs(indices);
  each_block(s, area(s.out) * area(s.kernel), [&](int64_t n, int64_t c, int64_t count) {
    const E* const image = self.data<E>() + n * is.n + c * is.c;
    T best[kBlock];
    int64_t where[kBlock];
    for (int64_t oh = 0; oh < s.out[0]; ++oh)
      for (int64_t ow = 0; ow < s.out[1]; ++ow) {
        int64_t first[2] = {oh * s.stride[0] - s.padding[0], ow * s.stride[1] - s.padding[1]};
        const int64_t end[2] = {
            std::min(first[0] + (s.kernel[0] - 1) * s.dilation[0] + 1, s.in[0]),
            std::min(first[1] + (s.kernel[1] - 1) * s.dilation[1] + 1, s.in[1])};
        for (int d = 0; d < 2; ++d)
          if (first[d] < 0)
            first[d] += (-first[d] + s.dilation[d] - 1) / s.dilation[d] * s.dilation[d];
        std::fill(best, best + count, -std::numeric_limits<T>::infinity());
        std::fill(where, where + count, first[0] * s.in[1] + first[1]);
        for (int64_t h = first[0]; h < end[0]; h += s.dilation[0])
          for (int64_t w = first[1]; w < end[1]; w += s.dilation[1]) {
            const E* const pixel = image + h * is.h + w * is.w;
            for (int64_t i = 0; i < count; ++i) {
              const T value = static_cast<T>(pixel[i * is.c]);
              const bool better = value > best[i] || std::isnan(value);
              best[i] = better ? value : best[i];
              where[i] = better ? h * s.in[1] + w : where[i];
            }
          }
        E* const to = out.data<E>() + n * os.n + c * os.c + oh * os.h + ow * os.w;
        int64_t* const index =
            indices.data<int64_t>() + n * xs.n + c * xs.c + oh * xs.h + ow * xs.w;
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
    T* base = buffer_;
    if constexpr (std::is_same_v<E, T>) base = out_.data<T>();
    return base + n * strides_.n + c * strides_.c + h * strides_.h + w * strides_.w;
  }
  void clear(int64_t n, int64_t c, int64_t count) const {
    each_pixel([&](int64_t h, int64_t w) {
      for (int64_t i = 0; i < count; ++i) *at(n, c + i, h, w) = T(0);
    });
  }
  void finish(int64_t n, int64_t c, int64_t count) const {
    if constexpr (std::is_same_v<E, T>) return;
    each_pixel([&](int64_t h, int64_t w) {
      E* const to = out_.data<E>() + n * out_strides_.n + c * out_strides_.c + h * out_strides_.h +
                    w * out_strides_.w;
      for (int64_t i = 0; i < count; ++i)
        to[i * out_strides_.c] = static_cast<E>(*at(n, c + i, h, w));
    });
  }

 private:
  template <class F>
  void each_pixel(F f) const {
    for (int64_t h = 0; h < s_.in[0]; ++h)
      for (int64_t w = 0; w < s_.in[1]; ++w) f(h, w);
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
          const int64_t place = index[i * xs.c];
          *sums.at(n, c + i, place / s.in[1], place % s.in[1]) += static_cast<T>(g[i * gs.c]);
        }
      }
    sums.finish(n, c, count);
  });
}

template <class E, class Windows>
void mean_forward(const PoolShape& s, const Windows& windows, const Tensor& self,
                  const Tensor& out) {
  using T = Sum<E>;
  const PlaneStrides is(self), os(out);
  each_block(s, area(s.in) + area(s.out), [&](int64_t n, int64_t c, int64_t count) {
    const E* const image = self.data<E>() + n * is.n + c * is.c;
    T sum[kBlock];
    for (int64_t oh = 0; oh < s.out[0]; ++oh)
      for (int64_t ow = 0; ow < s.out[1]; ++ow) {
        const Window window = windows(oh, ow);
        std::fill(sum, sum + count, T(0));
        for (int64_t h = window.begin[0]; h < window.end[0]; ++h)
          for (int64_t w = window.begin[1]; w < window.end[1]; ++w) {
            const E* const pixel = image + h * is.h + w * is.w;
            for (int64_t i = 0; i < count; ++i) sum[i] += static_cast<T>(pixel[i * is.c]);
          }
        E* const to = out.data<E>() + n * os.n + c * os.c + oh * os.h + ow * os.w;
        const T divisor = static_cast<T>(window.divisor);
        for (int64_t i = 0; i < count; ++i) to[i * os.c] = static_cast<E>(sum[i] / divisor);
      }
  });
}

template <class E, class Windows>
void mean_backward(Frame& frame, const PoolShape& s, const Windows& windows, const Tensor& grad,
                   const Tensor& out) {
  using T = Sum<E>;
  const PlaneStrides gs(grad);
  const BlockSums<E> sums(frame, s, out);
  each_block(s, area(s.in) + area(s.out), [&](int64_t n, int64_t c, int64_t count) {
    sums.clear(n, c, count);
    T share[kBlock];
    for (int64_t oh = 0; oh < s.out[0]; ++oh)
      for (int64_t ow = 0; ow < s.out[1]; ++ow) {
        const Window window = windows(oh, ow);
        const E* const g = grad.data<E>() + n * gs.n + c * gs.c + oh * gs.h + ow * gs.w;
        for (int64_t i = 0; i < count; ++i)
          share[i] = static_cast<T>(g[i * gs.c]) / static_cast<T>(window.divisor);
        for (int64_t h = window.begin[0]; h < window.end[0]; ++h)
          for (int64_t w = window.begin[1]; w < window.end[1]; ++w) {
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
    mean_forward<decltype(e)>(s, FixedWindows{s, include, divisor}, self, *out);
  });
}

void avg_pool2d_backward(const Tensor& grad, const Tensor& self, Ints kernel_size, Ints stride,
                         Ints padding, bool ceil_mode, bool include, std::optional<int64_t> divisor,
                         Frame& frame, Out out) {
  const PoolShape s = ops::pool_shape(self, kernel_size, stride, padding, {1, 1}, ceil_mode);
  with_float(self.dtype(), [&](auto e) {
    mean_backward<decltype(e)>(frame, s, FixedWindows{s, include, divisor}, grad, *out);
  });
}

void adaptive_avg_pool2d(const Tensor& self, Ints, Out out) {
  PoolShape s = ops::pool_detail::image_shape(self);
  for (int d = 0; d < 2; ++d) s.out[d] = out->size(d - 2);
  with_float(self.dtype(),
             [&](auto e) { mean_forward<decltype(e)>(s, AdaptiveWindows{s}, self, *out); });
}

void adaptive_avg_pool2d_backward(const Tensor& grad, const Tensor& self, Frame& frame, Out out) {
  PoolShape s = ops::pool_detail::image_shape(self);
  for (int d = 0; d < 2; ++d) s.out[d] = grad.size(d - 2);
  with_float(self.dtype(),
             [&](auto e) { mean_backward<decltype(e)>(frame, s, AdaptiveWindows{s}, grad, *out); });
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
