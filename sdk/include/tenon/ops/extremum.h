// extremum.h - the larger and the smaller of two tensors.
#pragma once

#include <tenon/ops/pointwise.h>

namespace tn::ops {

namespace detail {

// Of the larger (or smaller) of two: where both are equal each gets half.
template <class T>
T extremum_gradient(const T& g, const T& self, const T& other, const T& loses) {
  return masked_fill(where(eq(self, other), g / 2, g), loses, 0);
}

}  // namespace detail

struct extremum : pointwise {
  static constexpr auto promotion = TN_PROMOTE_COMMON;
  static constexpr auto dtypes = all_reals;
  static constexpr uint32_t flags = 0;
};
struct Maximum : extremum {
  static constexpr auto schema = "maximum(Tensor self, Tensor other) -> Tensor";
  static constexpr auto doc = "The larger of two, NaN if either is.";
  template <class V>
  static constexpr V value(V a, V b) {
    return maximum(a, b);
  }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(
          reads<arg<0>, arg<1>>,
          [](auto g, auto a, auto b) { return detail::extremum_gradient(g, a, b, lt(a, b)); }),
      gradient<1>(reads<arg<0>, arg<1>>, [](auto g, auto a, auto b) {
        return detail::extremum_gradient(g, a, b, gt(a, b));
      }));
};
struct Minimum : extremum {
  static constexpr auto schema = "minimum(Tensor self, Tensor other) -> Tensor";
  static constexpr auto doc = "The smaller of two, NaN if either is.";
  template <class V>
  static constexpr V value(V a, V b) {
    return minimum(a, b);
  }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(
          reads<arg<0>, arg<1>>,
          [](auto g, auto a, auto b) { return detail::extremum_gradient(g, a, b, gt(a, b)); }),
      gradient<1>(reads<arg<0>, arg<1>>, [](auto g, auto a, auto b) {
        return detail::extremum_gradient(g, a, b, lt(a, b));
      }));
};
struct Fmax : extremum {
  static constexpr auto schema = "fmax(Tensor self, Tensor other) -> Tensor";
  static constexpr auto doc = "The larger of two, the other one where one is NaN.";
  template <class V>
  static constexpr V value(V a, V b) {
    return fmax(a, b);
  }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<arg<0>, arg<1>>,
                  [](auto g, auto a, auto b) {
                    return masked_fill(g, logical_not(logical_or(ge(a, b), isnan(b))), 0);
                  }),
      gradient<1>(reads<arg<0>, arg<1>>, [](auto g, auto a, auto b) {
        return masked_fill(g, logical_or(ge(a, b), isnan(b)), 0);
      }));
};
struct Fmin : extremum {
  static constexpr auto schema = "fmin(Tensor self, Tensor other) -> Tensor";
  static constexpr auto doc = "The smaller of two, the other one where one is NaN.";
  template <class V>
  static constexpr V value(V a, V b) {
    return fmin(a, b);
  }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<arg<0>, arg<1>>,
                  [](auto g, auto a, auto b) {
                    return masked_fill(g, logical_not(logical_or(le(a, b), isnan(b))), 0);
                  }),
      gradient<1>(reads<arg<0>, arg<1>>, [](auto g, auto a, auto b) {
        return masked_fill(g, logical_or(le(a, b), isnan(b)), 0);
      }));
};
struct Heaviside : extremum {
  static constexpr auto schema = "heaviside(Tensor self, Tensor values) -> Tensor";
  static constexpr auto doc =
      "0 for negative numbers and NaN, 1 for positive ones, `values` at zero.";
  static constexpr uint32_t flags = TN_OP_INPLACE;
  template <class V>
  static constexpr V value(V a, V b) {
    return select(a == V(0), b, V(a > V(0)));
  }
};

using extremum_ops = list<Maximum, Minimum, Fmax, Fmin, Heaviside>;

}  // namespace tn::ops
