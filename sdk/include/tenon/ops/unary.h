// unary.h - element-wise functions of one tensor.
#pragma once

#include <tenon/ops/math_polygamma.h>
#include <tenon/ops/pointwise.h>

namespace tn::ops {

struct Abs : pointwise {
  static constexpr auto schema = "abs(Tensor self) -> Tensor";
  static constexpr auto doc = "Absolute value; the magnitude of a complex number.";
  static constexpr auto promotion = TN_PROMOTE_REAL;
  static constexpr auto dtypes = numbers;
  template <class V>
  static constexpr auto value(V x) { return abs(x); }
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<arg<0>>, [](auto g, auto self) { return g * sgn(self); }));
};
struct Neg : pointwise {
  static constexpr auto schema = "neg(Tensor self) -> Tensor";
  static constexpr auto doc = "The negative. Unsigned integers wrap.";
  static constexpr auto promotion = TN_PROMOTE_COMMON;
  static constexpr auto dtypes = numbers;
  template <class V>
  static constexpr V value(V x) { return -x; }
  static constexpr auto gradients = std::make_tuple(gradient<0>(reads<>, [](auto g) { return -g; }));
};
struct Positive : pointwise {
  static constexpr auto schema = "positive(Tensor self) -> Tensor";
  static constexpr auto doc = "The tensor's values themselves.";
  static constexpr auto promotion = TN_PROMOTE_COMMON;
  static constexpr auto dtypes = numbers;
  template <class V>
  static constexpr V value(V x) { return x; }
  static constexpr auto gradients = std::make_tuple(gradient<0>(reads<>, [](auto g) { return g; }));
};
struct Sign : pointwise {
  static constexpr auto schema = "sign(Tensor self) -> Tensor";
  static constexpr auto doc = "-1, 0 or 1 by the sign of each element; 0 for NaN.";
  static constexpr auto promotion = TN_PROMOTE_COMMON;
  static constexpr auto dtypes = all_reals;
  template <class V>
  static constexpr V value(V x) { return sign(x); }
  static constexpr auto gradients = std::make_tuple(gradient<0>(reads<>, detail::zero_gradient));
};
struct Sgn : pointwise {
  static constexpr auto schema = "sgn(Tensor self) -> Tensor";
  static constexpr auto doc = "sign(), and x / |x| for complex numbers, 0 at zero.";
  static constexpr auto promotion = TN_PROMOTE_COMMON;
  static constexpr auto dtypes = all_numbers;
  template <class V>
  static constexpr V value(V x) {
    if constexpr (is_real_number<V> || std::is_integral<V>::value) return sign(x);
    else return x == V(0) ? x : x / abs(x);
  }
  static constexpr auto gradients = std::make_tuple(gradient<0>(reads<>, detail::zero_gradient));
};
struct Square : pointwise {
  static constexpr auto schema = "square(Tensor self) -> Tensor";
  static constexpr auto doc = "Each element times itself.";
  static constexpr auto promotion = TN_PROMOTE_COMMON;
  static constexpr auto dtypes = numbers;
  template <class V>
  static constexpr V value(V x) { return x * x; }
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<arg<0>>, [](auto g, auto self) { return g * self * 2; }));
};
struct Reciprocal : pointwise {
  static constexpr auto schema = "reciprocal(Tensor self) -> Tensor";
  static constexpr auto doc = "One divided by each element.";
  static constexpr auto promotion = TN_PROMOTE_FLOAT;
  static constexpr auto dtypes = floats | complexes;
  template <class V>
  static constexpr V value(V x) { return V(1) / x; }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<ret<0>>, [](auto g, auto result) { return -g * (result * result); }));
};

struct Sqrt : float_function {
  static constexpr auto schema = "sqrt(Tensor self) -> Tensor";
  static constexpr auto doc = "Square root; NaN for negative numbers.";
  template <class V>
  static constexpr V value(V x) { return sqrt(x); }
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<ret<0>>, [](auto g, auto result) { return g / (result * 2); }));
};
struct Rsqrt : float_function {
  static constexpr auto schema = "rsqrt(Tensor self) -> Tensor";
  static constexpr auto doc = "One divided by the square root.";
  template <class V>
  static constexpr V value(V x) { return rsqrt(x); }
  static constexpr auto gradients = std::make_tuple(gradient<0>(
      reads<ret<0>>, [](auto g, auto result) { return g * (result * result * result) * -0.5; }));
};

// ---- exponentials and logarithms ----------------------------------------------------------------

struct Exp : float_function {
  static constexpr auto schema = "exp(Tensor self) -> Tensor";
  static constexpr auto doc = "e to the power of each element.";
  template <class V>
  static constexpr V value(V x) { return exp(x); }
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<ret<0>>, [](auto g, auto result) { return g * result; }));
};
struct Exp2 : float_function {
  static constexpr auto schema = "exp2(Tensor self) -> Tensor";
  static constexpr auto doc = "2 to the power of each element.";
  template <class V>
  static constexpr V value(V x) { return exp2(x); }
  static constexpr auto gradients = std::make_tuple(gradient<0>(
      reads<ret<0>>, [](auto g, auto result) { return g * result * 0.69314718055994530942; }));
};
struct Expm1 : float_function {
  static constexpr auto schema = "expm1(Tensor self) -> Tensor";
  static constexpr auto doc = "exp(x) - 1, accurate near zero.";
  template <class V>
  static constexpr V value(V x) { return expm1(x); }
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<ret<0>>, [](auto g, auto result) { return g * (result + 1); }));
};
struct Log : float_function {
  static constexpr auto schema = "log(Tensor self) -> Tensor";
  static constexpr auto doc = "Natural logarithm.";
  template <class V>
  static constexpr V value(V x) { return log(x); }
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<arg<0>>, [](auto g, auto self) { return g / self; }));
};
struct Log10 : float_function {
  static constexpr auto schema = "log10(Tensor self) -> Tensor";
  static constexpr auto doc = "Logarithm to base 10.";
  template <class V>
  static constexpr V value(V x) { return log10(x); }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<arg<0>>, [](auto g, auto self) { return g / (self * 2.30258509299404568402); }));
};
struct Log1p : float_function {
  static constexpr auto schema = "log1p(Tensor self) -> Tensor";
  static constexpr auto doc = "log(1 + x), accurate near zero.";
  template <class V>
  static constexpr V value(V x) { return log1p(x); }
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<arg<0>>, [](auto g, auto self) { return g / (self + 1); }));
};
struct Log2 : float_function {
  static constexpr auto schema = "log2(Tensor self) -> Tensor";
  static constexpr auto doc = "Logarithm to base 2.";
  template <class V>
  static constexpr V value(V x) { return log2(x); }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<arg<0>>, [](auto g, auto self) { return g / (self * 0.69314718055994530942); }));
};

// ---- trigonometric and hyperbolic functions -----------------------------------------------------

struct Acos : float_function {
  static constexpr auto schema = "acos(Tensor self) -> Tensor";
  static constexpr auto doc = "Inverse cosine, in radians.";
  template <class V>
  static constexpr V value(V x) { return acos(x); }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<arg<0>>, [](auto g, auto self) { return -g * rsqrt(1 - square(self)); }));
};
struct Acosh : float_function {
  static constexpr auto schema = "acosh(Tensor self) -> Tensor";
  static constexpr auto doc = "Inverse hyperbolic cosine.";
  template <class V>
  static constexpr V value(V x) { return acosh(x); }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<arg<0>>, [](auto g, auto self) { return g * rsqrt(square(self) - 1); }));
};
struct Asin : float_function {
  static constexpr auto schema = "asin(Tensor self) -> Tensor";
  static constexpr auto doc = "Inverse sine, in radians.";
  template <class V>
  static constexpr V value(V x) { return asin(x); }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<arg<0>>, [](auto g, auto self) { return g * rsqrt(1 - square(self)); }));
};
struct Asinh : float_function {
  static constexpr auto schema = "asinh(Tensor self) -> Tensor";
  static constexpr auto doc = "Inverse hyperbolic sine.";
  template <class V>
  static constexpr V value(V x) { return asinh(x); }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<arg<0>>, [](auto g, auto self) { return g * rsqrt(square(self) + 1); }));
};
struct Atan : float_function {
  static constexpr auto schema = "atan(Tensor self) -> Tensor";
  static constexpr auto doc = "Inverse tangent, in radians.";
  template <class V>
  static constexpr V value(V x) { return atan(x); }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<arg<0>>, [](auto g, auto self) { return g / (square(self) + 1); }));
};
struct Atanh : float_function {
  static constexpr auto schema = "atanh(Tensor self) -> Tensor";
  static constexpr auto doc = "Inverse hyperbolic tangent.";
  template <class V>
  static constexpr V value(V x) { return atanh(x); }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<arg<0>>, [](auto g, auto self) { return g / (1 - square(self)); }));
};
struct Cos : float_function {
  static constexpr auto schema = "cos(Tensor self) -> Tensor";
  static constexpr auto doc = "Cosine of an angle in radians.";
  template <class V>
  static constexpr V value(V x) { return cos(x); }
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<arg<0>>, [](auto g, auto self) { return -g * sin(self); }));
};
struct Cosh : float_function {
  static constexpr auto schema = "cosh(Tensor self) -> Tensor";
  static constexpr auto doc = "Hyperbolic cosine.";
  template <class V>
  static constexpr V value(V x) { return cosh(x); }
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<arg<0>>, [](auto g, auto self) { return g * sinh(self); }));
};
struct Sin : float_function {
  static constexpr auto schema = "sin(Tensor self) -> Tensor";
  static constexpr auto doc = "Sine of an angle in radians.";
  template <class V>
  static constexpr V value(V x) { return sin(x); }
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<arg<0>>, [](auto g, auto self) { return g * cos(self); }));
};
struct Sinh : float_function {
  static constexpr auto schema = "sinh(Tensor self) -> Tensor";
  static constexpr auto doc = "Hyperbolic sine.";
  template <class V>
  static constexpr V value(V x) { return sinh(x); }
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<arg<0>>, [](auto g, auto self) { return g * cosh(self); }));
};
struct Tan : float_function {
  static constexpr auto schema = "tan(Tensor self) -> Tensor";
  static constexpr auto doc = "Tangent of an angle in radians.";
  template <class V>
  static constexpr V value(V x) { return tan(x); }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<ret<0>>, [](auto g, auto result) { return g * (square(result) + 1); }));
};
struct Tanh : float_function {
  static constexpr auto schema = "tanh(Tensor self) -> Tensor";
  static constexpr auto doc = "Hyperbolic tangent.";
  template <class V>
  static constexpr V value(V x) { return tanh(x); }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<ret<0>>, [](auto g, auto result) { return tanh_backward(g, result); }));
};
struct Sinc : float_function {
  static constexpr auto schema = "sinc(Tensor self) -> Tensor";
  static constexpr auto doc = "sin(pi x) / (pi x), and 1 at zero.";
  template <class V>
  static constexpr V value(V x) { return sinc(x); }
  static constexpr auto gradients = std::make_tuple(gradient<0>(reads<arg<0>>, [](auto g, auto self) {
    auto angle = self * 3.14159265358979323846;
    return g * masked_fill((angle * cos(angle) - sin(angle)) / (angle * self), eq(self, 0), 0);
  }));
};
struct Deg2rad : float_function {
  static constexpr auto schema = "deg2rad(Tensor self) -> Tensor";
  static constexpr auto doc = "Degrees to radians.";
  template <class V>
  static constexpr V value(V x) { return x * V(0.017453292519943295769); }
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<>, [](auto g) { return g * 0.017453292519943295769; }));
};
struct Rad2deg : float_function {
  static constexpr auto schema = "rad2deg(Tensor self) -> Tensor";
  static constexpr auto doc = "Radians to degrees.";
  template <class V>
  static constexpr V value(V x) { return x * V(57.295779513082320877); }
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<>, [](auto g) { return g * 57.295779513082320877; }));
};

// ---- special functions --------------------------------------------------------------------------

struct Erf : float_function {
  static constexpr auto schema = "erf(Tensor self) -> Tensor";
  static constexpr auto doc = "Error function: 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x.";
  template <class V>
  static constexpr V value(V x) { return erf(x); }
  static constexpr auto gradients = std::make_tuple(gradient<0>(reads<arg<0>>, [](auto g, auto self) {
    return g * exp(-square(self)) * 1.12837916709551257390;  // 2 / sqrt(pi)
  }));
};
struct Erfc : float_function {
  static constexpr auto schema = "erfc(Tensor self) -> Tensor";
  static constexpr auto doc = "1 - erf(x), accurate for large x.";
  template <class V>
  static constexpr V value(V x) { return erfc(x); }
  static constexpr auto gradients = std::make_tuple(gradient<0>(reads<arg<0>>, [](auto g, auto self) {
    return g * exp(-square(self)) * -1.12837916709551257390;
  }));
};
struct Erfinv : float_function {
  static constexpr auto schema = "erfinv(Tensor self) -> Tensor";
  static constexpr auto doc = "Inverse of erf: infinite at -1 and 1, NaN outside.";
  template <class V>
  static constexpr V value(V x) { return erfinv(x); }
  static constexpr auto gradients = std::make_tuple(gradient<0>(reads<ret<0>>, [](auto g, auto result) {
    return g * exp(square(result)) * 0.88622692545275801365;  // sqrt(pi) / 2
  }));
};
struct Lgamma : float_function {
  static constexpr auto schema = "lgamma(Tensor self) -> Tensor";
  static constexpr auto doc = "Logarithm of the absolute value of the gamma function.";
  template <class V>
  static constexpr V value(V x) { return lgamma(x); }
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<arg<0>>, [](auto g, auto self) { return g * digamma(self); }));
};
struct Digamma : float_function {
  static constexpr auto schema = "digamma(Tensor self) -> Tensor";
  static constexpr auto doc = "Derivative of lgamma.";
  template <class V>
  static constexpr V value(V x) { return digamma(x); }
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<arg<0>>, [](auto g, auto self) { return g * polygamma(1, self); }));
};
// The order is a schema's first parameter, so the tensor comes second; `value` has tensors first.
struct Polygamma : float_function {
  static constexpr auto schema = "polygamma(int n, Tensor self) -> Tensor";
  static constexpr auto doc = "n-th derivative of digamma, n >= 0.";
  static constexpr uint32_t flags = 0;
  static constexpr bool vectors = false;
  static void check(DType, const tn_value* args) {
    if (args[0].u.i < 0)
      fail(TN_INVALID_ARGUMENT, "polygamma(n, x) needs n >= 0, not %lld", static_cast<long long>(args[0].u.i));
  }
  template <class V>
  static constexpr V value(V x, V n) { return polygamma(n, x); }
  static constexpr auto gradients = std::make_tuple(gradient<1>(
      reads<integer<0>, arg<1>>, [](auto g, int64_t n, auto self) { return g * polygamma(n + 1, self); }));
};
struct Sigmoid : float_function {
  static constexpr auto schema = "sigmoid(Tensor self) -> Tensor";
  static constexpr auto doc = "1 / (1 + exp(-x)).";
  template <class V>
  static constexpr V value(V x) { return sigmoid(x); }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<ret<0>>, [](auto g, auto result) { return sigmoid_backward(g, result); }));
};

// ---- rounding -----------------------------------------------------------------------------------

struct Ceil : unary_real {
  static constexpr auto schema = "ceil(Tensor self) -> Tensor";
  static constexpr auto doc = "The smallest integer not below each element.";
  template <class V>
  static constexpr V value(V x) { return ceil(x); }
  static constexpr auto gradients = std::make_tuple(gradient<0>(reads<>, detail::zero_gradient));
};
struct Floor : unary_real {
  static constexpr auto schema = "floor(Tensor self) -> Tensor";
  static constexpr auto doc = "The largest integer not above each element.";
  template <class V>
  static constexpr V value(V x) { return floor(x); }
  static constexpr auto gradients = std::make_tuple(gradient<0>(reads<>, detail::zero_gradient));
};
struct Round : unary_real {
  static constexpr auto schema = "round(Tensor self) -> Tensor";
  static constexpr auto doc = "The nearest integer; of two, the even one.";
  template <class V>
  static constexpr V value(V x) { return round(x); }
  static constexpr auto gradients = std::make_tuple(gradient<0>(reads<>, detail::zero_gradient));
};
struct Trunc : unary_real {
  static constexpr auto schema = "trunc(Tensor self) -> Tensor";
  static constexpr auto doc = "The integer part, rounding towards zero.";
  template <class V>
  static constexpr V value(V x) { return trunc(x); }
  static constexpr auto gradients = std::make_tuple(gradient<0>(reads<>, detail::zero_gradient));
};
struct Frac : pointwise {
  static constexpr auto schema = "frac(Tensor self) -> Tensor";
  static constexpr auto doc = "x - trunc(x).";
  static constexpr auto promotion = TN_PROMOTE_COMMON;
  static constexpr auto dtypes = floats;
  template <class V>
  static constexpr V value(V x) { return x - trunc(x); }
  static constexpr auto gradients = std::make_tuple(gradient<0>(reads<>, [](auto g) { return g; }));
};

struct NanToNum : pointwise {
  static constexpr auto schema =
      "nan_to_num(Tensor self, float? nan=None, float? posinf=None, float? neginf=None) -> Tensor";
  static constexpr auto doc =
      "Replaces NaN (by 0) and the infinities (by the dtype's largest and lowest number), or by what is given.";
  static constexpr auto promotion = TN_PROMOTE_COMMON;
  static constexpr auto dtypes = all_reals;
  // The limits are those of the dtype in memory, which for 16-bit floats is narrower than float.
  static double absent(int i, DType dtype) {
    const double largest = dtype == TN_F16    ? 65504.0
                           : dtype == TN_BF16 ? 0x1.fep127
                           : dtype == TN_F32  ? std::numeric_limits<float>::max()
                                              : std::numeric_limits<double>::max();
    return i == 0 ? 0 : i == 1 ? largest : -largest;
  }
  template <class V>
  static constexpr V value(V x, V nan, V posinf, V neginf) {
    if constexpr (is_real_number<V>) {
      return select(isnan(x), nan, select(x == infinity<V>(), posinf, select(x == -infinity<V>(), neginf, x)));
    } else {
      return x;
    }
  }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<arg<0>>, [](auto g, auto self) { return g * isfinite(self); }));
};

// ---- bits and questions -------------------------------------------------------------------------

struct BitwiseNot : pointwise {
  static constexpr auto schema = "bitwise_not(Tensor self) -> Tensor";
  static constexpr auto doc = "All bits inverted; for bool, not.";
  static constexpr auto promotion = TN_PROMOTE_COMMON;
  static constexpr auto dtypes = integers | bools;
  static constexpr uint32_t flags = TN_OP_INPLACE | TN_OP_NOT_DIFFERENTIABLE;
  template <class V>
  static constexpr V value(V x) { return bitwise_not(x); }
};
struct LogicalNot : predicate {
  static constexpr auto schema = "logical_not(Tensor self) -> Tensor";
  static constexpr auto doc = "True where an element is zero.";
  static constexpr auto dtypes = all_numbers;
  template <class V>
  static constexpr auto value(V x) { return x == V(0); }
};
// Questions that PyTorch has no in-place form of.
struct inspection : predicate {
  static constexpr uint32_t flags = TN_OP_NOT_DIFFERENTIABLE;
};
struct Isfinite : inspection {
  static constexpr auto schema = "isfinite(Tensor self) -> Tensor";
  static constexpr auto doc = "True where an element is neither infinite nor NaN.";
  template <class V>
  static constexpr auto value(V x) { return isfinite(x); }
};
struct Isinf : inspection {
  static constexpr auto schema = "isinf(Tensor self) -> Tensor";
  static constexpr auto doc = "True where an element is infinite.";
  template <class V>
  static constexpr auto value(V x) { return isinf(x); }
};
struct Isnan : inspection {
  static constexpr auto schema = "isnan(Tensor self) -> Tensor";
  static constexpr auto doc = "True where an element is NaN.";
  template <class V>
  static constexpr auto value(V x) { return isnan(x); }
};
struct Isposinf : inspection {
  static constexpr auto schema = "isposinf(Tensor self) -> Tensor";
  static constexpr auto doc = "True where an element is positive infinity.";
  template <class V>
  static constexpr auto value(V x) { return isinf(x) && (x > V(0)); }
};
struct Isneginf : inspection {
  static constexpr auto schema = "isneginf(Tensor self) -> Tensor";
  static constexpr auto doc = "True where an element is negative infinity.";
  template <class V>
  static constexpr auto value(V x) { return isinf(x) && (x < V(0)); }
};
struct Signbit : inspection {
  static constexpr auto schema = "signbit(Tensor self) -> Tensor";
  static constexpr auto doc = "True where the sign bit is set, that of -0.0 and of a NaN included.";
  template <class V>
  static constexpr auto value(V x) { return signbit(x); }
};

// In groups of about equal cost to compile.
using exponential_ops = list<Sqrt, Rsqrt, Exp, Exp2, Expm1, Log, Log10, Log1p, Log2, Sigmoid>;
using trigonometric_ops = list<Acos, Acosh, Asin, Asinh, Atan, Atanh, Cos, Cosh, Sin, Sinh, Tan, Tanh, Sinc,
                               Deg2rad, Rad2deg>;
using special_ops = list<Erf, Erfc, Erfinv, Lgamma, Digamma, Polygamma>;
using sign_ops = list<Abs, Neg, Positive, Sign, Sgn, Square, Reciprocal, Ceil, Floor, Round, Trunc, Frac, NanToNum>;
using inspection_ops =
    list<BitwiseNot, LogicalNot, Isfinite, Isinf, Isnan, Isposinf, Isneginf, Signbit>;

}  // namespace tn::ops
