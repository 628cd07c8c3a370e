// Convolutions that are not transposed, and their gradients. Channels-last images stay as they are;
// for row-major ones and for kernels oneDNN names the layout it is fast in, and they are reordered.
#include "tenon/ops/conv.h"

#include "kernels.h"
#include "primitive.h"
#include "tenon/sdk/entry.h"

namespace onednn {
namespace {

using dnnl::memory;
using tn::Bools;
using tn::Frame;
using tn::Ints;
using tn::Out;
using tn::Tensor;
using tn::ops::ConvShape;

constexpr int kInput = 0, kWeight = 1, kTransposed = 6, kOutputMask = 10;

bool accepts_tensors(const tn_value& input, const tn_value& weight, const tn_value& transposed) {
  memory::data_type type{};
  const tn_tensor *x = input.u.tensor, *w = weight.u.tensor;
  return !transposed.u.i && x->dl.ndim == 4 && w->dl.ndim == 4 && x->dtype == w->dtype &&
         has_dtype(x->dtype, &type) && x->numel > 0 && w->numel > 0 && x->flags & TN_TENSOR_DENSE &&
         w->flags & TN_TENSOR_DENSE;
}
int32_t accepts_forward(const tn_frame*, void*, const tn_value* args, uint32_t) {
  return accepts_tensors(args[kInput], args[kWeight], args[kTransposed]);
}
int32_t accepts_backward(const tn_frame*, void*, const tn_value* args, uint32_t) {
  // The bias's gradient is made together with the kernels'.
  const uint8_t* const mask = args[kOutputMask].u.bools;
  return accepts_tensors(args[kInput + 1], args[kWeight + 1], args[kTransposed + 1]) &&
         (mask[1] || !mask[2]) && args[0].u.tensor->flags & TN_TENSOR_DENSE;
}

// One convolution in oneDNN's words.
struct Setting {
  ConvShape s;
  int threads;

  memory::dims pair(const int64_t* v) const { return {v[0], v[1]}; }
  memory::dims dilation() const {
    return {s.dilation[0] - 1, s.dilation[1] - 1};
  }  // oneDNN counts the gap
  // What is missing to the last window; negative where the image is not used up.
  memory::dims padding_after() const {
    memory::dims after(2);
    for (size_t d = 0; d < 2; ++d)
      after[d] = (s.out[d] - 1) * s.stride[d] + s.dilation[d] * (s.kernel[d] - 1) + 1 - s.in[d] -
                 s.padding[d];
    return after;
  }
  // Kernels of several groups have a dimension more.
  memory::desc kernels(const Tensor& w) const {
    const auto plain = desc_of(w.get());
    if (s.groups == 1) return plain;
    const int64_t outs = s.out_channels / s.groups;
    return {{s.groups, outs, w.size(1), w.size(2), w.size(3)},
            plain.get_data_type(),
            {outs * w.stride(0), w.stride(0), w.stride(1), w.stride(2), w.stride(3)}};
  }
  static memory::desc any(const memory::desc& d) {
    return {d.get_dims(), d.get_data_type(), memory::format_tag::any};
  }
  memory::desc image(const Tensor& t) const {
    return s.channels_last ? nhwc(t) : any(desc_of(t.get()));
  }
  static memory::desc nhwc(const Tensor& t) {
    const auto d = desc_of(t.get());
    return {d.get_dims(), d.get_data_type(), memory::format_tag::nhwc};
  }
  memory::desc vector(memory::data_type type) const {
    return {{s.out_channels}, type, memory::format_tag::x};
  }
  Key key(const char* kind, const Tensor& image, const Tensor& kernels, const Tensor& out) const {
    Key k(kind, threads);
    for (const Tensor* t : {&image, &kernels, &out}) k.add(t->get());
    for (const int64_t* v : {s.stride, s.padding, s.dilation}) k.add(v, 2);
    for (int64_t n : {s.groups, int64_t{s.channels_last}}) k.add(n);
    return k;
  }
  auto forward(const Tensor& x, const Tensor& w, bool bias, const Tensor& y) const {
    return dnnl::convolution_forward::primitive_desc(
        engine(), dnnl::prop_kind::forward_training, dnnl::algorithm::convolution_direct, image(x),
        any(kernels(w)), bias ? vector(desc_of(w.get()).get_data_type()) : memory::desc(), image(y),
        pair(s.stride), dilation(), pair(s.padding), padding_after(), user_scratchpad());
  }
};

Setting setting(const Tensor& input, const Tensor& weight, Ints stride, Ints padding, Ints dilation,
                Ints output_padding, int64_t groups) {
  return {
      tn::ops::conv_shape(input, weight, stride, padding, dilation, false, output_padding, groups),
      prepare_threads()};
}

// A vector that may be a strided view.
Tensor packed(const Tensor& t) {
  if (!t.defined()) return t;
  tn_tensor* out = nullptr;
  tn::check(tn::api->tensor_contiguous(t.get(), TN_CONTIGUOUS, &out));
  return Tensor::own(out);
}

void convolution(const Tensor& input, const Tensor& weight, const Tensor& bias, Ints stride,
                 Ints padding, Ints dilation, bool, Ints output_padding, int64_t groups,
                 Frame& frame, Out out) {
  translated([&] {
    const Setting c = setting(input, weight, stride, padding, dilation, output_padding, groups);
    Key key = c.key("convolution", input, weight, *out);
    key.add(int64_t{bias.defined()});
    const auto primitive = cached(key, [&] {
      const auto desc = c.forward(input, weight, bias.defined(), *out);
      const auto row =
          bias.defined() ? c.vector(desc_of(weight.get()).get_data_type()) : memory::desc();
      return std::make_shared<Primitive>(
          dnnl::convolution_forward(desc), desc.scratchpad_desc(),
          Operands{{DNNL_ARG_SRC, desc_of(input.get()), desc.src_desc()},
                   {DNNL_ARG_WEIGHTS, c.kernels(weight), desc.weights_desc()},
                   {DNNL_ARG_BIAS, row, row}},
          Operands{{DNNL_ARG_DST, desc_of(out->get()), desc.dst_desc()}});
    });
    const Tensor bias_row = packed(bias);
    primitive->execute(frame, {input.get(), weight.get(), bias_row.get(), out->get()});
  });
}

void image_gradient(const Frame& frame, const Setting& c, const Tensor& grad, const Tensor& weight,
                    const Tensor& out) {
  const Key key = c.key("convolution_backward_data", out, weight, grad);
  const auto primitive = cached(key, [&] {
    const auto hint = c.forward(out, weight, false, grad);
    const dnnl::convolution_backward_data::primitive_desc desc(
        engine(), dnnl::algorithm::convolution_direct, c.image(out),
        Setting::any(c.kernels(weight)), c.image(grad), c.pair(c.s.stride), c.dilation(),
        c.pair(c.s.padding), c.padding_after(), hint, user_scratchpad());
    return std::make_shared<Primitive>(
        dnnl::convolution_backward_data(desc), desc.scratchpad_desc(),
        Operands{{DNNL_ARG_DIFF_DST, desc_of(grad.get()), desc.diff_dst_desc()},
                 {DNNL_ARG_WEIGHTS, c.kernels(weight), desc.weights_desc()}},
        Operands{{DNNL_ARG_DIFF_SRC, desc_of(out.get()), desc.diff_src_desc()}});
  });
  primitive->execute(frame, {grad.get(), weight.get(), out.get()});
}

// Of the kernels and, where it is wanted, the bias.
void kernel_gradient(const Frame& frame, const Setting& c, const Tensor& grad, const Tensor& input,
                     const Tensor& out, const Out& bias) {
  Key key = c.key("convolution_backward_weights", input, out, grad);
  if (bias.defined()) key.add(bias->get());
  const memory::desc bias_desc =
      bias.defined() ? c.vector(desc_of(out.get()).get_data_type()) : memory::desc();
  const auto primitive = cached(key, [&] {
    const auto hint = c.forward(input, out, bias.defined(), grad);
    const dnnl::convolution_backward_weights::primitive_desc desc(
        engine(), dnnl::algorithm::convolution_direct, c.image(input), Setting::any(c.kernels(out)),
        bias_desc, c.image(grad), c.pair(c.s.stride), c.dilation(), c.pair(c.s.padding),
        c.padding_after(), hint, user_scratchpad());
    return std::make_shared<Primitive>(
        dnnl::convolution_backward_weights(desc), desc.scratchpad_desc(),
        Operands{{DNNL_ARG_DIFF_DST, desc_of(grad.get()), desc.diff_dst_desc()},
                 {DNNL_ARG_SRC, desc_of(input.get()), desc.src_desc()}},
        Operands{
            {DNNL_ARG_DIFF_WEIGHTS, c.kernels(out), desc.diff_weights_desc()},
            {DNNL_ARG_DIFF_BIAS, bias.defined() ? desc_of(bias->get()) : bias_desc, bias_desc}});
  });
  primitive->execute(frame,
                     {grad.get(), input.get(), out.get(), bias.defined() ? bias->get() : nullptr});
}

void convolution_backward(const Tensor& grad_output, const Tensor& input, const Tensor& weight,
                          std::optional<Ints>, Ints stride, Ints padding, Ints dilation, bool,
                          Ints output_padding, int64_t groups, Bools, Frame& frame, Out grad_input,
                          Out grad_weight, Out grad_bias) {
  translated([&] {
    const Setting c = setting(input, weight, stride, padding, dilation, output_padding, groups);
    if (grad_input.defined()) image_gradient(frame, c, grad_output, weight, *grad_input);
    if (grad_weight.defined())
      kernel_gradient(frame, c, grad_output, input, *grad_weight, grad_bias);
  });
}

}  // namespace

void register_conv(tn_plugin* plugin) {
  tn_caps caps = TN_INIT(tn_caps);
  caps.flags = TN_CAP_DETERMINISTIC;
  caps.dtypes = TN_DTYPE_BIT(TN_F32) | TN_DTYPE_BIT(TN_BF16);
  tn::register_kernel<convolution>(plugin, "convolution", "cpu", caps, accepts_forward);
  tn::register_kernel<convolution_backward>(plugin, "convolution_backward", "cpu", caps,
                                            accepts_backward);
}

}  // namespace onednn
