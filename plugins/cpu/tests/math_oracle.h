// math_oracle.h - in long double, the functions of the vocabulary that <cmath> does not have.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

#include "math_check.h"

namespace tn::test {

inline Real sigmoid_oracle(Real x) {
  return 1 / (1 + std::exp(-x));
}

inline Real digamma_oracle(Real x) {
  if (x == 0) return std::copysign(std::numeric_limits<Real>::infinity(), -x);
  if (std::isinf(x) && x > 0) return x;
  const Real pi = std::acos(Real(-1));
  if (x < 0) {
    const Real fraction = x - std::rint(x);
    if (!(std::fabs(fraction) > 0)) return std::numeric_limits<Real>::quiet_NaN();
    return digamma_oracle(1 - x) - pi / std::tan(pi * fraction);
  }
  Real result = 0;
  for (; x < 40; ++x) result -= 1 / x;
  const Real y = 1 / x / x;
  return result + std::log(x) - 1 / (2 * x) -
         y * (Real(1) / 12 -
              y * (Real(1) / 120 - y * (Real(1) / 252 - y * (Real(1) / 240 - y / 132))));
}

inline Real i0_oracle(Real x) {
  if (!(std::fabs(x) < 1000)) return std::fabs(x) * std::numeric_limits<Real>::infinity();
  Real sum = 1, term = 1;
  for (int k = 1; term > sum * 1e-21L; ++k) sum += term *= x * x / (4.0L * k * k);
  return sum;
}

// Halley's iteration in long double, on erfc where that has the digits.
inline Real erfinv_oracle(Real x) {
  const Real y = std::fabs(x);
  if (y == 1) return x * std::numeric_limits<Real>::infinity();
  if (!(y < 1)) return std::numeric_limits<Real>::quiet_NaN();
  if (y < 1e-10L) return x * std::sqrt(std::acos(Real(-1))) / 2;
  Real z = y;
  for (int i = 0; i < 60; ++i) {
    const Real error = y < 0.5L ? std::erf(z) - y : (1 - y) - std::erfc(z);
    const Real step = error * std::exp(z * z) * std::sqrt(std::acos(Real(-1))) / 2;
    const Real next = z - step / (1 + z * step);
    if (std::fabs(next - z) <= 1e-18L * z) break;
    z = next;
  }
  return std::copysign(z, x);
}

inline Real remainder_oracle(Real a, Real b) {
  const Real r = std::fmod(a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

template <class T>
inline Real floor_divide_oracle(T a, T b) {
  if (b == 0) return a / b;
  if (std::isinf(b) && std::isfinite(a)) {
    return a != 0 && std::signbit(a) != std::signbit(b) ? Real(-1) : Real(a / b);
  }
  const Real quotient = std::round((Real(a) - remainder_oracle(a, b)) / b);
  return quotient == 0 ? std::copysign(Real(0), a / b) : quotient;
}

inline Real logaddexp_oracle(Real a, Real b) {
  if (a == b && std::isinf(a)) return a;
  if (std::isnan(a) || std::isnan(b)) return a + b;
  return std::max(a, b) + std::log1p(std::exp(-std::fabs(a - b)));
}
inline Real logaddexp2_oracle(Real a, Real b) {
  if (a == b && std::isinf(a)) return a;
  if (std::isnan(a) || std::isnan(b)) return a + b;
  return std::max(a, b) + std::log1p(std::exp2(-std::fabs(a - b))) / std::log(Real(2));
}
inline Real maximum_oracle(Real a, Real b) {
  return std::isnan(a) || std::isnan(b) ? a + b : std::max(a, b);
}
inline Real minimum_oracle(Real a, Real b) {
  return std::isnan(a) || std::isnan(b) ? a + b : std::min(a, b);
}

}  // namespace tn::test
