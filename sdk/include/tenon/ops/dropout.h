// dropout.h - setting random elements to zero (Srivastava et al., JMLR 2014).
#pragma once

#include <tenon/sdk/declare.h>

namespace tn::ops {

namespace dropout_detail {

inline void expect_probability(double p) {
  if (!(p >= 0 && p <= 1)) fail(TN_INVALID_ARGUMENT, "p must lie in [0, 1], got %g", p);
}
inline void expect_float(const Tensor& input) {
  if (!is_floating(input.dtype()) && !is_complex(input.dtype()))
    fail(TN_NOT_IMPLEMENTED, "input must be of a float or complex dtype in training, got %s",
         input.describe().c_str());
}
// 1 / (1 - p), and 0 where nothing is kept, so that what follows is zero and no NaN.
inline double scale(double p) {
  return p == 1 ? 0.0 : 1 / (1 - p);
}

}  // namespace dropout_detail

struct NativeDropout : composite {
  static constexpr auto schema =
      "native_dropout(Tensor input, float p, bool? train) -> (Tensor, Tensor)";
  static constexpr auto doc =
      "Sets each element to zero with probability p and divides the others by 1 - p; also returns "
      "which were kept. "
      "Outside training, the input and true everywhere.";
  static constexpr uint32_t flags = TN_OP_RNG | TN_OP_NO_OUT;
  template <class T>
  static std::tuple<T, T> decompose(const T& input, double p, std::optional<bool> train) {
    dropout_detail::expect_probability(p);
    if (!train.value_or(true)) return {clone(input), ones_like(input, TN_BOOL)};
    dropout_detail::expect_float(input);
    const T mask = empty_like(input, TN_BOOL);
    bernoulli_(mask, 1 - p);
    return {T(mul(mul(input, mask), Scalar(dropout_detail::scale(p)))), mask};
  }
  static constexpr auto complex_gradient = as_written;
  static constexpr auto gradients = std::make_tuple(gradient<0>(
      reads<ret<1>, real<1>, raw<2>>, [](auto g, auto mask, double p, const tn_value& train) {
        const bool on = train.tag == TN_TAG_NONE || train.u.i;
        return on ? native_dropout_backward(g, mask, dropout_detail::scale(p)) : g;
      }));
};

struct NativeDropoutBackward : composite {
  static constexpr auto schema =
      "native_dropout_backward(Tensor grad_output, Tensor mask, float scale) -> Tensor";
  static constexpr auto doc = "grad_output * mask * scale.";
  template <class T>
  static T decompose(const T& grad_output, const T& mask, double scale) {
    return mul(mul(grad_output, mask), Scalar(scale));
  }
};

struct Dropout : composite {
  static constexpr auto schema = "dropout(Tensor input, float p, bool train) -> Tensor";
  static constexpr auto doc =
      "In training, sets each element to zero with probability p and divides the others by 1 - p; "
      "else the input itself.";
  static constexpr uint32_t flags = TN_OP_RNG | TN_OP_RETURNS_ARGUMENT | TN_OP_NO_OUT;
  template <class T>
  static T decompose(const T& input, double p, bool train) {
    dropout_detail::expect_probability(p);
    if (!train || p == 0 || input.numel() == 0) return input;
    return std::get<0>(native_dropout(input, p, true));
  }
};

using dropout_ops = list<NativeDropout, NativeDropoutBackward, Dropout>;

}  // namespace tn::ops
