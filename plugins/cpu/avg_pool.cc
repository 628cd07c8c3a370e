// Means over windows of images, of fixed size or adaptive, in any layout: channels are walked
// innermost where they lie side by side.
#include "float_types.h"
#include "kernels.h"
#include "pool_window.h"
#include "tenon/sdk/entry.h"

namespace tn::cpu {
namespace {

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

template <class E>
void mean_forward(const PoolShape& s, const Spans& spans, const Divisor& divisor,
                  const Tensor& self, const Tensor& out) {
  using T = Sum<E>;
  const PlaneStrides is(self), os(out);
  each_block(s, work_of_sums(s), [&](int64_t n, int64_t c, int64_t count) {
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
  each_block(s, work_of_sums(s), [&](int64_t n, int64_t c, int64_t count) {
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

void avg_pool2d(const Tensor& self, Ints kernel_size, Ints stride, Ints padding, bool ceil_mode,
                bool include, std::optional<int64_t> divisor, Out out) {
  if (out->numel() == 0) return;
  const PoolShape s = ops::pool_shape(self, kernel_size, stride, padding, {1, 1}, ceil_mode);
  with_float(self.dtype(), [&](auto e) {
    mean_forward<decltype(e)>(s, fixed(s), {include, divisor}, self, *out);
  });
}

void avg_pool2d_backward(const Tensor& grad, const Tensor& self, Ints kernel_size, Ints stride,
                         Ints padding, bool ceil_mode, bool include, std::optional<int64_t> divisor,
                         Frame& frame, Out out) {
  if (out->numel() == 0) return;
  const PoolShape s = ops::pool_shape(self, kernel_size, stride, padding, {1, 1}, ceil_mode);
  with_float(self.dtype(), [&](auto e) {
    mean_backward<decltype(e)>(frame, s, fixed(s), {include, divisor}, grad, *out);
  });
}

void adaptive_avg_pool2d(const Tensor& self, Ints, Out out) {
  if (out->numel() == 0) return;  // however many cells of nothing there are
  PoolShape s = ops::pool_detail::image_shape(self);
  for (int d = 0; d < 2; ++d) s.out[d] = out->size(d - 2);
  with_float(self.dtype(),
             [&](auto e) { mean_forward<decltype(e)>(s, adaptive(s), {}, self, *out); });
}

void adaptive_avg_pool2d_backward(const Tensor& grad, const Tensor& self, Frame& frame, Out out) {
  if (out->numel() == 0) return;
  PoolShape s = ops::pool_detail::image_shape(self);
  for (int d = 0; d < 2; ++d) s.out[d] = grad.numel() == 0 ? 0 : grad.size(d - 2);
  with_float(self.dtype(),
             [&](auto e) { mean_backward<decltype(e)>(frame, s, adaptive(s), {}, grad, *out); });
}

}  // namespace

void register_avg_pool(tn_plugin* plugin) {
  tn_caps caps = TN_INIT(tn_caps);
  caps.flags = TN_CAP_DETERMINISTIC;
  caps.dtypes = kFloatDtypes;
  register_kernel<avg_pool2d>(plugin, "avg_pool2d", "cpu", caps);
  register_kernel<avg_pool2d_backward>(plugin, "avg_pool2d_backward", "cpu", caps);
  register_kernel<adaptive_avg_pool2d>(plugin, "_adaptive_avg_pool2d", "cpu", caps);
  register_kernel<adaptive_avg_pool2d_backward>(plugin, "_adaptive_avg_pool2d_backward", "cpu",
                                                caps);
}

}  // namespace tn::cpu
