// math_complex.h - what the vocabulary of tenon/ops/math.h lacks for std::complex. Include that
// header.
//
// Arithmetic and the functions of the C library (abs, exp, log, pow, sqrt, the trigonometric ones
// and their inverses) are those of <complex>, found by argument-dependent lookup.
#pragma once
#include <complex>

#include "tenon/ops/math_scalar.h"

namespace tn::ops {

template <class V>
inline constexpr bool is_complex_number = false;
template <class T>
inline constexpr bool is_complex_number<std::complex<T>> = true;

template <class T>
bool isnan(std::complex<T> z) {
  return isnan(z.real()) || isnan(z.imag());
}
template <class T>
bool isinf(std::complex<T> z) {
  return isinf(z.real()) || isinf(z.imag());
}
template <class T>
bool isfinite(std::complex<T> z) {
  return isfinite(z.real()) && isfinite(z.imag());
}

template <class T>
std::complex<T> exp2(std::complex<T> z) {
  return exp(z * T(0.693147180559945309417));
}
// exp(x) cos(y) - 1 + i exp(x) sin(y), with 1 - cos(y) = 2 sin(y / 2)^2 against cancellation.
template <class T>
std::complex<T> expm1(std::complex<T> z) {
  const T x = z.real(), y = z.imag(), half = sin(y * T(0.5));
  return {expm1(x) * cos(y) - 2 * half * half, exp(x) * sin(y)};
}
// The magnitude of 1 + z is sqrt(1 + r) with r = x (2 + x) + y^2, which is exact near z = 0.
template <class T>
std::complex<T> log1p(std::complex<T> z) {
  const T x = z.real(), y = z.imag();
  if (!(std::norm(z) < T(0.25))) return log(std::complex<T>(x + 1, y));
  return {T(0.5) * log1p(x * (x + 2) + y * y), atan2(y, x + 1)};
}
template <class T>
std::complex<T> log2(std::complex<T> z) {
  return log(z) * T(1.44269504088896340736);
}
template <class T>
std::complex<T> rsqrt(std::complex<T> z) {
  return T(1) / sqrt(z);
}
// By the form whose exponential does not overflow.
template <class T>
std::complex<T> sigmoid(std::complex<T> z) {
  const std::complex<T> decay = exp(z.real() < 0 ? z : -z);
  return (z.real() < 0 ? decay : std::complex<T>(1)) / (T(1) + decay);
}
template <class T>
std::complex<T> sinc(std::complex<T> z) {
  if (z == T(0)) return T(1);
  const std::complex<T> angle = z * T(3.14159265358979323846);
  return sin(angle) / angle;
}
// The library's answer for a base of zero is exp(exponent * log(0)), a NaN for an exponent of zero.
template <class T>
std::complex<T> complex_power(std::complex<T> base, std::complex<T> exponent) {
  if (exponent == T(0)) return T(1);
  if (base == T(0) && exponent.real() > 0) return T(0);
  return pow(base, exponent);
}

}  // namespace tn::ops
