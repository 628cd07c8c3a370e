// exponential.h - roots, exponentials and logarithms of one tensor.
#pragma once

#include <tenon/ops/pointwise.h>

namespace tn::ops {

struct Sqrt : complex_function {
  static constexpr auto schema = "sqrt(Tensor self) -> Tensor";
  static constexpr auto doc = "Square root; NaN for negative real numbers.";
  static constexpr bool streams = true;
  template <class V>
  static constexpr V value(V x) {
    return sqrt(x);
  }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<ret<0>>, [](auto g, auto result) { return g / (result * 2); }));
};
struct Rsqrt : complex_function {
  static constexpr auto schema = "rsqrt(Tensor self) -> Tensor";
  static constexpr auto doc = "One divided by the square root.";
  template <class V>
  static constexpr V value(V x) {
    return rsqrt(x);
  }
  static constexpr auto gradients = std::make_tuple(gradient<0>(
      reads<ret<0>>, [](auto g, auto result) { return g * (result * result * result) * -0.5; }));
};

struct Exp : complex_function {
  static constexpr auto schema = "exp(Tensor self) -> Tensor";
  static constexpr auto doc = "e to the power of each element.";
  static constexpr bool streams = true;
  template <class V>
  static constexpr V value(V x) {
    return exp(x);
  }
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<ret<0>>, [](auto g, auto result) { return g * result; }));
};
struct Exp2 : complex_function {
  static constexpr auto schema = "exp2(Tensor self) -> Tensor";
  static constexpr auto doc = "2 to the power of each element.";
  template <class V>
  static constexpr V value(V x) {
    return exp2(x);
  }
  static constexpr auto gradients = std::make_tuple(gradient<0>(
      reads<ret<0>>, [](auto g, auto result) { return g * result * 0.69314718055994530942; }));
};
struct Expm1 : complex_function {
  static constexpr auto schema = "expm1(Tensor self) -> Tensor";
  static constexpr auto doc = "exp(x) - 1, accurate near zero.";
  template <class V>
  static constexpr V value(V x) {
    return expm1(x);
  }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<ret<0>>, [](auto g, auto result) { return g * (result + 1); }));
};
struct Log : complex_function {
  static constexpr auto schema = "log(Tensor self) -> Tensor";
  static constexpr auto doc = "Natural logarithm.";
  template <class V>
  static constexpr V value(V x) {
    return log(x);
  }
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<arg<0>>, [](auto g, auto self) { return g / self; }));
};
struct Log10 : complex_function {
  static constexpr auto schema = "log10(Tensor self) -> Tensor";
  static constexpr auto doc = "Logarithm to base 10.";
  template <class V>
  static constexpr V value(V x) {
    return log10(x);
  }
  static constexpr auto gradients = std::make_tuple(gradient<0>(
      reads<arg<0>>, [](auto g, auto self) { return g / (self * 2.30258509299404568402); }));
};
struct Log1p : complex_function {
  static constexpr auto schema = "log1p(Tensor self) -> Tensor";
  static constexpr auto doc = "log(1 + x), accurate near zero.";
  template <class V>
  static constexpr V value(V x) {
    return log1p(x);
  }
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<arg<0>>, [](auto g, auto self) { return g / (self + 1); }));
};
struct Log2 : complex_function {
  static constexpr auto schema = "log2(Tensor self) -> Tensor";
  static constexpr auto doc = "Logarithm to base 2.";
  template <class V>
  static constexpr V value(V x) {
    return log2(x);
  }
  static constexpr auto gradients = std::make_tuple(gradient<0>(
      reads<arg<0>>, [](auto g, auto self) { return g / (self * 0.69314718055994530942); }));
};
struct Sigmoid : complex_function {
  static constexpr auto schema = "sigmoid(Tensor self) -> Tensor";
  static constexpr auto doc = "1 / (1 + exp(-x)).";
  template <class V>
  static constexpr V value(V x) {
    return sigmoid(x);
  }
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<ret<0>>, [](auto g, auto result) {
        if (is_complex(result.dtype())) return g * (result * (1 - result));
        return sigmoid_backward(g, result);
      }));
};

using exponential_ops = list<Sqrt, Rsqrt, Exp, Exp2, Expm1, Log, Log10, Log1p, Log2, Sigmoid>;

}  // namespace tn::ops
