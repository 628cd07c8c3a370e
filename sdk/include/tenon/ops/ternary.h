// ternary.h - choosing, limiting and combining three tensors.
#pragma once

#include <tenon/ops/factor.h>
#include <tenon/ops/pointwise.h>

namespace tn::ops {

struct Where : pointwise {
  static constexpr auto schema =
      "where.self(Tensor condition, Tensor self, Tensor other) -> Tensor";
  static constexpr auto doc = "self where the condition holds, else other.";
  static constexpr auto promotion = TN_PROMOTE_SECOND;
  static constexpr auto dtypes = all_numbers;
  static constexpr uint32_t flags = 0;
  static constexpr int condition = 0;
  template <class M, class V>
  static constexpr V value(M condition, V a, V b) {
    return detail::choose(condition, a, b);
  }
  static constexpr auto complex_gradient = as_written;
  static constexpr auto gradients = std::make_tuple(
      gradient<1>(reads<arg<0>>, [](auto g, auto condition) { return where(condition, g, 0); }),
      gradient<2>(reads<arg<0>>, [](auto g, auto condition) { return where(condition, 0, g); }));
};
struct MaskedFill : pointwise {
  static constexpr auto schema =
      "masked_fill.Scalar(Tensor self, Tensor mask, Tensor value) -> Tensor";
  static constexpr auto doc =
      "self, but `value` (a number or a 0-dim tensor) where the mask holds.";
  static constexpr auto promotion = TN_PROMOTE_FIRST;
  static constexpr auto dtypes = all_numbers;
  static constexpr int condition = 1;
  static void check(DType, const tn_value* args) {
    if (args[1].tag != TN_TAG_TENSOR || args[1].u.tensor->dtype != TN_BOOL)
      fail(TN_TYPE_ERROR, "mask must be a bool tensor; compare or convert it first");
  }
  template <class V, class M>
  static constexpr V value(V a, M mask, V b) {
    return detail::choose(mask, b, a);
  }
  static constexpr auto complex_gradient = as_written;
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<arg<1>>, [](auto g, auto mask) { return masked_fill(g, mask, 0); }),
      gradient<2>(reads<arg<1>>, [](auto g, auto mask) { return where(mask, g, 0); }));
};

// PyTorch's name for a value that is a tensor, which masked_fill.Scalar takes as well.
struct MaskedFillTensor : composite {
  static constexpr auto schema =
      "masked_fill.Tensor(Tensor self, Tensor mask, Tensor value) -> Tensor";
  static constexpr auto doc = "self, but `value`, a 0-dim tensor, where the mask holds.";
  static constexpr uint32_t flags = TN_OP_INPLACE;
  template <class T>
  static T decompose(const T& self, const T& mask, const T& value) {
    if (value.dim() != 0)
      fail(TN_INVALID_ARGUMENT, "value must be a 0-dim tensor, got %s", value.describe().c_str());
    return masked_fill(self, mask, Operand(value));
  }
};

// ---- limits -------------------------------------------------------------------------------------

namespace detail {

inline void require_limit(bool given) {
  if (!given) fail(TN_INVALID_ARGUMENT, "at least one of min and max must be given");
}
// Whether the number, in a call with a tensor of that dtype, makes a result of another one.
inline bool raises_category(DType dtype, const std::optional<Scalar>& number) {
  if (!number || is_floating(dtype) || is_complex(dtype)) return false;
  return number->is_floating() || (dtype == TN_BOOL && number->tag() == TN_TAG_INT);
}
// A limit of integers that lies outside their dtype, on the side where it limits nothing, as the
// dtype's end.
inline std::optional<Scalar> limit_within(DType dtype, std::optional<Scalar> limit, bool upper) {
  if (!limit || is_floating(dtype) || limit->tag() != TN_TAG_INT) return limit;
  const int64_t n = limit->integer();
  return upper ? std::min(n, largest_of(dtype)) : std::max(n, smallest_of(dtype));
}

}  // namespace detail

// Limits of the tensor's own category, which change no dtype.
struct ClampWithin : pointwise {
  static constexpr auto schema =
      "_clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor";
  static constexpr auto doc = "clamp without promotion: for integers, the limits are integers.";
  static constexpr auto promotion = TN_PROMOTE_COMMON;
  static constexpr auto dtypes = reals;
  static void check(DType compute, const tn_value* args) {
    detail::require_limit(args[1].tag != TN_TAG_NONE || args[2].tag != TN_TAG_NONE);
    detail::reject_float_factor("min", compute, args[1]);
    detail::reject_float_factor("max", compute, args[2]);
    detail::reject_negative_limit("min", compute, args[1]);
    detail::reject_negative_limit("max", compute, args[2]);
  }
  static double absent(int i, DType) {
    return i == 0 ? -std::numeric_limits<double>::infinity()
                  : std::numeric_limits<double>::infinity();
  }
  template <class V>
  static constexpr V value(V x, V low, V high) {
    return minimum(maximum(x, low), high);
  }
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<arg<0>, raw<1>, raw<2>>,
                                  [](auto g, auto self, const tn_value& low, const tn_value& high) {
                                    if (low.tag != TN_TAG_NONE)
                                      g = masked_fill(g, lt(self, Scalar(low)), 0);
                                    if (high.tag != TN_TAG_NONE)
                                      g = masked_fill(g, gt(self, Scalar(high)), 0);
                                    return g;
                                  }));
};
struct Clamp : composite {
  static constexpr auto schema = "clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor";
  static constexpr auto doc =
      "Limits each element to [min, max], max winning; either may be absent. NaN stays. Limits of "
      "integers may be floats; the result is then of the default float dtype. A limit beyond the "
      "dtype "
      "that limits nothing is no error.";
  static constexpr uint32_t flags = TN_OP_INPLACE;
  template <class T>
  static T decompose(const T& self, std::optional<Scalar> low, std::optional<Scalar> high) {
    detail::require_limit(low || high);
    const DType dtype = self.dtype();
    if (!detail::raises_category(dtype, low) && !detail::raises_category(dtype, high))
      return _clamp(self, detail::limit_within(dtype, low, false),
                    detail::limit_within(dtype, high, true));
    const T limited = low ? maximum(self, *low) : self;
    return high ? minimum(limited, *high) : limited;
  }
};
// An absent limit is no operand, so this one is put together from those that always have two.
struct ClampTensor : composite {
  static constexpr auto schema =
      "clamp.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor";
  static constexpr auto doc =
      "Limits each element to [min, max], max winning; either may be absent.";
  static constexpr uint32_t flags = TN_OP_INPLACE;
  template <class T>
  static T decompose(const T& self, const T& low, const T& high) {
    detail::require_limit(low.defined() || high.defined());
    const T limited = low.defined() ? maximum(self, low) : self;
    return high.defined() ? minimum(limited, high) : limited;
  }
};

// ---- combinations -------------------------------------------------------------------------------

struct Lerp : pointwise {
  static constexpr auto schema = "lerp.Tensor(Tensor self, Tensor end, Tensor weight) -> Tensor";
  static constexpr auto doc =
      "self + weight * (end - self), exact at both ends; the weight may be a number.";
  static constexpr auto promotion = TN_PROMOTE_COMMON;
  static constexpr auto dtypes = floats | complexes;
  template <class V>
  static constexpr V value(V a, V b, V weight) {
    const V step = b - a;
    const auto size = abs(weight);
    return detail::choose(size < decltype(+size)(0.5), a + weight * step,
                          b - step * (V(1) - weight));
  }
  static constexpr auto complex_gradient = holomorphic;
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<arg<2>>, [](auto g, auto weight) { return g * (1 - weight); }),
      gradient<1>(reads<arg<2>>, [](auto g, auto weight) { return g * weight; }),
      gradient<2>(reads<arg<0>, arg<1>>,
                  [](auto g, auto self, auto end) { return g * (end - self); }));
};
struct Addcmul : pointwise {
  static constexpr auto schema =
      "addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor";
  static constexpr auto doc = "self + value * tensor1 * tensor2.";
  static constexpr auto promotion = TN_PROMOTE_COMMON;
  static constexpr auto dtypes = numbers;
  static void check(DType compute, const tn_value* args) {
    detail::reject_float_factor("value", compute, args[3]);
  }
  template <class V>
  static constexpr V value(V self, V a, V b, V factor) {
    return self + factor * a * b;
  }
  static constexpr auto complex_gradient = holomorphic;
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<>, [](auto g) { return g; }),
      gradient<1>(reads<arg<2>, number<3>>,
                  [](auto g, auto b, Scalar factor) { return detail::scaled(g * b, factor); }),
      gradient<2>(reads<arg<1>, number<3>>,
                  [](auto g, auto a, Scalar factor) { return detail::scaled(g * a, factor); }));
};
struct Addcdiv : pointwise {
  static constexpr auto schema =
      "addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor";
  static constexpr auto doc =
      "self + value * tensor1 / tensor2; floating-point or complex tensors.";
  static constexpr auto promotion = TN_PROMOTE_COMMON;
  static constexpr auto dtypes = floats | complexes;
  template <class V>
  static constexpr V value(V self, V a, V b, V factor) {
    return self + factor * (a / b);
  }
  static constexpr auto complex_gradient = holomorphic;
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<>, [](auto g) { return g; }),
      gradient<1>(reads<arg<2>, number<3>>,
                  [](auto g, auto b, Scalar factor) { return detail::scaled(g / b, factor); }),
      gradient<2>(reads<arg<1>, arg<2>, number<3>>, [](auto g, auto a, auto b, Scalar factor) {
        return -detail::scaled(g * (a / square(b)), factor);
      }));
};

using ternary_ops = list<Where, MaskedFill, ClampWithin, Lerp, Addcmul, Addcdiv>;
// Decompositions: declared by plugins/ops, without kernels.
using ternary_decompositions = list<MaskedFillTensor, Clamp, ClampTensor>;

}  // namespace tn::ops
