// math_integer.h - the part of tenon/ops/math.h that is defined for integers (and bool). Include
// that header.
//
// Results wrap modulo 2^bits, as PyTorch's; the calculation is done on unsigned numbers, where that
// is defined. Divisors of 0 give 0, and the lowest number divided by -1 wraps to itself.
#pragma once
#include <limits>
#include <type_traits>

#include "tenon/ops/math_scalar.h"

namespace tn::ops {
namespace detail {

// Wide enough that no narrower operand is promoted back to a signed int.
template <class T>
using unsigned_t = std::make_unsigned_t<decltype(T() + T())>;

template <class T>
constexpr T wrap_multiply(T a, T b) {
  return static_cast<T>(static_cast<unsigned_t<T>>(a) * static_cast<unsigned_t<T>>(b));
}
template <class T>
constexpr T wrap_negate(T x) {
  return static_cast<T>(unsigned_t<T>(0) - static_cast<unsigned_t<T>>(x));
}
template <class T>
constexpr bool is_negative(T x) {
  if constexpr (std::is_signed<T>::value) {
    return x < T(0);
  } else {
    return false;
  }
}
template <class T>
constexpr bool is_minus_one(T x) {
  return std::is_signed<T>::value && x == static_cast<T>(-1);
}

}  // namespace detail

template <class T, if_integer<T> = 0>
constexpr bool isnan(T) {
  return false;
}
template <class T, if_integer<T> = 0>
constexpr bool isinf(T) {
  return false;
}
template <class T, if_integer<T> = 0>
constexpr bool isfinite(T) {
  return true;
}
template <class T, if_integer<T> = 0>
constexpr bool signbit(T x) {
  return detail::is_negative(x);
}

template <class T, if_integer<T> = 0>
constexpr T abs(T x) {
  return detail::is_negative(x) ? detail::wrap_negate(x) : x;
}
template <class T, if_integer<T> = 0>
constexpr T sign(T x) {
  return static_cast<T>(detail::is_negative(x) ? -1 : x != T(0));
}
template <class T, if_integer<T> = 0>
constexpr T ceil(T x) {
  return x;
}
template <class T, if_integer<T> = 0>
constexpr T floor(T x) {
  return x;
}
template <class T, if_integer<T> = 0>
constexpr T trunc(T x) {
  return x;
}
template <class T, if_integer<T> = 0>
constexpr T round(T x) {
  return x;
}
template <class T, if_integer<T> = 0>
constexpr T square(T x) {
  return detail::wrap_multiply(x, x);
}
template <class T, if_integer<T> = 0>
constexpr T fma(T a, T b, T c) {
  using U = detail::unsigned_t<T>;
  return static_cast<T>(static_cast<U>(a) * static_cast<U>(b) + static_cast<U>(c));
}

template <class T, if_integer<T> = 0>
constexpr T trunc_divide(T a, T b) {
  if (b == T(0)) return T(0);
  return detail::is_minus_one(b) ? detail::wrap_negate(a) : static_cast<T>(a / b);
}
// With the sign of the dividend.
template <class T, if_integer<T> = 0>
constexpr T fmod(T a, T b) {
  return b == T(0) || detail::is_minus_one(b) ? T(0) : static_cast<T>(a % b);
}
// With the sign of the divisor.
template <class T, if_integer<T> = 0>
constexpr T remainder(T a, T b) {
  const T r = fmod(a, b);
  const bool signs_differ = detail::is_negative(r) != detail::is_negative(b);
  return r != T(0) && signs_differ ? static_cast<T>(r + b) : r;
}
template <class T, if_integer<T> = 0>
constexpr T floor_divide(T a, T b) {
  const T quotient = trunc_divide(a, b);
  const bool signs_differ = detail::is_negative(a) != detail::is_negative(b);
  return fmod(a, b) != T(0) && signs_differ ? static_cast<T>(quotient - 1) : quotient;
}

// By squaring. A negative exponent gives the truncated value: 0, but for the bases 1 and -1.
template <class T, if_integer<T> = 0>
constexpr T pow(T base, T exponent) {
  if (detail::is_negative(exponent)) {
    if (base == T(1)) return T(1);
    if (detail::is_minus_one(base)) return exponent % 2 == 0 ? T(1) : base;
    return T(0);
  }
  T result = T(1);
  for (auto bits = static_cast<detail::unsigned_t<T>>(exponent); bits != 0; bits >>= 1) {
    if ((bits & 1) != 0) result = detail::wrap_multiply(result, base);
    base = detail::wrap_multiply(base, base);
  }
  return result;
}

// Never negative, but for the lowest number, whose magnitude wraps.
template <class T, if_integer<T> = 0>
constexpr T gcd(T a, T b) {
  while (b != T(0)) {
    const T r = fmod(a, b);
    a = b;
    b = r;
  }
  return abs(a);
}
template <class T, if_integer<T> = 0>
constexpr T lcm(T a, T b) {
  return abs(detail::wrap_multiply(trunc_divide(a, gcd(a, b)), b));
}

// Shifts by fewer than 0 or by at least as many places as T has bits shift everything out; to the
// right that leaves copies of the sign. Not for bool.
template <class T, if_integer<T> = 0>
constexpr T shift_left(T x, T places) {
  constexpr int bits = static_cast<int>(8 * sizeof(T));
  if (detail::is_negative(places) || places >= static_cast<T>(bits)) return T(0);
  return static_cast<T>(static_cast<detail::unsigned_t<T>>(x) << places);
}
template <class T, if_integer<T> = 0>
constexpr T shift_right(T x, T places) {
  constexpr int bits = static_cast<int>(8 * sizeof(T));
  if (detail::is_negative(places) || places >= static_cast<T>(bits)) {
    return detail::is_negative(x) ? static_cast<T>(-1) : T(0);
  }
  return static_cast<T>(x >> places);
}
// ~x, and "not" for bool.
template <class T, if_integer<T> = 0>
constexpr T bitwise_not(T x) {
  if constexpr (std::is_same<T, bool>::value) {
    return !x;
  } else {
    return static_cast<T>(~x);
  }
}

}  // namespace tn::ops
