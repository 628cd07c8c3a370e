// Batch normalisation and its gradient. Mean and variance are made in two passes, so that a large
// mean costs no digits.
#include <cmath>

#include "float_types.h"
#include "kernels.h"
#include "norm_rows.h"
#include "tenon/ops/norm.h"
#include "tenon/sdk/entry.h"

namespace tn::cpu {
namespace {

// Per channel: the mean, and the factor 1 / sqrt(variance + eps).
template <class T>
struct Statistics {
  T *mean, *invstd;
};

// Of the batch; moves the running ones towards them.
template <class E>
void batch_statistics(const Frame& frame, const ChannelWalk& walk, const E* x,
                      const Tensor& running_mean, const Tensor& running_var, double momentum,
                      double eps, Statistics<Sum<E>> to) {
  using T = Sum<E>;
  double* const total = frame.scratch<double>(static_cast<size_t>(walk.channels));
  const T* const old_mean = read_parameter<E>(frame, running_mean, walk.channels, T(0));
  const T* const old_var = read_parameter<E>(frame, running_var, walk.channels, T(0));
  const double count = static_cast<double>(walk.per_channel());
  walk.split([&](int64_t first, int64_t end) {
    walk.sums<T>(first, end, total,
                 [&](int64_t at, auto lanes, auto) { return get<T>(x + at, lanes); });
    for (int64_t c = first; c < end; ++c) to.mean[c] = static_cast<T>(total[c] / count);
    walk.sums<T>(first, end, total, [&](int64_t at, auto lanes, auto channel) {
      const Vec<T> apart = only(get<T>(x + at, lanes) - channel.of(to.mean, lanes), T(0), lanes);
      return apart * apart;
    });
    for (int64_t c = first; c < end; ++c) {
      const double variance = total[c] / count;
      to.invstd[c] = static_cast<T>(1 / std::sqrt(variance + eps));
      if (!running_mean.defined()) continue;
      // The running variance is the unbiased one.
      const double unbiased = count > 1 ? total[c] / (count - 1) : variance;
      write_parameter<E>(running_mean, c,
                         static_cast<T>((1 - momentum) * static_cast<double>(old_mean[c]) +
                                        momentum * static_cast<double>(to.mean[c])));
      write_parameter<E>(
          running_var, c,
          static_cast<T>((1 - momentum) * static_cast<double>(old_var[c]) + momentum * unbiased));
    }
  });
}

template <class E>
Statistics<Sum<E>> running_statistics(const Frame& frame, int64_t channels, const Tensor& mean,
                                      const Tensor& var, double eps) {
  using T = Sum<E>;
  const Statistics<T> s{frame.scratch<T>(static_cast<size_t>(channels)),
                        frame.scratch<T>(static_cast<size_t>(channels))};
  const T *const means = read_parameter<E>(frame, mean, channels, T(0)), *const vars =
                                                                             read_parameter<E>(
                                                                                 frame, var,
                                                                                 channels, T(0));
  for (int64_t c = 0; c < channels; ++c) {
    s.mean[c] = means[c];
    s.invstd[c] = static_cast<T>(1 / std::sqrt(static_cast<double>(vars[c]) + eps));
  }
  return s;
}

void native_batch_norm(const Tensor& input, const Tensor& weight, const Tensor& bias,
                       const Tensor& running_mean, const Tensor& running_var, bool training,
                       double momentum, double eps, Frame& frame, Out out, Out save_mean,
                       Out save_invstd) {
  with_float(input.dtype(), [&](auto e) {
    using E = decltype(e);
    using T = Sum<E>;
    const int64_t channels = input.size(1);
    const Tensor& y = *out;
    const ChannelWalk walk(y);
    const Tensor x = in_format(input, walk.format());
    Statistics<T> s;
    if (training) {
      s = {save_mean->data<T>(), save_invstd->data<T>()};
      batch_statistics<E>(frame, walk, x.data<E>(), running_mean, running_var, momentum, eps, s);
    } else {
      s = running_statistics<E>(frame, channels, running_mean, running_var, eps);
    }
    // y = x * scale + shift
    const T *const w = read_parameter<E>(frame, weight, channels, T(1)), *const b =
                                                                             read_parameter<E>(
                                                                                 frame, bias,
                                                                                 channels, T(0));
    T *const scale = frame.scratch<T>(static_cast<size_t>(channels)), *const shift =
                                                                          frame.scratch<T>(
                                                                              static_cast<size_t>(
                                                                                  channels));
    for (int64_t c = 0; c < channels; ++c) {
      scale[c] = s.invstd[c] * w[c];
      shift[c] = b[c] - s.mean[c] * scale[c];
    }
    walk.split([&](int64_t first, int64_t end) {
      walk.elements<T>(first, end, [&](int64_t at, auto lanes, auto channel) {
        put(fma(get<T>(x.data<E>() + at, lanes), channel.of(scale, lanes),
                channel.of(shift, lanes)),
            y.data<E>() + at, lanes);
      });
    });
  });
}

void native_batch_norm_backward(const Tensor& grad_out, const Tensor& input, const Tensor& weight,
                                const Tensor& running_mean, const Tensor& running_var,
                                const Tensor& save_mean, const Tensor& save_invstd, bool train,
                                double eps, Bools, Frame& frame, Out grad_input, Out grad_weight,
                                Out grad_bias) {
  with_float(input.dtype(), [&](auto e) {
    using E = decltype(e);
    using T = Sum<E>;
    const int64_t channels = input.size(1);
    const ChannelWalk walk(grad_input.defined()       ? *grad_input
                           : input.is_channels_last() ? input
                                                      : in_format(input, TN_CONTIGUOUS));
    const Tensor x_tensor = in_format(input, walk.format()),
                 g_tensor = in_format(grad_out, walk.format());
    const E *const x = x_tensor.data<E>(), *const g = g_tensor.data<E>();
    const T *mean, *invstd;
    if (train) {
      mean = read_parameter<E>(frame, save_mean, channels, T(0));
      invstd = read_parameter<E>(frame, save_invstd, channels, T(0));
    } else {
      const auto s = running_statistics<E>(frame, channels, running_mean, running_var, eps);
      mean = s.mean;
      invstd = s.invstd;
    }
    const T* const w = read_parameter<E>(frame, weight, channels, T(1));
    const size_t n = static_cast<size_t>(channels);
    double *const sum_g = frame.scratch<double>(n), *const sum_gx = frame.scratch<double>(n);
    // d_input = g * scale - x * slope + shift
    T *const scale = frame.scratch<T>(n), *const slope = frame.scratch<T>(n),
             *const shift = frame.scratch<T>(n);
    const double count = static_cast<double>(walk.per_channel());
    walk.split([&](int64_t first, int64_t end) {
      walk.sums<T>(first, end, sum_g,
                   [&](int64_t at, auto lanes, auto) { return get<T>(g + at, lanes); });
      walk.sums<T>(first, end, sum_gx, [&](int64_t at, auto lanes, auto channel) {
        return get<T>(g + at, lanes) * (get<T>(x + at, lanes) - channel.of(mean, lanes));
      });
      for (int64_t c = first; c < end; ++c) {
        const double inv = static_cast<double>(invstd[c]);
        if (grad_bias.defined()) write_parameter<E>(*grad_bias, c, static_cast<T>(sum_g[c]));
        if (grad_weight.defined())
          write_parameter<E>(*grad_weight, c, static_cast<T>(sum_gx[c] * inv));
        const double factor = inv * static_cast<double>(w[c]);
        const double tilt = train ? factor * inv * inv * sum_gx[c] / count : 0;
        scale[c] = static_cast<T>(factor);
        slope[c] = static_cast<T>(tilt);
        shift[c] = static_cast<T>(train ? factor * sum_g[c] / count : 0);
      }
      if (!grad_input.defined()) return;
      E* const to = grad_input->data<E>();
      walk.elements<T>(first, end, [&](int64_t at, auto lanes, auto channel) {
        const Vec<T> apart = get<T>(x + at, lanes) - channel.of(mean, lanes);
        put(get<T>(g + at, lanes) * channel.of(scale, lanes) - apart * channel.of(slope, lanes) -
                channel.of(shift, lanes),
            to + at, lanes);
      });
    });
  });
}

}  // namespace

void register_batch_norm(tn_plugin* plugin) {
  tn_caps caps = TN_INIT(tn_caps);
  caps.flags = TN_CAP_DETERMINISTIC;
  caps.dtypes = kFloatDtypes;
  register_kernel<native_batch_norm>(plugin, "native_batch_norm", "cpu", caps);
  register_kernel<native_batch_norm_backward>(plugin, "native_batch_norm_backward", "cpu", caps);
}

}  // namespace tn::cpu
