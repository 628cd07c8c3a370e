// math_polygamma.h - the derivatives of digamma, for scalars.
#pragma once

#include <tenon/ops/math_special.h>

namespace tn::ops {
namespace detail {

// Hurwitz's zeta function, the sum of (q + k)^-s over k >= 0, for s > 1 and q > 0: ten terms, then
// the Euler-Maclaurin formula with eight of its corrections (Abramowitz and Stegun, 23.1.30).
inline double hurwitz_zeta(double s, double q) {
  constexpr double bernoulli[] = {1.0 / 6,  -1.0 / 30,     1.0 / 42, -1.0 / 30,
                                  5.0 / 66, -691.0 / 2730, 7.0 / 6,  -3617.0 / 510};
  double sum = 0;
  for (int k = 0; k < 10; ++k) sum += std::pow(q + k, -s);
  const double x = q + 10;
  sum += std::pow(x, 1 - s) / (s - 1) + std::pow(x, -s) / 2;
  double term = s * std::pow(x, -s - 1) / 2;  // s (s+1) ... x^(-s-2j+1) / (2j)!
  for (int j = 0; j < 8; ++j) {
    sum += bernoulli[j] * term;
    const double k = 2 * j;
    term *= (s + k + 1) * (s + k + 2) / ((k + 3) * (k + 4) * x * x);
  }
  return sum;
}

// Of order n >= 1, a whole number. Left of zero the recurrence psi(x) = psi(x + 1) - (-1)^n n!
// x^(-n-1) is added up until the argument is positive; at its poles the result is infinite.
inline double polygamma(double n, double x) {
  const double sign = std::fmod(n, 2) == 0 ? -1 : 1;  // (-1)^(n+1)
  const double factorial = std::tgamma(n + 1);
  double sum = 0;
  if (x <= 0 && x == std::floor(x)) return sign * infinity<double>();
  if (x < -1e5) return quiet_nan<double>();  // the recurrence would take too long
  for (; x <= 0; x += 1) sum += std::pow(x, -n - 1);
  return sign * factorial * (sum + hurwitz_zeta(n + 1, x));
}

}  // namespace detail

// The n-th derivative of digamma(x); n is a whole number, 0 gives digamma itself.
template <class T, if_float<T> = 0>
T polygamma(T n, T x) {
  if (n == T(0)) return digamma(x);
  return static_cast<T>(detail::polygamma(static_cast<double>(n), static_cast<double>(x)));
}

}  // namespace tn::ops
