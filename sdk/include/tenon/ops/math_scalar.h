// math_scalar.h - the primitives of tenon/ops/math.h for C++ scalars. Include that header.
//
// Everything is a template that takes part only for its class of types, so that no call converts an
// argument silently: sin(1) does not compile, maximum(1, 2.0) neither.
#pragma once
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace tn::ops {

template <class V, class = void>
struct lane {
  using type = V;
};
template <class V>
struct lane<V, std::void_t<typename V::lane_type>> {
  using type = typename V::lane_type;
};

// The type of one number in V: V itself, or a vector's lane_type.
template <class V>
using lane_t = typename lane<V>::type;

// float, double and vectors of them.
template <class V>
using if_real = std::enable_if_t<std::is_floating_point<lane_t<V>>::value, int>;
// float, double.
template <class T>
using if_float = std::enable_if_t<std::is_floating_point<T>::value, int>;
// The integers and bool.
template <class T>
using if_integer = std::enable_if_t<std::is_integral<T>::value, int>;
template <class T>
using if_scalar = std::enable_if_t<std::is_arithmetic<T>::value, int>;

template <class V, if_real<V> = 0>
constexpr V infinity() {
  return V(std::numeric_limits<lane_t<V>>::infinity());
}
template <class V, if_real<V> = 0>
constexpr V quiet_nan() {
  return V(std::numeric_limits<lane_t<V>>::quiet_NaN());
}

// ---- Arithmetic, rounding, classification -------------------------------------------------------

template <class T, if_scalar<T> = 0>
constexpr T select(bool condition, T a, T b) {
  return condition ? a : b;
}

template <class T, if_float<T> = 0>
constexpr bool isnan(T x) {
  return x != x;
}
template <class T, if_float<T> = 0>
constexpr bool isinf(T x) {
  return x == infinity<T>() || x == -infinity<T>();
}
template <class T, if_float<T> = 0>
constexpr bool isfinite(T x) {
  return x - x == T(0);
}
template <class T, if_float<T> = 0>
constexpr bool signbit(T x) {
  return std::signbit(x);
}

template <class T, if_float<T> = 0>
constexpr T abs(T x) {
  return std::fabs(x);
}
template <class T, if_float<T> = 0>
constexpr T ceil(T x) {
  return std::ceil(x);
}
template <class T, if_float<T> = 0>
constexpr T floor(T x) {
  return std::floor(x);
}
template <class T, if_float<T> = 0>
constexpr T trunc(T x) {
  return std::trunc(x);
}
// To nearest, ties to even: the rounding mode is never changed.
template <class T, if_float<T> = 0>
constexpr T round(T x) {
  return std::rint(x);
}
template <class T, if_float<T> = 0>
constexpr T sqrt(T x) {
  return std::sqrt(x);
}
template <class T, if_float<T> = 0>
constexpr T fma(T a, T b, T c) {
  return std::fma(a, b, c);
}
template <class T, if_float<T> = 0>
constexpr T copysign(T magnitude, T sign) {
  return std::copysign(magnitude, sign);
}
// -1, 0 or 1; 0 for NaN.
template <class T, if_float<T> = 0>
constexpr T sign(T x) {
  return static_cast<T>((x > T(0)) - (x < T(0)));
}

// The larger, or NaN if either is NaN.
template <class T, if_scalar<T> = 0>
constexpr T maximum(T a, T b) {
  return a != a || b < a ? a : b;
}
template <class T, if_scalar<T> = 0>
constexpr T minimum(T a, T b) {
  return a != a || a < b ? a : b;
}
// The larger, or the other one if one is NaN.
template <class T, if_scalar<T> = 0>
constexpr T fmax(T a, T b) {
  return b != b || b < a ? a : b;
}
template <class T, if_scalar<T> = 0>
constexpr T fmin(T a, T b) {
  return b != b || a < b ? a : b;
}

// ---- Functions of the C library -----------------------------------------------------------------

template <class T, if_float<T> = 0>
constexpr T acos(T x) {
  return std::acos(x);
}
template <class T, if_float<T> = 0>
constexpr T acosh(T x) {
  return std::acosh(x);
}
template <class T, if_float<T> = 0>
constexpr T asin(T x) {
  return std::asin(x);
}
template <class T, if_float<T> = 0>
constexpr T asinh(T x) {
  return std::asinh(x);
}
template <class T, if_float<T> = 0>
constexpr T atan(T x) {
  return std::atan(x);
}
template <class T, if_float<T> = 0>
constexpr T atan2(T y, T x) {
  return std::atan2(y, x);
}
template <class T, if_float<T> = 0>
constexpr T atanh(T x) {
  return std::atanh(x);
}
template <class T, if_float<T> = 0>
constexpr T cos(T x) {
  return std::cos(x);
}
template <class T, if_float<T> = 0>
constexpr T cosh(T x) {
  return std::cosh(x);
}
template <class T, if_float<T> = 0>
constexpr T erf(T x) {
  return std::erf(x);
}
template <class T, if_float<T> = 0>
constexpr T erfc(T x) {
  return std::erfc(x);
}
template <class T, if_float<T> = 0>
constexpr T exp(T x) {
  return std::exp(x);
}
template <class T, if_float<T> = 0>
constexpr T exp2(T x) {
  return std::exp2(x);
}
template <class T, if_float<T> = 0>
constexpr T expm1(T x) {
  return std::expm1(x);
}
// The remainder of trunc(a / b), exact, with the sign of a, as C's.
template <class T, if_float<T> = 0>
constexpr T fmod(T a, T b) {
  return std::fmod(a, b);
}
template <class T, if_float<T> = 0>
constexpr T hypot(T a, T b) {
  return std::hypot(a, b);
}
template <class T, if_float<T> = 0>
constexpr T lgamma(T x) {
  return std::lgamma(x);
}
template <class T, if_float<T> = 0>
constexpr T log(T x) {
  return std::log(x);
}
template <class T, if_float<T> = 0>
constexpr T log10(T x) {
  return std::log10(x);
}
template <class T, if_float<T> = 0>
constexpr T log1p(T x) {
  return std::log1p(x);
}
template <class T, if_float<T> = 0>
constexpr T log2(T x) {
  return std::log2(x);
}
template <class T, if_float<T> = 0>
constexpr T nextafter(T x, T towards) {
  return std::nextafter(x, towards);
}
template <class T, if_float<T> = 0>
constexpr T pow(T x, T exponent) {
  return std::pow(x, exponent);
}
template <class T, if_float<T> = 0>
constexpr T sin(T x) {
  return std::sin(x);
}
template <class T, if_float<T> = 0>
constexpr T sinh(T x) {
  return std::sinh(x);
}
template <class T, if_float<T> = 0>
constexpr T tan(T x) {
  return std::tan(x);
}
template <class T, if_float<T> = 0>
constexpr T tanh(T x) {
  return std::tanh(x);
}

}  // namespace tn::ops
