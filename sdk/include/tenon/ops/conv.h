// conv.h - convolutions of one and two dimensions, and what their shapes are.
//
// Images are [N, C, L] or [N, C, H, W], weights [out, in / groups, ...], for transposed ones [in,
// out / groups, ...]. A result is channels-last where the image or the weight is, so a network
// stays channels-last once its input is.
#pragma once

#include <tenon/sdk/declare.h>

namespace tn::ops {

// A convolution's geometry, checked. Always two-dimensional: a signal is an image of height 1.
struct ConvShape {
  dim batch, in_channels, out_channels, groups;
  dim in[2], out[2], kernel[2];
  int64_t stride[2], padding[2], dilation[2];
  int64_t output_padding[2];
  bool transposed;
  bool channels_last;  // of the results
  int64_t rank;        // of the image: 3 or 4

  // The output's sizes, or an image's with `channels` and `area` in place of its own.
  std::vector<dim> image(dim channels, const dim* area) const {
    if (rank == 3) return {batch, channels, area[1]};
    return {batch, channels, area[0], area[1]};
  }
  tn_memory_format format() const { return channels_last ? TN_CHANNELS_LAST : TN_CONTIGUOUS; }
};

namespace conv_detail {

// Channels-last and not row-major as well, as tensors with one channel or one pixel are.
inline bool prefers_channels_last(const Tensor& t) {
  return t.is_channels_last() && !t.is_contiguous();
}

// So that products of two of them, and sums of such, fit 64 bits.
inline constexpr int64_t kLargest = (int64_t{1} << 31) - 1;

inline void expect_sizes(const char* name, const Tensor& t) {
  for (int64_t d = 1; d < t.dim(); ++d)
    if (t.size(d) > kLargest)
      fail(TN_INVALID_ARGUMENT, "%s must have at most 2^31 - 1 in each dimension, got %s", name,
           t.describe().c_str());
}

inline void read_list(const char* name, Ints list, int64_t rank, int64_t least, int64_t* out) {
  const size_t dims = static_cast<size_t>(rank - 2);
  if (list.size() != dims && list.size() != 1)
    fail(TN_INVALID_ARGUMENT, "%s must have 1 or %zu entries, got %zu", name, dims, list.size());
  for (size_t i = 0; i < dims; ++i) {
    out[2 - dims + i] = list[list.size() == 1 ? 0 : i];
    if (out[2 - dims + i] < least || out[2 - dims + i] > kLargest)
      fail(TN_INVALID_ARGUMENT, "%s must be %lld to 2^31 - 1, got %lld", name,
           static_cast<long long>(least), static_cast<long long>(out[2 - dims + i]));
  }
}

}  // namespace conv_detail

// Throws Error where the arguments do not make a convolution.
inline ConvShape conv_shape(const Tensor& input, const Tensor& weight, Ints stride, Ints padding,
                            Ints dilation, bool transposed, Ints output_padding, int64_t groups) {
  const int64_t rank = input.dim();
  if (rank != 3 && rank != 4)
    fail(TN_INVALID_ARGUMENT, "input must be [N, C, L] or [N, C, H, W], got %s",
         input.describe().c_str());
  if (weight.dim() != rank)
    fail(TN_INVALID_ARGUMENT, "weight must have as many dimensions as input, got %s and %s",
         weight.describe().c_str(), input.describe().c_str());
  if (input.dtype() != weight.dtype())
    fail(TN_TYPE_ERROR, "input and weight must have one dtype, got %s and %s",
         input.describe().c_str(), weight.describe().c_str());
  ConvShape s{};
  s.rank = rank;
  s.batch = input.size(0);
  s.in_channels = input.size(1);
  s.groups = groups;
  s.transposed = transposed;
  s.channels_last =
      conv_detail::prefers_channels_last(input) || conv_detail::prefers_channels_last(weight);
  conv_detail::expect_sizes("input", input);
  conv_detail::expect_sizes("weight", weight);
  if (groups < 1 || groups > conv_detail::kLargest)
    fail(TN_INVALID_ARGUMENT, "groups must be 1 to 2^31 - 1, got %lld",
         static_cast<long long>(groups));
  s.out_channels = transposed ? weight.size(1) * groups : weight.size(0);
  const dim expected = transposed ? weight.size(0) : weight.size(1) * groups;
  if (s.in_channels != expected || s.out_channels % groups || s.in_channels % groups)
    fail(TN_INVALID_ARGUMENT,
         "a weight of %s with %lld groups does not fit an input of %s: it takes %lld channels",
         weight.describe().c_str(), static_cast<long long>(groups), input.describe().c_str(),
         static_cast<long long>(expected));
  for (int d = 0; d < 2; ++d) {
    const bool real = rank == 4 || d == 1;
    s.in[d] = real ? input.size(rank - 2 + d) : 1;
    s.kernel[d] = real ? weight.size(rank - 2 + d) : 1;
    s.stride[d] = s.dilation[d] = 1;
  }
  conv_detail::read_list("stride", stride, rank, 1, s.stride);
  conv_detail::read_list("padding", padding, rank, 0, s.padding);
  conv_detail::read_list("dilation", dilation, rank, 1, s.dilation);
  if (transposed)
    conv_detail::read_list("output_padding", output_padding, rank, 0, s.output_padding);
  for (int d = 0; d < 2; ++d) {
    const dim reach = s.dilation[d] * (s.kernel[d] - 1) + 1;
    if (s.kernel[d] < 1)
      fail(TN_INVALID_ARGUMENT, "weight must have no empty kernel dimension, got %s",
           weight.describe().c_str());
    if (transposed) {
      if (s.output_padding[d] >= s.stride[d] && s.output_padding[d] >= s.dilation[d])
        fail(TN_INVALID_ARGUMENT, "output_padding %lld must be less than stride or dilation",
             static_cast<long long>(s.output_padding[d]));
      s.out[d] = (s.in[d] - 1) * s.stride[d] - 2 * s.padding[d] + reach + s.output_padding[d];
    } else {
      const dim room = s.in[d] + 2 * s.padding[d] - reach;
      s.out[d] = room < 0 ? 0 : room / s.stride[d] + 1;
    }
    if (s.out[d] < 1)
      fail(TN_INVALID_ARGUMENT,
           "a kernel that reaches over %lld does not fit into %s with padding %lld",
           static_cast<long long>(reach), input.describe().c_str(),
           static_cast<long long>(s.padding[d]));
  }
  return s;
}

struct Convolution : structured {
  static constexpr auto schema =
      "convolution(Tensor input, Tensor weight, Tensor? bias, int[] stride, int[] padding, int[] "
      "dilation, bool "
      "transposed, int[] output_padding, int groups) -> Tensor";
  static constexpr auto doc =
      "The correlation of images with kernels (or its transpose), plus a bias per output channel.";
  static void infer(const Tensor& input, const Tensor& weight, const Tensor& bias, Ints stride,
                    Ints padding, Ints dilation, bool transposed, Ints output_padding,
                    int64_t groups, MetaOut out) {
    const ConvShape s =
        conv_shape(input, weight, stride, padding, dilation, transposed, output_padding, groups);
    if (bias.defined() &&
        (bias.dim() != 1 || bias.size(0) != s.out_channels || bias.dtype() != weight.dtype()))
      fail(TN_INVALID_ARGUMENT,
           "bias must be one number of the weight's dtype per output channel, got %s for %s",
           bias.describe().c_str(), weight.describe().c_str());
    out.set(s.image(s.out_channels, s.out), input.dtype()).format(s.format());
  }
  static constexpr auto gradients = std::make_tuple(gradient<0, 1, 2>(
      reads<arg<0>, arg<1>, ints<3>, ints<4>, ints<5>, flag<6>, ints<7>, integer<8>, needed>,
      [](auto g, auto input, auto weight, Ints stride, Ints padding, Ints dilation, bool transposed,
         Ints output_padding, int64_t groups, uint64_t wanted) {
        const int64_t channels = g.size(1);
        const bool mask[3] = {(wanted & 1) != 0, (wanted & 2) != 0, (wanted & 4) != 0};
        return convolution_backward(g, input, weight, Ints(&channels, 1), stride, padding, dilation,
                                    transposed, output_padding, groups, Bools(mask, 3));
      }));
};

struct ConvolutionBackward : structured {
  static constexpr auto schema =
      "convolution_backward(Tensor grad_output, Tensor input, Tensor weight, int[]? bias_sizes, "
      "int[] stride, int[] "
      "padding, int[] dilation, bool transposed, int[] output_padding, int groups, bool[3] "
      "output_mask) -> (Tensor, "
      "Tensor, Tensor)";
  static constexpr auto doc =
      "The gradients of a convolution's input, weight and bias, each where output_mask asks for "
      "it.";
  static constexpr uint64_t differentiable_rets = 7;
  static void infer(const Tensor& grad_output, const Tensor& input, const Tensor& weight,
                    std::optional<Ints>, Ints stride, Ints padding, Ints dilation, bool transposed,
                    Ints output_padding, int64_t groups, Bools mask, MetaOut grad_input,
                    MetaOut grad_weight, MetaOut grad_bias) {
    const ConvShape s =
        conv_shape(input, weight, stride, padding, dilation, transposed, output_padding, groups);
    const auto sizes = s.image(s.out_channels, s.out);
    if (grad_output.sizes() != Ints(sizes) || grad_output.dtype() != input.dtype())
      fail(TN_INVALID_ARGUMENT,
           "grad_output must have the output's sizes and dtype, got %s for input %s and weight %s",
           grad_output.describe().c_str(), input.describe().c_str(), weight.describe().c_str());
    if (mask[0])
      grad_input.set(input.sizes(), input.dtype()).format(s.format());
    else
      grad_input.none();
    if (mask[1])
      grad_weight.set(weight.sizes(), weight.dtype()).format(s.format());
    else
      grad_weight.none();
    if (mask[2])
      grad_bias.set({s.out_channels}, weight.dtype());
    else
      grad_bias.none();
  }
  // The three results are linear in grad_output and, one each, in weight and input; so every second
  // derivative is again a convolution or one of these.
  static constexpr auto gradients = std::make_tuple(gradient<0, 1, 2>(
      reads<grad<1>, grad<2>, arg<0>, arg<1>, arg<2>, ints<4>, ints<5>, ints<6>, flag<7>, ints<8>,
            integer<9>, needed>,
      [](auto g_input, auto g_weight, auto g_bias, auto grad_output, auto input, auto weight,
         Ints stride, Ints padding, Ints dilation, bool transposed, Ints output_padding,
         int64_t groups, uint64_t wanted) {
        using T = decltype(g_input);
        auto forward = [&](const T& x, const T& w) {
          return convolution(x, w, T(), stride, padding, dilation, transposed, output_padding,
                             groups);
        };
        auto backward = [&](const T& x, const T& w, bool of_input) {
          const bool mask[3] = {of_input, !of_input, false};
          return convolution_backward(grad_output, x, w, std::optional<Ints>(), stride, padding,
                                      dilation, transposed, output_padding, groups, Bools(mask, 3));
        };
        T d_grad_output, d_input, d_weight;
        auto accumulate = [](const T& sum, const T& term) {
          return sum.defined() ? T(sum + term) : term;
        };
        if (wanted & 1) {
          if (g_input.defined()) d_grad_output = forward(g_input, weight);
          if (g_weight.defined())
            d_grad_output = accumulate(d_grad_output, forward(input, g_weight));
          if (g_bias.defined()) {
            const T row = grad_output.dim() == 3 ? reshape(g_bias, Ints{1, -1, 1})
                                                 : reshape(g_bias, Ints{1, -1, 1, 1});
            d_grad_output = accumulate(d_grad_output, expand_as(row, grad_output));
          }
        }
        if (wanted & 2 && g_weight.defined())
          d_input = std::get<0>(backward(input, g_weight, true));
        if (wanted & 4 && g_input.defined())
          d_weight = std::get<1>(backward(g_input, weight, false));
        return std::make_tuple(d_grad_output, d_input, d_weight);
      }));
};

namespace conv_detail {

// A convolution of images, or of one image without the batch dimension.
template <class T>
T convolve(const T& input, const T& weight, const T& bias, int64_t dims, Ints stride, Ints padding,
           Ints dilation, bool transposed, Ints output_padding, int64_t groups) {
  if (input.dim() == dims + 1)
    return squeeze(convolve(T(unsqueeze(input, int64_t{0})), weight, bias, dims, stride, padding,
                            dilation, transposed, output_padding, groups),
                   int64_t{0});
  if (input.dim() != dims + 2)
    fail(TN_INVALID_ARGUMENT,
         "input must have %lld dimensions, or one less for a single image, got %s",
         static_cast<long long>(dims + 2), input.describe().c_str());
  return convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding,
                     groups);
}

}  // namespace conv_detail

struct Conv1d : composite {
  static constexpr auto schema =
      "conv1d(Tensor input, Tensor weight, Tensor? bias=None, int[1] stride=1, int[1] padding=0, "
      "int[1] dilation=1, int "
      "groups=1) -> Tensor";
  static constexpr auto doc = "Convolution of signals [N, C, L] or [C, L].";
  template <class T>
  static T decompose(const T& input, const T& weight, const T& bias, Ints stride, Ints padding,
                     Ints dilation, int64_t groups) {
    return conv_detail::convolve(input, weight, bias, 1, stride, padding, dilation, false, {0},
                                 groups);
  }
};

struct Conv2d : composite {
  static constexpr auto schema =
      "conv2d(Tensor input, Tensor weight, Tensor? bias=None, int[2] stride=1, int[2] padding=0, "
      "int[2] dilation=1, int "
      "groups=1) -> Tensor";
  static constexpr auto doc = "Convolution of images [N, C, H, W] or [C, H, W].";
  template <class T>
  static T decompose(const T& input, const T& weight, const T& bias, Ints stride, Ints padding,
                     Ints dilation, int64_t groups) {
    return conv_detail::convolve(input, weight, bias, 2, stride, padding, dilation, false, {0, 0},
                                 groups);
  }
};

struct ConvTranspose1d : composite {
  static constexpr auto schema =
      "conv_transpose1d(Tensor input, Tensor weight, Tensor? bias=None, int[1] stride=1, int[1] "
      "padding=0, int[1] "
      "output_padding=0, int groups=1, int[1] dilation=1) -> Tensor";
  static constexpr auto doc = "Transposed convolution of signals [N, C, L] or [C, L].";
  template <class T>
  static T decompose(const T& input, const T& weight, const T& bias, Ints stride, Ints padding,
                     Ints output_padding, int64_t groups, Ints dilation) {
    return conv_detail::convolve(input, weight, bias, 1, stride, padding, dilation, true,
                                 output_padding, groups);
  }
};

struct ConvTranspose2d : composite {
  static constexpr auto schema =
      "conv_transpose2d.input(Tensor input, Tensor weight, Tensor? bias=None, int[2] stride=1, "
      "int[2] padding=0, int[2] "
      "output_padding=0, int groups=1, int[2] dilation=1) -> Tensor";
  static constexpr auto doc = "Transposed convolution of images [N, C, H, W] or [C, H, W].";
  template <class T>
  static T decompose(const T& input, const T& weight, const T& bias, Ints stride, Ints padding,
                     Ints output_padding, int64_t groups, Ints dilation) {
    return conv_detail::convolve(input, weight, bias, 2, stride, padding, dilation, true,
                                 output_padding, groups);
  }
};

using conv_ops =
    list<Convolution, ConvolutionBackward, Conv1d, Conv2d, ConvTranspose1d, ConvTranspose2d>;

}  // namespace tn::ops
