// activation.h - the non-linear functions of neural networks.
//
// Backward forms exist where one pass over memory beats a formula of several operators, and under
// the names that PyTorch's operator set has for them; they are differentiable themselves.
#pragma once

#include <tenon/ops/pointwise.h>

namespace tn::ops {

struct Relu : unary_real {
  static constexpr auto schema = "relu(Tensor self) -> Tensor";
  static constexpr auto doc = "max(x, 0); NaN stays.";
  static constexpr bool streams = true;
  template <class V>
  static constexpr V value(V x) {
    return maximum(x, V(0));
  }
  static constexpr auto gradients = std::make_tuple(gradient<0>(
      reads<ret<0>>, [](auto g, auto result) { return threshold_backward(g, result, 0); }));
};
struct Threshold : unary_real {
  static constexpr auto schema = "threshold(Tensor self, Scalar threshold, Scalar value) -> Tensor";
  static constexpr auto doc = "x where it is above the threshold, else `value`.";
  template <class V>
  static constexpr V value(V x, V threshold, V other) {
    return select(x <= threshold, other, x);
  }
  static constexpr auto gradients = std::make_tuple(gradient<0>(
      reads<arg<0>, number<1>>,
      [](auto g, auto self, Scalar threshold) { return threshold_backward(g, self, threshold); }));
};
struct ThresholdBackward : pointwise {
  static constexpr auto schema =
      "threshold_backward(Tensor grad_output, Tensor self, Scalar threshold) -> Tensor";
  static constexpr auto doc = "grad_output where self is above the threshold, else 0.";
  static constexpr auto promotion = TN_PROMOTE_COMMON;
  static constexpr auto dtypes = reals;
  static constexpr uint32_t flags = 0;
  template <class V>
  static constexpr V value(V g, V x, V threshold) {
    return select(x <= threshold, V(0), g);
  }
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<arg<1>, number<2>>,
                                  [](auto g, auto self, Scalar threshold) {
                                    return threshold_backward(g, self, threshold);
                                  }),
                      gradient<1>(reads<>, detail::zero_gradient));
};

struct activation : pointwise {
  static constexpr auto promotion = TN_PROMOTE_COMMON;
  static constexpr auto dtypes = floats;
};
struct activation_backward : activation {
  static constexpr uint32_t flags = 0;
};

struct LeakyRelu : activation {
  static constexpr auto schema = "leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor";
  static constexpr auto doc = "x where it is positive, else negative_slope * x.";
  template <class V>
  static constexpr V value(V x, V slope) {
    return select(x > V(0), x, x * slope);
  }
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<arg<0>, number<1>>, [](auto g, auto self, Scalar slope) {
        return where(gt(self, 0), g, g * slope);
      }));
};
struct Elu : activation {
  static constexpr auto schema =
      "elu(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor";
  static constexpr auto doc =
      "scale * x for positive x, else scale * alpha * (exp(input_scale * x) - 1): Clevert et al., "
      "2015. "
      "selu is this with its two constants.";
  template <class V>
  static constexpr V value(V x, V alpha, V scale, V input_scale) {
    return select(x > V(0), x * scale, expm1(x * input_scale) * (alpha * scale));
  }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<arg<0>, number<1>, number<2>, number<3>>,
                  [](auto g, auto self, Scalar alpha, Scalar scale, Scalar input_scale) {
                    // Limited to where the exponential is used, so that its overflow elsewhere
                    // makes no NaN later.
                    auto decay = exp(minimum(self * input_scale, 0));
                    return where(gt(self, 0), g * scale,
                                 g * decay * (alpha.real() * scale.real() * input_scale.real()));
                  }));
};
struct Softplus : activation {
  static constexpr auto schema =
      "softplus(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor";
  static constexpr auto doc =
      "log(1 + exp(beta x)) / beta; x itself where beta x is above the threshold.";
  template <class V>
  static constexpr V value(V x, V beta, V threshold) {
    const V scaled = x * beta;
    return select(scaled > threshold, x, log1p(exp(scaled)) / beta);
  }
  static constexpr auto gradients = std::make_tuple(gradient<0>(
      reads<arg<0>, number<1>, number<2>>, [](auto g, auto self, Scalar beta, Scalar threshold) {
        auto scaled = self * beta;
        return where(gt(scaled, threshold), g, g * sigmoid(scaled));
      }));
};
struct Hardtanh : unary_real {
  static constexpr auto schema =
      "hardtanh(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> Tensor";
  static constexpr auto doc = "Limits each element to [min_val, max_val].";
  static void check(DType compute, const tn_value* args) {
    detail::reject_float_factor("min_val", compute, args[1]);
    detail::reject_float_factor("max_val", compute, args[2]);
    detail::reject_negative_limit("min_val", compute, args[1]);
    detail::reject_negative_limit("max_val", compute, args[2]);
  }
  template <class V>
  static constexpr V value(V x, V low, V high) {
    return minimum(maximum(x, low), high);
  }
  static constexpr auto gradients = std::make_tuple(gradient<0>(
      reads<arg<0>, number<1>, number<2>>, [](auto g, auto self, Scalar low, Scalar high) {
        return masked_fill(g, logical_or(le(self, low), ge(self, high)), 0);
      }));
};
struct Relu6 : composite {
  static constexpr auto schema = "relu6(Tensor self) -> Tensor";
  static constexpr auto doc = "min(max(x, 0), 6).";
  template <class T>
  static T decompose(const T& self) {
    return hardtanh(self, 0, 6);
  }
};

struct SigmoidBackward : activation_backward {
  static constexpr auto schema = "sigmoid_backward(Tensor grad_output, Tensor output) -> Tensor";
  static constexpr auto doc = "grad_output * output * (1 - output).";
  template <class V>
  static constexpr V value(V g, V y) {
    return g * (y * (V(1) - y));
  }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<arg<1>>, [](auto g, auto y) { return sigmoid_backward(g, y); }),
      gradient<1>(reads<arg<0>, arg<1>>,
                  [](auto g, auto grad_output, auto y) { return g * grad_output * (1 - y * 2); }));
};
struct TanhBackward : activation_backward {
  static constexpr auto schema = "tanh_backward(Tensor grad_output, Tensor output) -> Tensor";
  static constexpr auto doc = "grad_output * (1 - output^2).";
  template <class V>
  static constexpr V value(V g, V y) {
    return g * (V(1) - y * y);
  }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<arg<1>>, [](auto g, auto y) { return tanh_backward(g, y); }),
      gradient<1>(reads<arg<0>, arg<1>>,
                  [](auto g, auto grad_output, auto y) { return g * grad_output * y * -2; }));
};

struct Silu : activation {
  static constexpr auto schema = "silu(Tensor self) -> Tensor";
  static constexpr auto doc = "x * sigmoid(x).";
  template <class V>
  static constexpr V value(V x) {
    return x * sigmoid(x);
  }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<arg<0>>, [](auto g, auto self) { return silu_backward(g, self); }));
};
struct SiluBackward : activation_backward {
  static constexpr auto schema = "silu_backward(Tensor grad_output, Tensor self) -> Tensor";
  static constexpr auto doc = "grad_output * s * (1 + x (1 - s)) with s = sigmoid(x).";
  template <class V>
  static constexpr V value(V g, V x) {
    const V s = sigmoid(x);
    return g * s * (V(1) + x * (V(1) - s));
  }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<arg<1>>, [](auto g, auto self) { return silu_backward(g, self); }),
      gradient<1>(reads<arg<0>, arg<1>>, [](auto g, auto grad_output, auto x) {
        auto s = sigmoid(x);
        return g * grad_output * (s * (1 - s) * (x * (1 - s * 2) + 2));
      }));
};

// Misra, 2019.
struct Mish : activation {
  static constexpr auto schema = "mish(Tensor self) -> Tensor";
  static constexpr auto doc = "x * tanh(log(1 + exp(x))).";
  template <class V>
  static constexpr V value(V x) {
    return x * tanh(log1p(exp(x)));
  }
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<arg<0>>, [](auto g, auto self) {
        auto t = tanh(softplus(self));
        return g * (t + self * sigmoid(self) * (1 - t * t));
      }));
};

// ---- gelu: Hendrycks and Gimpel, 2016 -----------------------------------------------------------

namespace detail {

inline constexpr double sqrt_half = 0.70710678118654752440;
inline constexpr double sqrt_2_over_pi = 0.79788456080286535588;
inline constexpr double gelu_cubic = 0.044715;

// The second derivative of gelu.
template <class T>
T gelu_curvature(const T& x, std::string_view approximate) {
  if (approximate != "tanh")
    return exp(square(x) * -0.5) * (2 - square(x)) * (0.5 * sqrt_2_over_pi);
  auto t = tanh((x + square(x) * x * gelu_cubic) * sqrt_2_over_pi);
  auto slope = (square(x) * (3 * gelu_cubic) + 1) * sqrt_2_over_pi;
  auto bend = square(x) * (3 * gelu_cubic * sqrt_2_over_pi);  // x / 2 times the slope's derivative
  return (1 - square(t)) * (slope + bend - x * t * square(slope));
}

}  // namespace detail

struct Gelu : activation {
  static constexpr auto schema = "gelu(Tensor self, *, str approximate='none') -> Tensor";
  static constexpr auto doc =
      "x times the normal distribution's cumulative function; approximate='tanh' replaces that by "
      "(1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2.";
  static constexpr std::array modes = {"none", "tanh"};
  template <int mode, class V>
  static constexpr V value(V x) {
    if constexpr (mode == 0) return x * V(0.5) * (V(1) + erf(x * V(detail::sqrt_half)));
    // (1 + tanh(u)) / 2 is sigmoid(2u).
    else
      return x * sigmoid(V(2 * detail::sqrt_2_over_pi) * (x + V(detail::gelu_cubic) * x * x * x));
  }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<arg<0>, text<1>>, [](auto g, auto self, const char* approximate) {
        return gelu_backward(g, self, approximate);
      }));
};
struct GeluBackward : activation_backward {
  static constexpr auto schema =
      "gelu_backward(Tensor grad_output, Tensor self, *, str approximate='none') -> Tensor";
  static constexpr auto doc = "grad_output times the derivative of gelu at self.";
  static constexpr std::array modes = {"none", "tanh"};
  template <int mode, class V>
  static constexpr V value(V g, V x) {
    if constexpr (mode == 0) {
      const V cumulative = V(0.5) * (V(1) + erf(x * V(detail::sqrt_half)));
      return g * (cumulative + x * exp(V(-0.5) * x * x) * V(0.5 * detail::sqrt_2_over_pi));
    } else {
      const V square = x * x;
      const V s = sigmoid(V(2 * detail::sqrt_2_over_pi) * (x + V(detail::gelu_cubic) * square * x));
      const V slope = V(2 * detail::sqrt_2_over_pi) * (V(1) + V(3 * detail::gelu_cubic) * square);
      return g * (s + x * s * (V(1) - s) * slope);
    }
  }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<arg<1>, text<2>>,
                  [](auto g, auto self, const char* approximate) {
                    return gelu_backward(g, self, approximate);
                  }),
      gradient<1>(reads<arg<0>, arg<1>, text<2>>,
                  [](auto g, auto grad_output, auto self, const char* approximate) {
                    return g * grad_output * detail::gelu_curvature(self, approximate);
                  }));
};

using activation_ops =
    list<Relu, Threshold, ThresholdBackward, LeakyRelu, Elu, Softplus, Hardtanh, SigmoidBackward,
         TanhBackward, Silu, SiluBackward, Mish, Gelu, GeluBackward>;
// Decompositions: declared by plugins/ops, without kernels.
using activation_decompositions = list<Relu6>;

}  // namespace tn::ops
