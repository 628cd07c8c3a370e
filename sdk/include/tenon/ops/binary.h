// binary.h - arithmetic of two tensors, or of a tensor and a number.
#pragma once

#include <tenon/ops/pointwise.h>

namespace tn::ops {

struct Add : pointwise {
  static constexpr auto schema = "add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor";
  static constexpr auto doc = "self + alpha * other. For bool: or.";
  static constexpr auto promotion = TN_PROMOTE_COMMON;
  static constexpr auto dtypes = all_numbers;
  static constexpr bool streams = true;
  static void check(DType compute, const tn_value* args) { detail::reject_float_factor("alpha", compute, args[2]); }
  template <class V>
  static constexpr V value(V a, V b, V alpha) { return a + alpha * b; }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<>, [](auto g) { return g; }),
      gradient<1>(reads<number<2>>, [](auto g, Scalar alpha) { return detail::scaled(g, alpha); }));
};
struct Sub : pointwise {
  static constexpr auto schema = "sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor";
  static constexpr auto doc = "self - alpha * other. Not for bool: use logical_xor or bitwise_xor.";
  static constexpr auto promotion = TN_PROMOTE_COMMON;
  static constexpr auto dtypes = numbers;
  static constexpr bool streams = true;
  static void check(DType compute, const tn_value* args) { detail::reject_float_factor("alpha", compute, args[2]); }
  template <class V>
  static constexpr V value(V a, V b, V alpha) { return a - alpha * b; }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<>, [](auto g) { return g; }),
      gradient<1>(reads<number<2>>, [](auto g, Scalar alpha) { return -detail::scaled(g, alpha); }));
};
struct Rsub : pointwise {
  static constexpr auto schema = "rsub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor";
  static constexpr auto doc = "other - alpha * self.";
  static constexpr auto promotion = TN_PROMOTE_COMMON;
  static constexpr auto dtypes = numbers;
  static constexpr uint32_t flags = 0;
  static void check(DType compute, const tn_value* args) { detail::reject_float_factor("alpha", compute, args[2]); }
  template <class V>
  static constexpr V value(V a, V b, V alpha) { return b - alpha * a; }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<number<2>>, [](auto g, Scalar alpha) { return -detail::scaled(g, alpha); }),
      gradient<1>(reads<>, [](auto g) { return g; }));
};
struct Mul : pointwise {
  static constexpr auto schema = "mul.Tensor(Tensor self, Tensor other) -> Tensor";
  static constexpr auto doc = "Product of two tensors, element by element.";
  static constexpr auto promotion = TN_PROMOTE_COMMON;
  static constexpr auto dtypes = all_numbers;
  static constexpr bool streams = true;
  template <class V>
  static constexpr V value(V a, V b) { return a * b; }
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<arg<1>>, [](auto g, auto other) { return g * other; }),
                      gradient<1>(reads<arg<0>>, [](auto g, auto self) { return g * self; }));
};
struct Div : pointwise {
  static constexpr auto schema = "div.Tensor(Tensor self, Tensor other) -> Tensor";
  static constexpr auto doc = "Quotient of two tensors, element by element; floating-point for integers too.";
  static constexpr auto promotion = TN_PROMOTE_FLOAT;
  static constexpr auto dtypes = floats | complexes;
  static constexpr bool streams = true;
  template <class V>
  static constexpr V value(V a, V b) { return a / b; }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<arg<1>>, [](auto g, auto other) { return g / other; }),
      gradient<1>(reads<arg<1>, ret<0>>, [](auto g, auto other, auto result) { return -g * (result / other); }));
};
struct TrueDivide : Div {
  static constexpr auto schema = "true_divide.Tensor(Tensor self, Tensor other) -> Tensor";
  static constexpr auto doc = "The same as div without a rounding mode.";
};

// ---- division with a whole quotient -------------------------------------------------------------

struct whole_division : pointwise {
  static constexpr auto promotion = TN_PROMOTE_COMMON;
  static constexpr auto dtypes = reals;
  static constexpr bool divides = true;
};
struct FloorDivide : whole_division {
  static constexpr auto schema = "floor_divide(Tensor self, Tensor other) -> Tensor";
  static constexpr auto doc = "The quotient rounded down, as Python's //.";
  template <class V>
  static constexpr V value(V a, V b) { return floor_divide(a, b); }
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<>, detail::zero_gradient),
                      gradient<1>(reads<arg<1>>, [](auto, auto other) { return zeros_like(other); }));
};
struct TruncDivide : whole_division {
  static constexpr auto schema = "_trunc_divide(Tensor self, Tensor other) -> Tensor";
  static constexpr auto doc = "The quotient rounded towards zero: div with rounding_mode='trunc'.";
  template <class V>
  static constexpr V value(V a, V b) { return trunc_divide(a, b); }
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<>, detail::zero_gradient),
                      gradient<1>(reads<arg<1>>, [](auto, auto other) { return zeros_like(other); }));
};
struct Remainder : whole_division {
  static constexpr auto schema = "remainder.Tensor(Tensor self, Tensor other) -> Tensor";
  static constexpr auto doc = "Remainder with the sign of the divisor, as Python's %.";
  template <class V>
  static constexpr V value(V a, V b) { return remainder(a, b); }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<>, [](auto g) { return g; }),
      gradient<1>(reads<arg<0>, arg<1>>,
                  [](auto g, auto self, auto other) { return -g * floor_divide(self, other); }));
};
struct Fmod : whole_division {
  static constexpr auto schema = "fmod.Tensor(Tensor self, Tensor other) -> Tensor";
  static constexpr auto doc = "Remainder with the sign of the dividend, as C's fmod.";
  template <class V>
  static constexpr V value(V a, V b) { return fmod(a, b); }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<>, [](auto g) { return g; }),
      gradient<1>(reads<arg<0>, arg<1>>,
                  [](auto g, auto self, auto other) { return -g * trunc(self / other); }));
};

// ---- powers and the like ------------------------------------------------------------------------

struct Pow : pointwise {
  static constexpr auto schema = "pow.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor";
  static constexpr auto doc = "self to the power of exponent; either may be a number.";
  static constexpr auto promotion = TN_PROMOTE_COMMON;
  static constexpr auto dtypes = numbers;
  static void check(DType compute, const tn_value* args) {
    if (args[1].tag == TN_TAG_INT && args[1].u.i < 0 && !is_floating(compute) && !is_complex(compute))
      fail(TN_INVALID_ARGUMENT, "an integer tensor (%s) to the power of %lld: negative integer powers need a "
           "floating-point tensor", api->dtype_name(compute), static_cast<long long>(args[1].u.i));
  }
  template <class V>
  static constexpr V value(V a, V exponent) { return pow(a, exponent); }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<arg<0>, arg<1>>,
                  [](auto g, auto self, auto exponent) {
                    return g * masked_fill(exponent * pow(self, exponent - 1), eq(exponent, 0), 0);
                  }),
      gradient<1>(reads<arg<0>, arg<1>, ret<0>>, [](auto g, auto self, auto exponent, auto result) {
        return g * masked_fill(result * log(self), logical_and(eq(self, 0), ge(exponent, 0)), 0);
      }));
};
struct Atan2 : float_function {
  static constexpr auto schema = "atan2(Tensor self, Tensor other) -> Tensor";
  static constexpr auto doc = "Angle of the point (other, self), in (-pi, pi].";
  template <class V>
  static constexpr V value(V y, V x) { return atan2(y, x); }
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
  static constexpr V value(V a, V b) { return hypot(a, b); }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<arg<0>, ret<0>>, [](auto g, auto self, auto result) { return g * (self / result); }),
      gradient<1>(reads<arg<1>, ret<0>>, [](auto g, auto other, auto result) { return g * (other / result); }));
};
struct Logaddexp : float_pair {
  static constexpr auto schema = "logaddexp(Tensor self, Tensor other) -> Tensor";
  static constexpr auto doc = "log(exp(self) + exp(other)) without overflow.";
  static constexpr uint32_t flags = 0;
  template <class V>
  static constexpr V value(V a, V b) { return logaddexp(a, b); }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<arg<0>, arg<1>>, [](auto g, auto a, auto b) { return g / (exp(b - a) + 1); }),
      gradient<1>(reads<arg<0>, arg<1>>, [](auto g, auto a, auto b) { return g / (exp(a - b) + 1); }));
};
struct Logaddexp2 : float_pair {
  static constexpr auto schema = "logaddexp2(Tensor self, Tensor other) -> Tensor";
  static constexpr auto doc = "log2(2^self + 2^other) without overflow.";
  static constexpr uint32_t flags = 0;
  template <class V>
  static constexpr V value(V a, V b) { return logaddexp2(a, b); }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<arg<0>, arg<1>>, [](auto g, auto a, auto b) { return g / (exp2(b - a) + 1); }),
      gradient<1>(reads<arg<0>, arg<1>>, [](auto g, auto a, auto b) { return g / (exp2(a - b) + 1); }));
};
struct Xlogy : float_function {
  static constexpr auto schema = "xlogy.Tensor(Tensor self, Tensor other) -> Tensor";
  static constexpr auto doc = "self * log(other); 0 where self is 0, unless other is NaN.";
  template <class V>
  static constexpr V value(V a, V b) { return xlogy(a, b); }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<arg<0>, arg<1>>,
                  [](auto g, auto self, auto other) {
                    return g * masked_fill(log(other), logical_and(eq(self, 0), le(other, 0)), 0);
                  }),
      gradient<1>(reads<arg<0>, arg<1>>, [](auto g, auto self, auto other) { return g * self / other; }));
};
struct Copysign : float_function {
  static constexpr auto schema = "copysign.Tensor(Tensor self, Tensor other) -> Tensor";
  static constexpr auto doc = "The magnitude of self with the sign of other.";
  template <class V>
  static constexpr V value(V a, V b) { return copysign(a, b); }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<arg<0>, ret<0>>,
                  [](auto g, auto self, auto result) { return g * masked_fill(result / self, eq(self, 0), 0); }),
      gradient<1>(reads<>, detail::zero_gradient));
};
struct Nextafter : float_pair {
  static constexpr auto schema = "nextafter(Tensor self, Tensor other) -> Tensor";
  static constexpr auto doc = "The next representable number after self towards other.";
  static constexpr auto dtypes = dtype_set(TN_F32, TN_F64);
  template <class V>
  static constexpr V value(V a, V b) { return nextafter(a, b); }
};

// ---- the larger and the smaller -----------------------------------------------------------------

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
  static constexpr V value(V a, V b) { return maximum(a, b); }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<arg<0>, arg<1>>,
                  [](auto g, auto a, auto b) { return detail::extremum_gradient(g, a, b, lt(a, b)); }),
      gradient<1>(reads<arg<0>, arg<1>>,
                  [](auto g, auto a, auto b) { return detail::extremum_gradient(g, a, b, gt(a, b)); }));
};
struct Minimum : extremum {
  static constexpr auto schema = "minimum(Tensor self, Tensor other) -> Tensor";
  static constexpr auto doc = "The smaller of two, NaN if either is.";
  template <class V>
  static constexpr V value(V a, V b) { return minimum(a, b); }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<arg<0>, arg<1>>,
                  [](auto g, auto a, auto b) { return detail::extremum_gradient(g, a, b, gt(a, b)); }),
      gradient<1>(reads<arg<0>, arg<1>>,
                  [](auto g, auto a, auto b) { return detail::extremum_gradient(g, a, b, lt(a, b)); }));
};
struct Fmax : extremum {
  static constexpr auto schema = "fmax(Tensor self, Tensor other) -> Tensor";
  static constexpr auto doc = "The larger of two, the other one where one is NaN.";
  template <class V>
  static constexpr V value(V a, V b) { return fmax(a, b); }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<arg<0>, arg<1>>,
                  [](auto g, auto a, auto b) {
                    return masked_fill(g, logical_not(logical_or(ge(a, b), isnan(b))), 0);
                  }),
      gradient<1>(reads<arg<0>, arg<1>>,
                  [](auto g, auto a, auto b) { return masked_fill(g, logical_or(ge(a, b), isnan(b)), 0); }));
};
struct Fmin : extremum {
  static constexpr auto schema = "fmin(Tensor self, Tensor other) -> Tensor";
  static constexpr auto doc = "The smaller of two, the other one where one is NaN.";
  template <class V>
  static constexpr V value(V a, V b) { return fmin(a, b); }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<arg<0>, arg<1>>,
                  [](auto g, auto a, auto b) {
                    return masked_fill(g, logical_not(logical_or(le(a, b), isnan(b))), 0);
                  }),
      gradient<1>(reads<arg<0>, arg<1>>,
                  [](auto g, auto a, auto b) { return masked_fill(g, logical_or(le(a, b), isnan(b)), 0); }));
};
struct Heaviside : extremum {
  static constexpr auto schema = "heaviside(Tensor self, Tensor values) -> Tensor";
  static constexpr auto doc = "0 for negative numbers and NaN, 1 for positive ones, `values` at zero.";
  static constexpr uint32_t flags = TN_OP_INPLACE;
  template <class V>
  static constexpr V value(V a, V b) { return select(a == V(0), b, V(a > V(0))); }
};

// ---- integers and bits --------------------------------------------------------------------------

struct integer_pair : pointwise {
  static constexpr auto promotion = TN_PROMOTE_COMMON;
  static constexpr auto dtypes = integers;
  static constexpr uint32_t flags = TN_OP_INPLACE | TN_OP_NOT_DIFFERENTIABLE;
};
struct Gcd : integer_pair {
  static constexpr auto schema = "gcd(Tensor self, Tensor other) -> Tensor";
  static constexpr auto doc = "Greatest common divisor, never negative; gcd(0, 0) is 0.";
  template <class V>
  static constexpr V value(V a, V b) { return gcd(a, b); }
};
struct Lcm : integer_pair {
  static constexpr auto schema = "lcm(Tensor self, Tensor other) -> Tensor";
  static constexpr auto doc = "Least common multiple, never negative; 0 where either is 0.";
  template <class V>
  static constexpr V value(V a, V b) { return lcm(a, b); }
};
struct BitwiseLeftShift : integer_pair {
  static constexpr auto schema = "bitwise_left_shift.Tensor(Tensor self, Tensor other) -> Tensor";
  static constexpr auto doc = "Bits of self moved up by other places; 0 for places outside the width.";
  template <class V>
  static constexpr V value(V a, V b) { return shift_left(a, b); }
};
struct BitwiseRightShift : integer_pair {
  static constexpr auto schema = "bitwise_right_shift.Tensor(Tensor self, Tensor other) -> Tensor";
  static constexpr auto doc = "Bits of self moved down by other places; negative numbers stay negative.";
  template <class V>
  static constexpr V value(V a, V b) { return shift_right(a, b); }
};
struct BitwiseAnd : integer_pair {
  static constexpr auto schema = "bitwise_and.Tensor(Tensor self, Tensor other) -> Tensor";
  static constexpr auto doc = "And of the bits.";
  static constexpr auto dtypes = integers | bools;
  template <class V>
  static constexpr V value(V a, V b) { return static_cast<V>(a & b); }
};
struct BitwiseOr : integer_pair {
  static constexpr auto schema = "bitwise_or.Tensor(Tensor self, Tensor other) -> Tensor";
  static constexpr auto doc = "Or of the bits.";
  static constexpr auto dtypes = integers | bools;
  template <class V>
  static constexpr V value(V a, V b) { return static_cast<V>(a | b); }
};
struct BitwiseXor : integer_pair {
  static constexpr auto schema = "bitwise_xor.Tensor(Tensor self, Tensor other) -> Tensor";
  static constexpr auto doc = "Exclusive or of the bits.";
  static constexpr auto dtypes = integers | bools;
  template <class V>
  static constexpr V value(V a, V b) { return static_cast<V>(a ^ b); }
};

// div with a rounding mode picks an operator, since the modes differ in what dtype results.
template <class Other>
struct DivMode : composite {
  static constexpr auto doc = "Quotient, rounded towards zero ('trunc'), down ('floor') or not at all.";
  static constexpr uint32_t flags = TN_OP_INPLACE;
  template <class T>
  static T decompose(const T& self, const std::conditional_t<std::is_same<Other, Tensor>::value, T, Other>& other,
                     std::optional<const char*> rounding_mode) {
    const std::string_view mode = rounding_mode ? *rounding_mode : "";
    if (!rounding_mode) return div(self, other);
    if (mode == "trunc") return _trunc_divide(self, other);
    if (mode == "floor") return floor_divide(self, other);
    fail(TN_INVALID_ARGUMENT, "rounding_mode is '%s'; it must be None, 'trunc' or 'floor'", *rounding_mode);
  }
};
struct DivTensorMode : DivMode<Tensor> {
  static constexpr auto schema = "div.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor";
};
struct DivScalarMode : DivMode<Scalar> {
  static constexpr auto schema = "div.Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor";
};

using arithmetic_ops = list<Add, Sub, Rsub, Mul, Div, TrueDivide>;
using division_ops = list<FloorDivide, TruncDivide, Remainder, Fmod>;
using power_ops = list<Pow, Atan2, Hypot, Logaddexp, Logaddexp2, Xlogy, Copysign, Nextafter>;
using extremum_ops = list<Maximum, Minimum, Fmax, Fmin, Heaviside>;
using integer_ops = list<Gcd, Lcm, BitwiseLeftShift, BitwiseRightShift, BitwiseAnd, BitwiseOr, BitwiseXor>;
// Decompositions: declared by plugins/ops, without kernels.
using division_modes = list<DivTensorMode, DivScalarMode>;

}  // namespace tn::ops
