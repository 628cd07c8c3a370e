// math_special.h - special functions of tenon/ops/math.h that no C library has, for scalars.
// Include that header.
#pragma once
#include "tenon/ops/math_scalar.h"

namespace tn::ops {

// The logarithmic derivative of the gamma function. NaN at the negative integers; at +-0 an
// infinity of the opposite sign.
//
// Recurrence up to x >= 10, where the asymptotic series (Abramowitz and Stegun, 6.3.18) has full
// double precision after seven terms; reflection (6.3.7) for negative x. Computed in double for
// float as well, since the sum cancels near its positive root at 1.4616.
template <class T, if_float<T> = 0>
constexpr T digamma(T argument) {
  double x = static_cast<double>(argument);
  if (x == 0) return static_cast<T>(std::copysign(infinity<double>(), -x));
  double result = 0;
  if (x < 0) {
    // The tangent has period pi: reduced to the nearest integer, a small x keeps its digits.
    const double fraction = x - std::rint(x);
    if (!(fraction != 0)) return quiet_nan<T>();
    constexpr double pi = 3.14159265358979323846;
    result = -pi / std::tan(pi * fraction);
    x = 1 - x;
  }
  while (x < 10) {
    result -= 1 / x;
    x += 1;
  }
  if (x > 1e17) return static_cast<T>(result + std::log(x));
  constexpr double coefficients[] = {1.0 / 12,  -691.0 / 32760, 1.0 / 132, -1.0 / 240,
                                     1.0 / 252, -1.0 / 120,     1.0 / 12};
  const double y = 1 / (x * x);
  double series = 0;
  for (double c : coefficients) series = series * y + c;
  return static_cast<T>(result + std::log(x) - 0.5 / x - y * series);
}

// The modified Bessel function of the first kind, order 0; even, infinite at +-infinity.
//
// The power series (Abramowitz and Stegun, 9.6.12), whose terms are all positive, up to 30; beyond,
// the asymptotic one (9.7.1), whose smallest term is then below exp(-60).
template <class T, if_float<T> = 0>
constexpr T i0(T argument) {
  const double x = std::fabs(static_cast<double>(argument));
  if (!(x < 720)) return static_cast<T>(x + infinity<double>());  // NaN stays NaN
  double sum = 1;
  double term = 1;
  for (int k = 1; term > sum * 1e-17; ++k) {
    const double odd = 2 * k - 1;
    term *= x <= 30 ? x * x / (4.0 * k * k) : odd * odd / (8.0 * k * x);
    sum += term;
  }
  if (x <= 30) return static_cast<T>(sum);
  constexpr double two_pi = 6.28318530717958647693;
  const double root = std::exp(0.5 * x);  // exp(x) itself overflows before i0 does
  return static_cast<T>(root * (root * sum / std::sqrt(two_pi * x)));
}

}  // namespace tn::ops
