// special.h - special functions of one tensor.
#pragma once

#include <tenon/ops/math_polygamma.h>
#include <tenon/ops/pointwise.h>

namespace tn::ops {

struct Erf : float_function {
  static constexpr auto schema = "erf(Tensor self) -> Tensor";
  static constexpr auto doc =
      "Error function: 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x.";
  template <class V>
  static constexpr V value(V x) {
    return erf(x);
  }
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<arg<0>>, [](auto g, auto self) {
        return g * exp(-square(self)) * 1.12837916709551257390;  // 2 / sqrt(pi)
      }));
};
struct Erfc : float_function {
  static constexpr auto schema = "erfc(Tensor self) -> Tensor";
  static constexpr auto doc = "1 - erf(x), accurate for large x.";
  template <class V>
  static constexpr V value(V x) {
    return erfc(x);
  }
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<arg<0>>, [](auto g, auto self) {
        return g * exp(-square(self)) * -1.12837916709551257390;
      }));
};
struct Erfinv : float_function {
  static constexpr auto schema = "erfinv(Tensor self) -> Tensor";
  static constexpr auto doc = "Inverse of erf: infinite at -1 and 1, NaN outside.";
  template <class V>
  static constexpr V value(V x) {
    return erfinv(x);
  }
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<ret<0>>, [](auto g, auto result) {
        return g * exp(square(result)) * 0.88622692545275801365;  // sqrt(pi) / 2
      }));
};
struct Lgamma : float_function {
  static constexpr auto schema = "lgamma(Tensor self) -> Tensor";
  static constexpr auto doc = "Logarithm of the absolute value of the gamma function.";
  template <class V>
  static constexpr V value(V x) {
    return lgamma(x);
  }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<arg<0>>, [](auto g, auto self) { return g * digamma(self); }));
};
struct Digamma : float_function {
  static constexpr auto schema = "digamma(Tensor self) -> Tensor";
  static constexpr auto doc = "Derivative of lgamma.";
  template <class V>
  static constexpr V value(V x) {
    return digamma(x);
  }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<arg<0>>, [](auto g, auto self) { return g * polygamma(1, self); }));
};
// The order is a schema's first parameter, so the tensor comes second; `value` has tensors first.
struct Polygamma : float_function {
  static constexpr auto schema = "polygamma(int n, Tensor self) -> Tensor";
  static constexpr auto doc = "n-th derivative of digamma, n >= 0.";
  static constexpr uint32_t flags = 0;
  static constexpr bool vectors = false;
  static void check(DType, const tn_value* args) {
    constexpr int64_t limit = int64_t{1} << 31;  // the gradient's order is one more
    if (args[0].u.i < 0 || args[0].u.i >= limit)
      fail(TN_INVALID_ARGUMENT, "polygamma(n, x) needs an n of 0 to 2^31 - 1, not %lld",
           static_cast<long long>(args[0].u.i));
  }
  template <class V>
  static constexpr V value(V x, V n) {
    return polygamma(n, x);
  }
  static constexpr auto gradients =
      std::make_tuple(gradient<1>(reads<integer<0>, arg<1>>, [](auto g, int64_t n, auto self) {
        return g * polygamma(n + 1, self);
      }));
};

using special_ops = list<Erf, Erfc, Erfinv, Lgamma, Digamma, Polygamma>;

}  // namespace tn::ops
