// math_check.h - compares a function of the vocabulary with an oracle in long double, in ULP.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "plugins/cpu/vector.h"

namespace tn::test {

using Real = long double;

// The error of `actual`, in units of the last place of T at the true value. Infinite where the kind
// of number is wrong: NaN or not, infinite or not, and the sign of a zero that is exact.
template <class T>
double error_in_ulp(T actual, Real expected) {
  constexpr double wrong = std::numeric_limits<double>::infinity();
  using Limits = std::numeric_limits<T>;
  if (std::isnan(expected)) return std::isnan(actual) ? 0 : wrong;
  if (std::isnan(actual)) return wrong;
  if (std::isinf(expected)) return static_cast<Real>(actual) == expected ? 0 : wrong;
  if (expected == 0 && actual == 0)
    return std::signbit(actual) == std::signbit(expected) ? 0 : wrong;
  int exponent = 0;
  std::frexp(expected, &exponent);
  exponent = std::min(std::max(exponent, Limits::min_exponent), Limits::max_exponent);
  const Real ulp = std::ldexp(Real(1), exponent - Limits::digits);
  // An infinity stands for the power of two that it replaces.
  const Real value = std::isinf(actual)
                         ? std::copysign(std::ldexp(Real(1), Limits::max_exponent), Real(actual))
                         : Real(actual);
  const bool both_overflow = std::isinf(actual) && std::fabs(expected) > std::fabs(value) &&
                             std::signbit(actual) == std::signbit(expected);
  return both_overflow ? 0 : static_cast<double>(std::fabs(value - expected) / ulp);
}

template <class T>
std::vector<T> special_values() {
  using Limits = std::numeric_limits<T>;
  const T magnitudes[] = {0,
                          Limits::denorm_min(),
                          3 * Limits::denorm_min(),
                          Limits::min() / 2,
                          Limits::min(),
                          Limits::epsilon() / 2,
                          Limits::epsilon(),
                          T(0.5),
                          1 - Limits::epsilon() / 2,
                          1,
                          1 + Limits::epsilon(),
                          2,
                          3,
                          10,
                          1 / Limits::epsilon(),
                          std::sqrt(Limits::max()),
                          Limits::max() / 2,
                          Limits::max(),
                          Limits::infinity(),
                          Limits::quiet_NaN()};
  std::vector<T> values;
  for (T m : magnitudes) {
    values.push_back(m);
    values.push_back(-m);
  }
  return values;
}

template <class T>
T random_bits(std::mt19937_64& random) {
  const std::uint64_t bits = random();
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// Arguments for functions of one number: special values, random bit patterns (every magnitude, NaN
// included), uniform numbers over ranges from 1 to 1000, and those next to 1 and to multiples of
// pi/2.
template <class T>
std::vector<T> samples() {
  std::mt19937_64 random(20240229);
  std::vector<T> values = special_values<T>();
  for (int i = 0; i < 20000; ++i) values.push_back(random_bits<T>(random));
  for (T range : {T(1), T(5), T(30), T(120), T(1000)}) {
    std::uniform_real_distribution<T> uniform(-range, range);
    for (int i = 0; i < 10000; ++i) values.push_back(uniform(random));
  }
  for (int k = 1; k < std::numeric_limits<T>::digits; ++k) {
    values.push_back(1 + std::ldexp(T(1), -k));
    values.push_back(1 - std::ldexp(T(1), -k));
    values.push_back(std::ldexp(T(1), k));
  }
  for (int k = 1; k < 4000; k += k < 200 ? 1 : 37) {
    for (T scale : {T(1), T(1000)}) {
      const T near_zero = static_cast<T>(k * scale * Real(1.57079632679489661923132169163975144L));
      values.push_back(near_zero);
      values.push_back(-std::nextafter(near_zero, T(0)));
    }
  }
  values.resize((values.size() + 15) / 16 * 16, T(1));
  return values;
}

// Pairs: every special value with every other, and random ones of like and unlike magnitude.
template <class T>
void sample_pairs(std::vector<T>& a, std::vector<T>& b) {
  std::mt19937_64 random(20240301);
  for (T x : special_values<T>()) {
    for (T y : special_values<T>()) {
      a.push_back(x);
      b.push_back(y);
    }
  }
  for (int i = 0; i < 20000; ++i) {
    a.push_back(random_bits<T>(random));
    b.push_back(random_bits<T>(random));
  }
  for (T range : {T(1), T(10), T(100)}) {
    std::uniform_real_distribution<T> uniform(-range, range);
    for (int i = 0; i < 10000; ++i) {
      a.push_back(uniform(random));
      b.push_back(i % 4 == 0 ? std::trunc(uniform(random)) : uniform(random));
    }
  }
  while (a.size() % 16 != 0) {
    a.push_back(1);
    b.push_back(1);
  }
}

// The largest error over some calls, and the call that had it.
struct Worst {
  double ulp = 0;
  std::string call;
};

template <class T, class... A>
void note(Worst& worst, double ulp, T actual, Real expected, A... arguments) {
  if (!(ulp > worst.ulp)) return;
  std::ostringstream text;
  text.precision(17);
  text << "f(";
  ((text << arguments << ' '), ...);
  text << ") = " << actual << ", expected " << expected;
  worst = {ulp, text.str()};
}

// How far a result may be off: in ULP, or absolutely in multiples of T's epsilon (for functions
// whose zeros are not at exact arguments).
struct Limit {
  double float_ulp, double_ulp;
  double absolute = 0;

  template <class T>
  double ulp() const {
    return sizeof(T) == sizeof(float) ? float_ulp : double_ulp;
  }
};

template <class T>
void compare(Worst& worst, const Limit& limit, T actual, Real expected, auto... arguments) {
  const Real tolerated = limit.absolute * std::numeric_limits<T>::epsilon();
  if (std::fabs(Real(actual) - expected) <= tolerated) return;
  note(worst, error_in_ulp(actual, expected), actual, expected, arguments...);
}

}  // namespace tn::test
