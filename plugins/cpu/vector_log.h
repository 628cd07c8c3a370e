// vector_log.h - logarithms and the inverse hyperbolic functions, which are logarithms.
//
// x = 2^e m with m in [sqrt(1/2), sqrt(2)); log(x) = e ln 2 + log(1 + f), f = m - 1. With s = f /
// (2 + f), log(1 + f) = 2 atanh(s) = f - f^2/2 + s (f^2/2 + s^2 Q(s^2)), in which f, exact, is the
// leading term; Q is a minimax polynomial (relative error of the logarithm 2^-30 for float, 2^-59
// for double).
#pragma once
#include <array>
#include <limits>

#include "vector_exp.h"
#include "vector_type.h"

namespace tn::cpu {
namespace detail {

template <class T>
struct LogConstants;

template <>
struct LogConstants<float> {
  using Bits = std::int32_t;
  static constexpr std::array poly = {0.666667759f, 0.399775356f, 0.298718661f};
  static constexpr Bits sqrt_half = 0x3f3504f3;
  static constexpr Bits magic = 0x4b000000;  // 2^23; its low bits are an integer's
};

template <>
struct LogConstants<double> {
  using Bits = std::int64_t;
  static constexpr std::array poly = {0.6666666666666734,  0.39999999999414299, 0.28571428742478971,
                                      0.22222198563131837, 0.18183564883178302, 0.15314035436912549,
                                      0.14796109336156382};
  static constexpr Bits sqrt_half = 0x3fe6a09e667f3bcd;
  static constexpr Bits magic = 0x4330000000000000;  // 2^52
};

template <class T>
struct LogParts {
  Vec<T> exponent;       // e
  Vec<T> mantissa;       // m
  Vec<T> inverse_power;  // 2^-e; meaningless from e = 127 (float) or 1023 on
};

// Of a positive normal number.
template <class T>
HWY_INLINE LogParts<T> log_parts(Vec<T> x) {
  using C = LogConstants<T>;
  using E = ExpConstants<T>;
  constexpr int shift = E::mantissa;
  constexpr typename C::Bits one = E::bias + 1;  // keeps the exponent's field positive below
  const hn::RebindToSigned<Tag<T>> integers;
  const hn::RebindToUnsigned<Tag<T>> naturals;
  const auto bits = hn::BitCast(integers, x.raw);
  const auto distance = hn::Add(bits, hn::Set(integers, (one << shift) - C::sqrt_half));
  const auto biased =
      hn::BitCast(integers, hn::ShiftRight<shift>(hn::BitCast(naturals, distance)));  // e + one
  const auto number = hn::Or(biased, hn::Set(integers, C::magic));
  const T offset = (sizeof(T) == sizeof(float) ? T(0x1p23) : T(0x1p52)) + T(one);
  const auto power = hn::ShiftLeft<shift>(hn::Sub(biased, hn::Set(integers, one)));
  const auto inverse = hn::Sub(hn::Set(integers, typename C::Bits(E::bias) << shift), power);
  return {Vec<T>(hn::BitCast(Tag<T>(), number)) - Vec<T>(offset),
          Vec<T>(hn::BitCast(Tag<T>(), hn::Sub(bits, power))),
          Vec<T>(hn::BitCast(Tag<T>(), inverse))};
}

// e ln 2 + log(1 + f)
template <class T>
HWY_INLINE Vec<T> log_from_parts(Vec<T> e, Vec<T> f) {
  using E = ExpConstants<T>;
  const Vec<T> s = f / (f + Vec<T>(2));
  const Vec<T> z = s * s;
  const Vec<T> half_square = f * f * Vec<T>(0.5);
  const Vec<T> tail =
      fma(s, fma(polynomial(z, LogConstants<T>::poly), z, half_square), e * Vec<T>(E::ln2_low));
  return fma(e, Vec<T>(E::ln2_high), f - (half_square - tail));
}

// `y` where x is in the domain; the limits at 0 and infinity, NaN elsewhere.
template <class T>
HWY_INLINE Vec<T> log_edges(Vec<T> x, Vec<T> y) {
  using Limits = std::numeric_limits<T>;
  const Vec<T> infinity(Limits::infinity());
  const Vec<T> negative = select(x == Vec<T>(0), -infinity, Vec<T>(Limits::quiet_NaN()));
  return select(x > Vec<T>(0) && x < infinity, y, select(x <= Vec<T>(0), negative, x));
}

}  // namespace detail

template <class T>
HWY_INLINE Vec<T> log(Vec<T> x) {
  using Limits = std::numeric_limits<T>;
  constexpr int digits = Limits::digits;
  const Mask<T> subnormal = x < Vec<T>(Limits::min());
  const Vec<T> normal = select(subnormal, x * Vec<T>(T(std::uint64_t(1) << digits)), x);
  const detail::LogParts<T> parts = detail::log_parts(normal);
  const Vec<T> e = select(subnormal, parts.exponent - Vec<T>(digits), parts.exponent);
  return detail::log_edges(x, detail::log_from_parts(e, parts.mantissa - Vec<T>(1)));
}

// log(u) for u = 1 + x, with what the addition lost put back into f where that has digits for it.
template <class T>
HWY_INLINE Vec<T> log1p(Vec<T> x) {
  const Vec<T> one(1);
  const Vec<T> u = x + one;
  const Vec<T> high = u - one;
  const Vec<T> lost = (one - (u - high)) + (x - high);
  const detail::LogParts<T> parts = detail::log_parts(u);
  const Vec<T> rounded = parts.mantissa - one;
  const Vec<T> f = select(x < Vec<T>(4 / std::numeric_limits<T>::epsilon()),
                          fma(lost, parts.inverse_power, rounded), rounded);
  // log1p has the sign of its argument, that of a zero included.
  return copysign(detail::log_edges(u, detail::log_from_parts(parts.exponent, f)), x);
}

// log1p(a + a^2 / (1 + sqrt(a^2 + 1))), a = |x|, with the quotient reduced so that nothing
// overflows.
template <class T>
HWY_INLINE Vec<T> asinh(Vec<T> x) {
  const Vec<T> a = abs(x);
  const Mask<T> large = a > Vec<T>(4 / std::numeric_limits<T>::epsilon());  // log(2a) to all digits
  const Vec<T> inverse = Vec<T>(1) / a;
  const Vec<T> sum = a + a / (inverse + sqrt(fma(inverse, inverse, Vec<T>(1))));
  const Vec<T> y = log1p(select(large, a, sum));
  return copysign(select(large, y + Vec<T>(0.693147180559945309417), y), x);
}

// log1p(t + sqrt(t (t + 2))), t = x - 1
template <class T>
HWY_INLINE Vec<T> acosh(Vec<T> x) {
  const Mask<T> large = x > Vec<T>(4 / std::numeric_limits<T>::epsilon());
  const Vec<T> t = x - Vec<T>(1);
  // Two roots rather than one of the product, which would be positive again for x < -1.
  const Vec<T> y = log1p(select(large, x, t + sqrt(t) * sqrt(t + Vec<T>(2))));
  return select(large, y + Vec<T>(0.693147180559945309417), y);
}

// log1p(2a / (1 - a)) / 2, a = |x|
template <class T>
HWY_INLINE Vec<T> atanh(Vec<T> x) {
  const Vec<T> a = abs(x);
  const Vec<T> y = log1p((a + a) / (Vec<T>(1) - a)) * Vec<T>(0.5);
  return copysign(y, x);
}

}  // namespace tn::cpu
