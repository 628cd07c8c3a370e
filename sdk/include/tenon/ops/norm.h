// norm.h - normalisation by mean and variance: over the batch, over a row, over groups of channels.
//
// Statistics are made in f32 for 16-bit inputs, and are then f32 themselves. Weights may be f32
// beside a 16-bit input. Formulas: Ioffe & Szegedy 2015 (batch), Ba et al. 2016 (layer), Wu & He
// 2018 (group), Zhang & Sennrich 2019 (RMS).
#pragma once

#include <vector>

#include <tenon/sdk/declare.h>

namespace tn::ops {

namespace norm_detail {

// The dtype of means and reciprocal deviations.
inline DType statistics_dtype(const Tensor& input) {
  return input.dtype() == TN_F16 || input.dtype() == TN_BF16 ? TN_F32 : input.dtype();
}
inline void expect_float(const Tensor& input) {
  if (!is_floating(input.dtype()))
    fail(TN_NOT_IMPLEMENTED, "input must be of a float dtype, got %s", input.describe().c_str());
}
// `sizes` long, and of the input's or the statistics' dtype.
inline void expect_parameter(const char* name, const Tensor& t, Ints sizes, const Tensor& input) {
  if (!t.defined()) return;
  if (t.sizes() != sizes || (t.dtype() != input.dtype() && t.dtype() != statistics_dtype(input)))
    fail(TN_INVALID_ARGUMENT, "%s does not fit: got %s for an input of %s", name,
         t.describe().c_str(), input.describe().c_str());
}
inline dim channels(const Tensor& input) {
  if (input.dim() < 2)
    fail(TN_INVALID_ARGUMENT, "input must be [N, C, ...], got %s", input.describe().c_str());
  return input.size(1);
}
inline void set_like_image(MetaOut& out, const Tensor& input) {
  out.set(input.sizes(), input.dtype());
  if (input.is_channels_last() && !input.is_contiguous()) out.format(TN_CHANNELS_LAST);
}
// The first dimension of the normalised ones. Error: they are not the last ones of the input.
inline int64_t normalized_axis(const Tensor& input, Ints shape) {
  const int64_t axis = input.dim() - static_cast<int64_t>(shape.size());
  if (shape.empty() || axis < 0 || Ints(input.sizes().data() + axis, shape.size()) != shape)
    fail(TN_INVALID_ARGUMENT,
         "normalized_shape must be the last sizes of the input, got %zu sizes for %s", shape.size(),
         input.describe().c_str());
  return axis;
}
inline std::vector<dim> row_sizes(const Tensor& input, int64_t axis) {
  std::vector<dim> sizes = input.sizes().vector();
  for (size_t i = static_cast<size_t>(axis); i < sizes.size(); ++i) sizes[i] = 1;
  return sizes;
}
// [C] as [1, C, 1, ...], to meet an input of `rank`.
template <class T>
T per_channel(const T& t, int64_t rank) {
  std::vector<int64_t> sizes(static_cast<size_t>(rank), 1);
  sizes[1] = t.numel();
  return reshape(t, sizes);
}
inline std::vector<int64_t> dims_but_channel(int64_t rank) {
  std::vector<int64_t> dims;
  for (int64_t d = 0; d < rank; ++d)
    if (d != 1) dims.push_back(d);
  return dims;
}
inline std::vector<int64_t> dims_between(int64_t first, int64_t end) {
  std::vector<int64_t> dims;
  for (int64_t d = first; d < end; ++d) dims.push_back(d);
  return dims;
}
template <class T>
T mean_over(const T& t, Ints dims) {
  return mean(t, dims, true);
}

}  // namespace norm_detail

struct NativeBatchNormBackward : structured {
  static constexpr auto schema =
      "native_batch_norm_backward(Tensor grad_out, Tensor input, Tensor? weight, Tensor? "
      "running_mean, Tensor? "
      "running_var, Tensor? save_mean, Tensor? save_invstd, bool train, float eps, bool[3] "
      "output_mask) -> (Tensor, "
      "Tensor, Tensor)";
  static constexpr auto doc =
      "The gradients of native_batch_norm's input, weight and bias, where output_mask asks.";
  static constexpr uint32_t flags = TN_OP_NO_OUT;
  // No formulas: where a gradient is to be differentiated again, `decompose` is recorded instead.
  static constexpr auto gradients = std::make_tuple();
  static void infer(const Tensor& grad_out, const Tensor& input, const Tensor& weight,
                    const Tensor& running_mean, const Tensor& running_var, const Tensor& save_mean,
                    const Tensor& save_invstd, bool train, double, Bools mask, MetaOut grad_input,
                    MetaOut grad_weight, MetaOut grad_bias) {
    norm_detail::expect_float(input);
    const int64_t channels = norm_detail::channels(input);
    if (grad_out.sizes() != input.sizes() || grad_out.dtype() != input.dtype())
      fail(TN_INVALID_ARGUMENT, "grad_out must have the input's sizes and dtype, got %s and %s",
           grad_out.describe().c_str(), input.describe().c_str());
    norm_detail::expect_parameter("weight", weight, {channels}, input);
    const Tensor &center = train ? save_mean : running_mean,
                 &spread = train ? save_invstd : running_var;
    if (!center.defined() || !spread.defined())
      fail(TN_INVALID_ARGUMENT, "%s are needed %s training",
           train ? "save_mean and save_invstd" : "running_mean and running_var",
           train ? "in" : "outside");
    norm_detail::expect_parameter(train ? "save_mean" : "running_mean", center, {channels}, input);
    norm_detail::expect_parameter(train ? "save_invstd" : "running_var", spread, {channels}, input);
    const DType parameter = weight.defined() ? weight.dtype() : input.dtype();
    if (mask[0])
      norm_detail::set_like_image(grad_input, input);
    else
      grad_input.none();
    if (mask[1])
      grad_weight.set({channels}, parameter);
    else
      grad_weight.none();
    if (mask[2])
      grad_bias.set({channels}, parameter);
    else
      grad_bias.none();
  }
  // Recomputes the statistics from the input, so that it can be differentiated.
  template <class T>
  static std::tuple<T, T, T> decompose(const T& grad_out, const T& input, const T& weight,
                                       const T& running_mean, const T& running_var, const T&,
                                       const T&, bool train, double eps, Bools mask) {
    const int64_t rank = input.dim();
    const auto dims = norm_detail::dims_but_channel(rank);
    const T center =
        train ? norm_detail::mean_over(input, dims) : norm_detail::per_channel(running_mean, rank);
    const T apart = input - center;
    const T variance = train ? norm_detail::mean_over(T(apart * apart), dims)
                             : norm_detail::per_channel(running_var, rank);
    const T invstd = rsqrt(variance + eps);
    const T x = apart * invstd;
    T d_input, d_weight, d_bias;
    if (mask[0]) {
      const T scaled =
          weight.defined() ? T(grad_out * norm_detail::per_channel(weight, rank)) : grad_out;
      d_input = train ? T((scaled - norm_detail::mean_over(scaled, dims) -
                           x * norm_detail::mean_over(T(scaled * x), dims)) *
                          invstd)
                      : T(scaled * invstd);
    }
    if (mask[1]) d_weight = sum(grad_out * x, dims, false);
    if (mask[2]) d_bias = sum(grad_out, dims, false);
    return {d_input, d_weight, d_bias};
  }
};

struct NativeBatchNorm : structured {
  static constexpr auto schema =
      "native_batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, "
      "Tensor? running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)";
  static constexpr auto doc =
      "Normalises each channel, by the batch's statistics in training, else by the running ones. "
      "In training the running "
      "ones move towards the batch's by momentum, in place. Also returns the batch's means and "
      "reciprocal deviations, "
      "empty outside training.";
  static constexpr uint32_t flags = TN_OP_SIDE_EFFECT | TN_OP_NO_OUT;
  static void infer(const Tensor& input, const Tensor& weight, const Tensor& bias,
                    const Tensor& running_mean, const Tensor& running_var, bool training, double,
                    double, MetaOut out, MetaOut mean, MetaOut invstd) {
    norm_detail::expect_float(input);
    const int64_t channels = norm_detail::channels(input);
    norm_detail::expect_parameter("weight", weight, {channels}, input);
    norm_detail::expect_parameter("bias", bias, {channels}, input);
    norm_detail::expect_parameter("running_mean", running_mean, {channels}, input);
    norm_detail::expect_parameter("running_var", running_var, {channels}, input);
    if (running_mean.defined() != running_var.defined())
      fail(TN_INVALID_ARGUMENT, "running_mean and running_var must be given together");
    if (!training && !running_mean.defined())
      fail(TN_INVALID_ARGUMENT, "running_mean and running_var are needed outside training");
    for (const Tensor* t : {&running_mean, &running_var})
      if (training && t->defined() && channels > 1 && t->stride(0) == 0)
        fail(TN_RUNTIME_ERROR,
             "in training the running statistics are written, and elements of %s share memory; "
             "clone it first",
             t->describe().c_str());
    if (training && channels > 0 && input.numel() == 0)
      fail(TN_INVALID_ARGUMENT, "training needs at least one value per channel, got %s",
           input.describe().c_str());
    norm_detail::set_like_image(out, input);
    mean.set({training ? channels : 0}, norm_detail::statistics_dtype(input));
    invstd.set({training ? channels : 0}, norm_detail::statistics_dtype(input));
  }
  static constexpr auto gradients = std::make_tuple(gradient<0, 1, 2>(
      reads<arg<0>, arg<1>, arg<3>, arg<4>, ret<1>, ret<2>, flag<5>, real<7>, needed>,
      [](auto g, auto input, auto weight, auto running_mean, auto running_var, auto mean,
         auto invstd, bool training, double eps, uint64_t wanted) {
        const bool mask[3] = {(wanted & 1) != 0, (wanted & 2) != 0, (wanted & 4) != 0};
        if (is_recording())
          return NativeBatchNormBackward::decompose(g, input, weight, running_mean, running_var,
                                                    mean, invstd, training, eps, Bools(mask, 3));
        return native_batch_norm_backward(g, input, weight, running_mean, running_var, mean, invstd,
                                          training, eps, Bools(mask, 3));
      }));
};

struct BatchNorm : composite {
  static constexpr auto schema =
      "batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? "
      "running_var, bool training, "
      "float momentum, float eps, bool cudnn_enabled) -> Tensor";
  static constexpr auto doc = "native_batch_norm's first result.";
  static constexpr uint32_t flags = TN_OP_SIDE_EFFECT | TN_OP_NO_OUT;
  template <class T>
  static T decompose(const T& input, const T& weight, const T& bias, const T& running_mean,
                     const T& running_var, bool training, double momentum, double eps, bool) {
    return std::get<0>(
        native_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps));
  }
};

struct NativeLayerNormBackward : structured {
  static constexpr auto schema =
      "native_layer_norm_backward(Tensor grad_out, Tensor input, int[] normalized_shape, Tensor "
      "mean, Tensor rstd, "
      "Tensor? weight, Tensor? bias, bool[3] output_mask) -> (Tensor, Tensor, Tensor)";
  static constexpr auto doc =
      "The gradients of native_layer_norm's input, weight and bias, where output_mask asks.";
  // No formulas: where a gradient is to be differentiated again, `decompose` is recorded instead.
  static constexpr auto gradients = std::make_tuple();
  static void infer(const Tensor& grad_out, const Tensor& input, Ints normalized_shape,
                    const Tensor& mean, const Tensor& rstd, const Tensor& weight,
                    const Tensor& bias, Bools mask, MetaOut grad_input, MetaOut grad_weight,
                    MetaOut grad_bias) {
    norm_detail::expect_float(input);
    const int64_t axis = norm_detail::normalized_axis(input, normalized_shape);
    if (grad_out.sizes() != input.sizes() || grad_out.dtype() != input.dtype())
      fail(TN_INVALID_ARGUMENT, "grad_out must have the input's sizes and dtype, got %s and %s",
           grad_out.describe().c_str(), input.describe().c_str());
    norm_detail::expect_parameter("weight", weight, normalized_shape, input);
    norm_detail::expect_parameter("bias", bias, normalized_shape, input);
    for (const Tensor* t : {&mean, &rstd})
      if (t->sizes() != Ints(norm_detail::row_sizes(input, axis)) ||
          t->dtype() != norm_detail::statistics_dtype(input))
        fail(TN_INVALID_ARGUMENT,
             "mean and rstd must be what native_layer_norm returned, got %s for %s",
             t->describe().c_str(), input.describe().c_str());
    if (mask[0])
      grad_input.set(input.sizes(), input.dtype());
    else
      grad_input.none();
    if (mask[1])
      grad_weight.set(normalized_shape, weight.defined() ? weight.dtype() : input.dtype());
    else
      grad_weight.none();
    if (mask[2])
      grad_bias.set(normalized_shape, bias.defined() ? bias.dtype() : input.dtype());
    else
      grad_bias.none();
  }
  // Recomputes the statistics from the input, so that it can be differentiated.
  template <class T>
  static std::tuple<T, T, T> decompose(const T& grad_out, const T& input, Ints normalized_shape,
                                       const T&, const T& rstd, const T& weight, const T&,
                                       Bools mask) {
    const int64_t axis = norm_detail::normalized_axis(input, normalized_shape);
    const auto rows = norm_detail::dims_between(axis, input.dim());
    const T apart = input - norm_detail::mean_over(input, rows);
    // eps is not an argument; it follows from rstd, which is 1 / sqrt(variance + eps).
    const T variance = norm_detail::mean_over(T(apart * apart), rows);
    const T eps = detach(reciprocal(rstd * rstd) - variance);
    const T scale = rsqrt(variance + eps);
    const T x = apart * scale;
    T d_input, d_weight, d_bias;
    if (mask[0]) {
      const T scaled = weight.defined() ? T(grad_out * weight) : grad_out;
      d_input = (scaled - norm_detail::mean_over(scaled, rows) -
                 x * norm_detail::mean_over(T(scaled * x), rows)) *
                scale;
    }
    const auto batch = norm_detail::dims_between(0, axis);
    if (mask[1]) d_weight = batch.empty() ? T(grad_out * x) : T(sum(grad_out * x, batch, false));
    if (mask[2]) d_bias = batch.empty() ? grad_out : T(sum(grad_out, batch, false));
    return {d_input, d_weight, d_bias};
  }
};

struct NativeLayerNorm : structured {
  static constexpr auto schema =
      "native_layer_norm(Tensor input, int[] normalized_shape, Tensor? weight, Tensor? bias, float "
      "eps) -> (Tensor, "
      "Tensor, Tensor)";
  static constexpr auto doc =
      "Normalises over the last dimensions, whose sizes are normalized_shape. Also returns the "
      "means and reciprocal "
      "deviations.";
  static void infer(const Tensor& input, Ints normalized_shape, const Tensor& weight,
                    const Tensor& bias, double, MetaOut out, MetaOut mean, MetaOut rstd) {
    norm_detail::expect_float(input);
    const int64_t axis = norm_detail::normalized_axis(input, normalized_shape);
    norm_detail::expect_parameter("weight", weight, normalized_shape, input);
    norm_detail::expect_parameter("bias", bias, normalized_shape, input);
    out.set(input.sizes(), input.dtype());
    mean.set(norm_detail::row_sizes(input, axis), norm_detail::statistics_dtype(input));
    rstd.set(norm_detail::row_sizes(input, axis), norm_detail::statistics_dtype(input));
  }
  static constexpr auto gradients = std::make_tuple(gradient<0, 2, 3>(
      reads<arg<0>, arg<2>, arg<3>, ret<1>, ret<2>, ints<1>, needed>,
      [](auto g, auto input, auto weight, auto bias, auto mean, auto rstd, Ints shape,
         uint64_t wanted) {
        const bool mask[3] = {(wanted & 1) != 0, (wanted & 4) != 0, (wanted & 8) != 0};
        if (is_recording())
          return NativeLayerNormBackward::decompose(g, input, shape, mean, rstd, weight, bias,
                                                    Bools(mask, 3));
        return native_layer_norm_backward(g, input, shape, mean, rstd, weight, bias,
                                          Bools(mask, 3));
      }));
};

struct LayerNorm : composite {
  static constexpr auto schema =
      "layer_norm(Tensor input, int[] normalized_shape, Tensor? weight=None, Tensor? bias=None, "
      "float eps=1e-05, bool "
      "cudnn_enable=True) -> Tensor";
  static constexpr auto doc = "native_layer_norm's first result.";
  template <class T>
  static T decompose(const T& input, Ints normalized_shape, const T& weight, const T& bias,
                     double eps, bool) {
    return std::get<0>(native_layer_norm(input, normalized_shape, weight, bias, eps));
  }
};

struct GroupNorm : composite {
  static constexpr auto schema =
      "group_norm(Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None, float "
      "eps=1e-05, bool "
      "cudnn_enabled=True) -> Tensor";
  static constexpr auto doc =
      "Normalises each group of channels of each image, then scales and shifts by channel.";
  template <class T>
  static T decompose(const T& input, int64_t num_groups, const T& weight, const T& bias, double eps,
                     bool) {
    const int64_t channels = norm_detail::channels(input);
    if (num_groups < 1 || channels % num_groups)
      fail(TN_INVALID_ARGUMENT, "num_groups must divide the channels, got %lld for %s",
           static_cast<long long>(num_groups), input.describe().c_str());
    if (input.numel() == 0) return input * 1.0;
    const int64_t rows = input.size(0) * num_groups, width = input.numel() / rows;
    const T flat = reshape(input, Ints{rows, width});
    T out = reshape(std::get<0>(native_layer_norm(flat, Ints(&width, 1), T(), T(), eps)),
                    input.sizes());
    if (weight.defined()) out = out * norm_detail::per_channel(weight, input.dim());
    if (bias.defined()) out = out + norm_detail::per_channel(bias, input.dim());
    return out;
  }
};

struct RmsNorm : composite {
  static constexpr auto schema =
      "rms_norm(Tensor input, int[] normalized_shape, Tensor? weight=None, float? eps=None) -> "
      "Tensor";
  static constexpr auto doc =
      "Divides by the root of the mean square over the last dimensions, then scales. eps is by "
      "default the machine "
      "epsilon of the input's dtype.";
  template <class T>
  static T decompose(const T& input, Ints normalized_shape, const T& weight,
                     std::optional<double> eps) {
    norm_detail::expect_float(input);
    const auto rows = norm_detail::dims_between(
        norm_detail::normalized_axis(input, normalized_shape), input.dim());
    const T x = input.to(norm_detail::statistics_dtype(input));
    const double epsilon = input.dtype() == TN_F64    ? 0x1p-52
                           : input.dtype() == TN_F16  ? 0x1p-10
                           : input.dtype() == TN_BF16 ? 0x1p-7
                                                      : 0x1p-23;
    const T scaled = x * rsqrt(norm_detail::mean_over(T(x * x), rows) + eps.value_or(epsilon));
    const T out = scaled.to(input.dtype());
    return weight.defined() ? T(out * weight) : out;
  }
};

using norm_ops = list<NativeBatchNorm, NativeBatchNormBackward, BatchNorm, NativeLayerNorm,
                      NativeLayerNormBackward, LayerNorm, GroupNorm, RmsNorm>;

}  // namespace tn::ops
