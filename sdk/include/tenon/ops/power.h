// power.h - powers, angles and other floating-point functions of two tensors.
#pragma once

#include <tenon/ops/pointwise.h>

namespace tn::ops {

struct Pow : pointwise {
  static constexpr auto schema = "pow.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor";
  static constexpr auto doc = "self to the power of exponent; either may be a number.";
  static constexpr auto promotion = TN_PROMOTE_COMMON;
  static constexpr auto dtypes = numbers;
  static void check(DType compute, const tn_value* args) {
    if (args[1].tag == TN_TAG_INT && args[1].u.i < 0 && !is_floating(compute) &&
        !is_complex(compute))
      fail(TN_INVALID_ARGUMENT,
           "an integer tensor (%s) to the power of %lld: negative integer powers need a "
           "floating-point tensor",
           api->dtype_name(compute), static_cast<long long>(args[1].u.i));
  }
  template <class V>
  static constexpr V value(V a, V exponent) {
    if constexpr (is_complex_number<V>)
      return complex_power(a, exponent);
    else
      return pow(a, exponent);
  }
  static constexpr auto complex_gradient = holomorphic;
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<arg<0>, arg<1>>,
                  [](auto g, auto self, auto exponent) {
                    return g * masked_fill(exponent * pow(self, exponent - 1), eq(exponent, 0), 0);
                  }),
      gradient<1>(reads<arg<0>, arg<1>, ret<0>>, [](auto g, auto self, auto exponent, auto result) {
        return g * masked_fill(result * log(self),
                               logical_and(eq(self, 0), ge(detail::real_part(exponent), 0)), 0);
      }));
};
struct Atan2 : float_function {
  static constexpr auto schema = "atan2(Tensor self, Tensor other) -> Tensor";
  static constexpr auto doc = "Angle of the point (other, self), in (-pi, pi].";
  template <class V>
  static constexpr V value(V y, V x) {
    return atan2(y, x);
  }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<arg<0>, arg<1>>,
                  [](auto g, auto y, auto x) { return g * (x / (square(x) + square(y))); }),
      gradient<1>(reads<arg<0>, arg<1>>,
                  [](auto g, auto y, auto x) { return -g * (y / (square(x) + square(y))); }));
};

struct float_pair : pointwise {
  static constexpr auto promotion = TN_PROMOTE_COMMON;
  static constexpr auto dtypes = floats;
};
struct Hypot : float_pair {
  static constexpr auto schema = "hypot(Tensor self, Tensor other) -> Tensor";
  static constexpr auto doc = "sqrt(self^2 + other^2) without overflow.";
  template <class V>
  static constexpr V value(V a, V b) {
    return hypot(a, b);
  }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<arg<0>, ret<0>>,
                  [](auto g, auto self, auto result) { return g * (self / result); }),
      gradient<1>(reads<arg<1>, ret<0>>,
                  [](auto g, auto other, auto result) { return g * (other / result); }));
};
struct Logaddexp : float_pair {
  static constexpr auto schema = "logaddexp(Tensor self, Tensor other) -> Tensor";
  static constexpr auto doc = "log(exp(self) + exp(other)) without overflow.";
  static constexpr uint32_t flags = 0;
  template <class V>
  static constexpr V value(V a, V b) {
    return logaddexp(a, b);
  }
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<arg<0>, arg<1>>,
                                  [](auto g, auto a, auto b) { return g / (exp(b - a) + 1); }),
                      gradient<1>(reads<arg<0>, arg<1>>,
                                  [](auto g, auto a, auto b) { return g / (exp(a - b) + 1); }));
};
struct Logaddexp2 : float_pair {
  static constexpr auto schema = "logaddexp2(Tensor self, Tensor other) -> Tensor";
  static constexpr auto doc = "log2(2^self + 2^other) without overflow.";
  static constexpr uint32_t flags = 0;
  template <class V>
  static constexpr V value(V a, V b) {
    return logaddexp2(a, b);
  }
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<arg<0>, arg<1>>,
                                  [](auto g, auto a, auto b) { return g / (exp2(b - a) + 1); }),
                      gradient<1>(reads<arg<0>, arg<1>>,
                                  [](auto g, auto a, auto b) { return g / (exp2(a - b) + 1); }));
};
struct Xlogy : float_function {
  static constexpr auto schema = "xlogy.Tensor(Tensor self, Tensor other) -> Tensor";
  static constexpr auto doc = "self * log(other); 0 where self is 0, unless other is NaN.";
  template <class V>
  static constexpr V value(V a, V b) {
    return xlogy(a, b);
  }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<arg<0>, arg<1>>,
                  [](auto g, auto self, auto other) {
                    return g * masked_fill(log(other), logical_and(eq(self, 0), le(other, 0)), 0);
                  }),
      gradient<1>(reads<arg<0>, arg<1>>,
                  [](auto g, auto self, auto other) { return g * self / other; }));
};
struct Copysign : float_function {
  static constexpr auto schema = "copysign.Tensor(Tensor self, Tensor other) -> Tensor";
  static constexpr auto doc = "The magnitude of self with the sign of other.";
  template <class V>
  static constexpr V value(V a, V b) {
    return copysign(a, b);
  }
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<arg<0>, ret<0>>,
                                  [](auto g, auto self, auto result) {
                                    return g * masked_fill(result / self, eq(self, 0), 0);
                                  }),
                      gradient<1>(reads<>, detail::zero_gradient));
};
struct Nextafter : float_pair {
  static constexpr auto schema = "nextafter(Tensor self, Tensor other) -> Tensor";
  static constexpr auto doc = "The next representable number after self towards other.";
  static constexpr auto dtypes = dtype_set(TN_F32, TN_F64);
  template <class V>
  static constexpr V value(V a, V b) {
    return nextafter(a, b);
  }
};

using power_ops = list<Pow, Atan2, Hypot, Logaddexp, Logaddexp2, Xlogy, Copysign, Nextafter>;

}  // namespace tn::ops
