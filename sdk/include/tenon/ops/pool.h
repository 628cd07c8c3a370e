// pool.h - maxima and means over windows of images [N, C, H, W] or [C, H, W].
//
// Windows may overlap. A stride of [] is the kernel's size. In ceil mode a last window may reach
// beyond the image, but starts inside it or its left padding. Results are channels-last where the
// image is.
#pragma once

#include <tenon/sdk/declare.h>

namespace tn::ops {

// The windows of one pooling, checked.
struct PoolShape {
  dim planes, channels;  // N or 1, and C
  dim in[2], out[2], kernel[2];
  int64_t stride[2], padding[2], dilation[2];
  bool channels_last;

  std::vector<dim> sizes(const Tensor& like) const {
    std::vector<dim> s = like.sizes().vector();
    s[s.size() - 2] = out[0];
    s[s.size() - 1] = out[1];
    return s;
  }
  tn_memory_format format() const { return channels_last ? TN_CHANNELS_LAST : TN_CONTIGUOUS; }
};

namespace pool_detail {

// The gradient of an argument of which only the form matters: none, which means zero.
inline constexpr auto no_gradient = [](auto g) { return decltype(g)(); };

// So that products of two of them, and sums of such, fit 64 bits.
inline constexpr int64_t kLargest = (int64_t{1} << 31) - 1;

inline void expect_image(const Tensor& self) {
  bool good = self.dim() == 3 || self.dim() == 4;
  for (int64_t d = -3; good && d < 0; ++d) good = self.size(d) > 0 && self.size(d) <= kLargest;
  if (!good)
    fail(TN_INVALID_ARGUMENT,
         "self must be [N, C, H, W] or [C, H, W] with 1 to 2^31 - 1 for each but N, got %s",
         self.describe().c_str());
}
inline void read_pair(const char* name, Ints list, int64_t least, int64_t* out) {
  if (list.size() != 1 && list.size() != 2)
    fail(TN_INVALID_ARGUMENT, "%s must have 1 or 2 entries, got %zu", name, list.size());
  for (int d = 0; d < 2; ++d) {
    out[d] = list[list.size() == 1 ? 0 : static_cast<size_t>(d)];
    if (out[d] < least || out[d] > kLargest)
      fail(TN_INVALID_ARGUMENT, "%s must be %lld to 2^31 - 1, got %lld", name,
           static_cast<long long>(least), static_cast<long long>(out[d]));
  }
}
inline void expect_grad(const Tensor& grad_output, const Tensor& self, const PoolShape& s) {
  if (grad_output.sizes() != Ints(s.sizes(self)) || grad_output.dtype() != self.dtype())
    fail(TN_INVALID_ARGUMENT,
         "grad_output must have the pooled sizes [..., %lld, %lld] and self's dtype, got %s for %s",
         static_cast<long long>(s.out[0]), static_cast<long long>(s.out[1]),
         grad_output.describe().c_str(), self.describe().c_str());
}
inline PoolShape image_shape(const Tensor& self) {
  expect_image(self);
  PoolShape s{};
  s.planes = self.dim() == 4 ? self.size(0) : 1;
  s.channels = self.size(-3);
  s.channels_last = self.is_channels_last() && !self.is_contiguous();
  for (int d = 0; d < 2; ++d) {
    s.in[d] = self.size(d - 2);
    s.dilation[d] = 1;
  }
  return s;
}

}  // namespace pool_detail

// Throws Error where the arguments make no pooling.
inline PoolShape pool_shape(const Tensor& self, Ints kernel_size, Ints stride, Ints padding,
                            Ints dilation, bool ceil_mode) {
  PoolShape s = pool_detail::image_shape(self);
  pool_detail::read_pair("kernel_size", kernel_size, 1, s.kernel);
  pool_detail::read_pair("stride", stride.empty() ? kernel_size : stride, 1, s.stride);
  pool_detail::read_pair("padding", padding, 0, s.padding);
  pool_detail::read_pair("dilation", dilation, 1, s.dilation);
  for (int d = 0; d < 2; ++d) {
    if (s.padding[d] > s.kernel[d] / 2)
      fail(TN_INVALID_ARGUMENT, "padding %lld must be at most half of kernel_size %lld",
           static_cast<long long>(s.padding[d]), static_cast<long long>(s.kernel[d]));
    const dim room = s.in[d] + 2 * s.padding[d] - s.dilation[d] * (s.kernel[d] - 1) - 1;
    s.out[d] = room < 0 ? 0 : (room + (ceil_mode ? s.stride[d] - 1 : 0)) / s.stride[d] + 1;
    if (ceil_mode && s.out[d] > 0 && (s.out[d] - 1) * s.stride[d] >= s.in[d] + s.padding[d])
      --s.out[d];
    if (s.out[d] < 1)
      fail(TN_INVALID_ARGUMENT, "a window of %lld does not fit into %s",
           static_cast<long long>(s.kernel[d]), self.describe().c_str());
  }
  return s;
}

struct MaxPool2dWithIndices : structured {
  static constexpr auto schema =
      "max_pool2d_with_indices(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] "
      "padding=0, int[2] dilation=1, "
      "bool ceil_mode=False) -> (Tensor, Tensor)";
  static constexpr auto doc =
      "The largest number of each window and where it stands, as h * W + w in the image; of "
      "equal ones the first. A NaN counts as larger than any number, padding as minus infinity.";
  static void infer(const Tensor& self, Ints kernel_size, Ints stride, Ints padding, Ints dilation,
                    bool ceil_mode, MetaOut out, MetaOut indices) {
    const PoolShape s = pool_shape(self, kernel_size, stride, padding, dilation, ceil_mode);
    out.set(s.sizes(self), self.dtype()).format(s.format());
    indices.set(s.sizes(self), TN_I64).format(s.format());
  }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<arg<0>, ret<1>, ints<1>, ints<2>, ints<3>, ints<4>, flag<5>>,
                  [](auto g, auto self, auto indices, Ints kernel_size, Ints stride, Ints padding,
                     Ints dilation, bool ceil_mode) {
                    return max_pool2d_with_indices_backward(g, self, kernel_size, stride, padding,
                                                            dilation, ceil_mode, indices);
                  }));
};

struct MaxPool2dWithIndicesBackward : structured {
  static constexpr auto schema =
      "max_pool2d_with_indices_backward(Tensor grad_output, Tensor self, int[2] kernel_size, "
      "int[2] stride, int[2] "
      "padding, int[2] dilation, bool ceil_mode, Tensor indices) -> Tensor";
  static constexpr auto doc =
      "Adds each number of grad_output to the place in the image that indices names.";
  static void infer(const Tensor& grad_output, const Tensor& self, Ints kernel_size, Ints stride,
                    Ints padding, Ints dilation, bool ceil_mode, const Tensor& indices,
                    MetaOut out) {
    const PoolShape s = pool_shape(self, kernel_size, stride, padding, dilation, ceil_mode);
    pool_detail::expect_grad(grad_output, self, s);
    if (indices.sizes() != grad_output.sizes() || indices.dtype() != TN_I64)
      fail(TN_INVALID_ARGUMENT,
           "indices must be of dtype i64 and grad_output's sizes, got %s and %s",
           indices.describe().c_str(), grad_output.describe().c_str());
    out.set(self.sizes(), self.dtype()).format(s.format());
  }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<arg<7>>,
                  [](auto g, auto indices) {
                    auto places = flatten(indices, int64_t{-2}, int64_t{-1});
                    return reshape(
                        gather(flatten(g, int64_t{-2}, int64_t{-1}), int64_t{-1}, places),
                        indices.sizes());
                  }),
      gradient<1>(reads<>, pool_detail::no_gradient));
};

struct MaxPool2d : composite {
  static constexpr auto schema =
      "max_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] "
      "dilation=1, bool "
      "ceil_mode=False) -> Tensor";
  static constexpr auto doc = "The largest number of each window.";
  template <class T>
  static T decompose(const T& self, Ints kernel_size, Ints stride, Ints padding, Ints dilation,
                     bool ceil_mode) {
    return std::get<0>(
        max_pool2d_with_indices(self, kernel_size, stride, padding, dilation, ceil_mode));
  }
};

namespace pool_detail {

inline void expect_divisor(std::optional<int64_t> divisor) {
  if (divisor && *divisor == 0) fail(TN_INVALID_ARGUMENT, "divisor_override must not be zero");
}

}  // namespace pool_detail

struct AvgPool2d : structured {
  static constexpr auto schema =
      "avg_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, bool "
      "ceil_mode=False, bool "
      "count_include_pad=True, int? divisor_override=None) -> Tensor";
  static constexpr auto doc =
      "The sum of each window divided by its size: with padding or without, or by "
      "divisor_override.";
  static void infer(const Tensor& self, Ints kernel_size, Ints stride, Ints padding, bool ceil_mode,
                    bool, std::optional<int64_t> divisor_override, MetaOut out) {
    pool_detail::expect_divisor(divisor_override);
    const PoolShape s = pool_shape(self, kernel_size, stride, padding, {1, 1}, ceil_mode);
    out.set(s.sizes(self), self.dtype()).format(s.format());
  }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<arg<0>, ints<1>, ints<2>, ints<3>, flag<4>, flag<5>, optional_integer<6>>,
                  [](auto g, auto self, Ints kernel_size, Ints stride, Ints padding, bool ceil_mode,
                     bool include, std::optional<int64_t> divisor) {
                    return avg_pool2d_backward(g, self, kernel_size, stride, padding, ceil_mode,
                                               include, divisor);
                  }));
};

struct AvgPool2dBackward : structured {
  static constexpr auto schema =
      "avg_pool2d_backward(Tensor grad_output, Tensor self, int[2] kernel_size, int[2] stride, "
      "int[2] padding, bool "
      "ceil_mode, bool count_include_pad, int? divisor_override) -> Tensor";
  static constexpr auto doc =
      "Spreads each number of grad_output over its window, divided as avg_pool2d divides.";
  static void infer(const Tensor& grad_output, const Tensor& self, Ints kernel_size, Ints stride,
                    Ints padding, bool ceil_mode, bool, std::optional<int64_t> divisor_override,
                    MetaOut out) {
    pool_detail::expect_divisor(divisor_override);
    const PoolShape s = pool_shape(self, kernel_size, stride, padding, {1, 1}, ceil_mode);
    pool_detail::expect_grad(grad_output, self, s);
    out.set(self.sizes(), self.dtype()).format(s.format());
  }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<ints<2>, ints<3>, ints<4>, flag<5>, flag<6>, optional_integer<7>>,
                  [](auto g, Ints kernel_size, Ints stride, Ints padding, bool ceil_mode,
                     bool include, std::optional<int64_t> divisor) {
                    return avg_pool2d(g, kernel_size, stride, padding, ceil_mode, include, divisor);
                  }),
      gradient<1>(reads<>, pool_detail::no_gradient));
};

// Output cell i of n covers [floor(i * size / n), ceil((i + 1) * size / n)) of the image.
struct AdaptiveAvgPool2dForward : structured {
  static constexpr auto schema = "_adaptive_avg_pool2d(Tensor self, int[2] output_size) -> Tensor";
  static constexpr auto doc =
      "Means over as many windows, near equal in size, as output_size asks for.";
  static void infer(const Tensor& self, Ints output_size, MetaOut out) {
    PoolShape s = pool_detail::image_shape(self);
    pool_detail::read_pair("output_size", output_size, 0, s.out);
    out.set(s.sizes(self), self.dtype()).format(s.format());
  }
  static constexpr auto gradients = std::make_tuple(gradient<0>(
      reads<arg<0>>, [](auto g, auto self) { return _adaptive_avg_pool2d_backward(g, self); }));
};

struct AdaptiveAvgPool2dBackward : structured {
  static constexpr auto schema =
      "_adaptive_avg_pool2d_backward(Tensor grad_output, Tensor self) -> Tensor";
  static constexpr auto doc = "Spreads each number of grad_output evenly over its window.";
  static void infer(const Tensor& grad_output, const Tensor& self, MetaOut out) {
    PoolShape s = pool_detail::image_shape(self);
    if (grad_output.dim() == self.dim())
      for (int d = 0; d < 2; ++d) s.out[d] = grad_output.size(d - 2);
    pool_detail::expect_grad(grad_output, self, s);
    out.set(self.sizes(), self.dtype()).format(s.format());
  }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(
          reads<sizes<0>>,
          [](auto g, Ints pooled) { return _adaptive_avg_pool2d(g, Ints(pooled.end() - 2, 2)); }),
      gradient<1>(reads<>, pool_detail::no_gradient));
};

struct AdaptiveAvgPool2d : composite {
  static constexpr auto schema = "adaptive_avg_pool2d(Tensor self, int[2] output_size) -> Tensor";
  static constexpr auto doc =
      "Means over as many windows, near equal in size, as output_size asks for.";
  template <class T>
  static T decompose(const T& self, Ints output_size) {
    return _adaptive_avg_pool2d(self, output_size);
  }
};

using pool_ops =
    list<MaxPool2dWithIndices, MaxPool2dWithIndicesBackward, MaxPool2d, AvgPool2d,
         AvgPool2dBackward, AdaptiveAvgPool2dForward, AdaptiveAvgPool2dBackward, AdaptiveAvgPool2d>;

}  // namespace tn::ops
