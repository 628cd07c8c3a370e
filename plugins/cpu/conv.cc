// Convolutions and their gradients, each as one correlation (conv_direct.h).
#include "tenon/ops/conv.h"

#include "conv_direct.h"
#include "float_types.h"
#include "kernels.h"
#include "norm_rows.h"
#include "tenon/sdk/entry.h"

namespace tn::cpu {
namespace {

using ops::ConvShape;

// The correlation that goes with the strides of `s`: from the larger images to the smaller ones.
// `in` and `out` are channels per group, `size` the smaller images' sizes.
Correlation strided(const ConvShape& s, int64_t in, int64_t out, const int64_t* size) {
  return {s.batch,
          s.groups,
          in,
          out,
          {size[0], size[1]},
          {s.kernel[0], s.kernel[1]},
          {s.stride[0], s.stride[1]},
          {s.dilation[0], s.dilation[1]}};
}
// Its transpose: to images of `size`.
Correlation gapped(const ConvShape& s, int64_t in, int64_t out, const int64_t* size) {
  return {s.batch,
          s.groups,
          in,
          out,
          {size[0], size[1]},
          {s.kernel[0], s.kernel[1]},
          {1, 1},
          {s.dilation[0], s.dilation[1]}};
}
Placement padded(const ConvShape& s, const Correlation& c) {
  return {{c.reach(0), c.reach(1)}, {s.padding[0], s.padding[1]}, {1, 1}};
}
Placement with_gaps(const ConvShape& s, const Correlation& c) {
  Placement p{{c.reach(0), c.reach(1)}, {0, 0}, {s.stride[0], s.stride[1]}};
  for (int d = 0; d < 2; ++d) p.offset[d] = s.dilation[d] * (s.kernel[d] - 1) - s.padding[d];
  return p;
}

// A weight's first dimension counts the outputs of the strided correlation and the inputs of the
// gapped one.
template <class E>
Kernels<E> kernels(const Tensor& weight, const Correlation& c, bool gaps) {
  const ImageStrides s(weight);
  if (gaps) return {weight.data<E>(), c.in * s.n, s.c, s.n, s.h, s.w, true};
  return {weight.data<E>(), c.out * s.n, s.n, s.c, s.h, s.w, false};
}

// Without padding and strides, the pixels of an image of 1 x 1 kernels are one row.
template <class E>
void join_rows(Correlation& c, PaddedImage<Sum<E>>& image, const Tensor& out) {
  const ImageStrides s(out);
  for (int d = 0; d < 2; ++d)
    if (c.kernel[d] != 1 || c.stride[d] != 1) return;
  if (image.row != c.size[1] * image.pixel || s.h != c.size[1] * s.w) return;
  c.size[1] *= c.size[0];
  c.size[0] = 1;
}

template <class E>
void correlate(const Frame& frame, const ConvShape& s, Correlation c, bool gaps,
               const Tensor& image, const Tensor& weight, const Tensor& bias, const Tensor& out) {
  auto placed = place_image<E>(frame, image, gaps ? with_gaps(s, c) : padded(s, c));
  const auto k = kernels<E>(weight, c, gaps);
  join_rows<E>(c, placed, out);
  DirectCorrelation<E>(c, placed, k, bias.defined() ? bias.data<E>() : nullptr, out).run(frame);
}

// A contiguous copy of a vector: a bias may be a strided view.
Tensor contiguous(const Tensor& t) {
  if (!t.defined() || t.stride(0) == 1 || t.size(0) <= 1) return t;
  tn_tensor* out = nullptr;
  check(api->tensor_contiguous(t.get(), TN_CONTIGUOUS, &out));
  return Tensor::own(out);
}

void convolution(const Tensor& input, const Tensor& weight, const Tensor& bias, Ints stride,
                 Ints padding, Ints dilation, bool transposed, Ints output_padding, int64_t groups,
                 Frame& frame, Out out) {
  if (out->numel() == 0) return;
  const ConvShape s =
      ops::conv_shape(input, weight, stride, padding, dilation, transposed, output_padding, groups);
  const int64_t in = s.in_channels / groups, outs = s.out_channels / groups;
  const Correlation c = transposed ? gapped(s, in, outs, s.out) : strided(s, in, outs, s.out);
  with_float(input.dtype(), [&](auto e) {
    using E = decltype(e);
    correlate<E>(frame, s, c, transposed, input, weight, contiguous(bias), *out);
  });
}

template <class E>
void sum_channels(const Frame& frame, const Tensor& image, const Tensor& out) {
  using T = Sum<E>;
  const ChannelWalk walk(image);
  const Tensor dense = in_format(image, walk.format());
  double* const total = frame.scratch<double>(static_cast<size_t>(walk.channels));
  walk.split([&](int64_t first, int64_t end) {
    walk.sums<T>(first, end, total,
                 [&](int64_t at, auto lanes, auto) { return get<T>(dense.data<E>() + at, lanes); });
    for (int64_t c = first; c < end; ++c)
      out.data<E>()[c * out.stride(0)] = static_cast<E>(static_cast<T>(total[c]));
  });
}

void convolution_backward(const Tensor& grad_output, const Tensor& input, const Tensor& weight,
                          std::optional<Ints>, Ints stride, Ints padding, Ints dilation,
                          bool transposed, Ints output_padding, int64_t groups, Bools, Frame& frame,
                          Out grad_input, Out grad_weight, Out grad_bias) {
  const ConvShape s =
      ops::conv_shape(input, weight, stride, padding, dilation, transposed, output_padding, groups);
  const int64_t in = s.in_channels / groups, outs = s.out_channels / groups;
  with_float(input.dtype(), [&](auto e) {
    using E = decltype(e);
    if (grad_input.defined() && grad_input->numel() > 0) {
      const Correlation c = transposed ? strided(s, outs, in, s.in) : gapped(s, outs, in, s.in);
      correlate<E>(frame, s, c, !transposed, grad_output, weight, Tensor(), *grad_input);
    }
    if (grad_weight.defined() && grad_weight->numel() > 0) {
      // The images that the strided correlation reads, and those that it makes.
      const Tensor &larger = transposed ? grad_output : input,
                   &smaller = transposed ? input : grad_output;
      const Correlation c = transposed ? strided(s, outs, in, s.in) : strided(s, in, outs, s.out);
      KernelGradient<E>(c, place_image<E>(frame, larger, padded(s, c)), smaller, *grad_weight)
          .run(frame);
    }
    if (grad_bias.defined()) sum_channels<E>(frame, grad_output, *grad_bias);
  });
}

}  // namespace

void register_conv(tn_plugin* plugin) {
  tn_caps caps = TN_INIT(tn_caps);
  caps.flags = TN_CAP_DETERMINISTIC;
  caps.dtypes = kFloatDtypes;
  register_kernel<convolution>(plugin, "convolution", "cpu", caps);
  register_kernel<convolution_backward>(plugin, "convolution_backward", "cpu", caps);
}

}  // namespace tn::cpu
