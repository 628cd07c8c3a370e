// vector_exp.h - the exponential and the hyperbolic functions, which share one reduction.
//
// exp(x) = 2^q (1 + p) with q the integer nearest to x / ln 2 and p = expm1(x - q ln 2) by a
// minimax polynomial on +-ln(2)/2, of degree 6 for float (relative error 2^-26) and 11 for double
// (2^-55). expm1 is 2^q p + (2^q - 1), where 2^q - 1 is exact, so nothing cancels; the others are
// built on it.
#pragma once
#include <array>
#include <cstdint>
#include <limits>

#include "vector_type.h"

namespace tn::cpu {
namespace detail {

template <class T>
struct ExpConstants;

template <>
struct ExpConstants<float> {
  static constexpr std::array poly = {0.5f, 0.166665435f, 0.0416662805f, 0.00836661179f,
                                      0.00139465055f};
  static constexpr float log2e = 0x1.715476p+0f;
  static constexpr float ln2_high = 0x1.62e430p-1f, ln2_low = -0x1.05c610p-29f;
  static constexpr float magic = 0x1.8p+23f;                 // + and - rounds to an integer
  static constexpr float exp_min = -104, exp_max = 89;       // beyond: 0, infinity
  static constexpr float expm1_min = -20, sinh_max = 89.5f;  // beyond: -1, infinity
  static constexpr float tanh_max = 9.1f;                    // beyond: 1
  static constexpr float small = 0x1p-26f;                   // below: expm1 and sinh are x
  static constexpr int mantissa = 23, bias = 127;
};

template <>
struct ExpConstants<double> {
  static constexpr std::array poly = {
      0.50000000000000056,   0.16666666666666685,   0.041666666666573315,   0.0083333333333145236,
      0.0013888888932486248, 0.000198412699031999,  2.4801504309716581e-05, 2.7557227784969923e-06,
      2.762638323130244e-07, 2.5114531867183417e-08};
  static constexpr double log2e = 0x1.71547652b82fep+0;
  static constexpr double ln2_high = 0x1.62e42fefa39efp-1, ln2_low = 0x1.abc9e3b39803fp-56;
  static constexpr double magic = 0x1.8p+52;
  static constexpr double exp_min = -746, exp_max = 710;
  static constexpr double expm1_min = -40, sinh_max = 710.5;
  static constexpr double tanh_max = 19.1;
  static constexpr double small = 0x1p-55;
  static constexpr int mantissa = 52, bias = 1023;
};

// c[0] + c[1] x + ..., by Estrin's pairs, which leave a shorter chain than Horner's rule.
template <class T, std::size_t N>
HWY_INLINE Vec<T> polynomial(Vec<T> x, const std::array<T, N>& c) {
  Vec<T> terms[(N + 1) / 2];
  for (std::size_t i = 0; i < N / 2; ++i) terms[i] = fma(Vec<T>(c[2 * i + 1]), x, Vec<T>(c[2 * i]));
  if (N % 2 != 0) terms[N / 2] = Vec<T>(c[N - 1]);
  const Vec<T> square = x * x;
  Vec<T> result = terms[(N + 1) / 2 - 1];
  for (std::size_t i = (N + 1) / 2 - 1; i-- > 0;) result = fma(result, square, terms[i]);
  return result;
}

// x limited to [low, high]; NaN stays (see maximum() on the order of operands).
template <class T>
HWY_INLINE Vec<T> clamp(Vec<T> x, T low, T high) {
  return Vec<T>(hn::Min(Vec<T>(high).raw, hn::Max(Vec<T>(low).raw, x.raw)));
}

// 2^(whole + Offset), for `shifted` = whole + magic: the integer is in its lowest bits.
template <int Offset = 0, class T>
HWY_INLINE Vec<T> power_of_two(Vec<T> shifted) {
  using C = ExpConstants<T>;
  const hn::RebindToSigned<Tag<T>> integers;
  const auto exponent =
      hn::Add(hn::BitCast(integers, shifted.raw), hn::Set(integers, C::bias + Offset));
  return Vec<T>(hn::BitCast(Tag<T>(), hn::ShiftLeft<C::mantissa>(exponent)));
}

template <class T>
struct ExpParts {
  Vec<T> shifted;  // q + magic
  Vec<T> whole;    // q
  Vec<T> p;        // expm1 of the rest
};

template <class T>
HWY_INLINE Vec<T> expm1_reduced(Vec<T> r) {
  return fma(polynomial(r, ExpConstants<T>::poly), r * r, r);
}

template <class T>
HWY_INLINE ExpParts<T> exp_parts(Vec<T> x) {
  using C = ExpConstants<T>;
  const Vec<T> shifted = fma(x, Vec<T>(C::log2e), Vec<T>(C::magic));
  const Vec<T> whole = shifted - Vec<T>(C::magic);
  const Vec<T> r = fma(whole, Vec<T>(-C::ln2_low), fma(whole, Vec<T>(-C::ln2_high), x));
  return {shifted, whole, expm1_reduced(r)};
}

// (1 + p) 2^q, rounded once where the result is subnormal.
template <class T>
HWY_INLINE Vec<T> scale(ExpParts<T> e) {
  const Vec<T> x = e.p + Vec<T>(1);
#if defined(__AVX512F__)
  if constexpr (sizeof(T) == sizeof(float)) {
    return Vec<T>(typename Vec<T>::Raw{_mm512_scalef_ps(x.raw.raw, e.whole.raw.raw)});
  } else {
    return Vec<T>(typename Vec<T>::Raw{_mm512_scalef_pd(x.raw.raw, e.whole.raw.raw)});
  }
#else
  // In two halves, neither of which leaves the range of exponents.
  const Vec<T> magic(ExpConstants<T>::magic);
  const Vec<T> half = fma(e.whole, Vec<T>(0.5), magic);
  const Vec<T> rest = e.shifted - (half - magic);
  return x * power_of_two(half) * power_of_two(rest);
#endif
}

// expm1(x) / 4, which does not overflow where sinh or expm1 does not.
template <class T>
HWY_INLINE Vec<T> quarter_expm1(Vec<T> x) {
  const ExpParts<T> e = exp_parts(x);
  const Vec<T> power = power_of_two<-2>(e.shifted);
  return fma(power, e.p, power - Vec<T>(0.25));
}

}  // namespace detail

template <class T>
HWY_INLINE Vec<T> exp(Vec<T> x) {
  using C = detail::ExpConstants<T>;
  return detail::scale(detail::exp_parts(detail::clamp(x, C::exp_min, C::exp_max)));
}

template <class T>
HWY_INLINE Vec<T> exp2(Vec<T> x) {
  using C = detail::ExpConstants<T>;
  x = detail::clamp(x, C::exp_min * T(1.5), C::exp_max * T(1.5));
  const Vec<T> shifted = x + Vec<T>(C::magic);
  const Vec<T> whole = shifted - Vec<T>(C::magic);
  const Vec<T> p = detail::expm1_reduced((x - whole) * Vec<T>(C::ln2_high));
  return detail::scale(detail::ExpParts<T>{shifted, whole, p});
}

template <class T>
HWY_INLINE Vec<T> expm1(Vec<T> x) {
  using C = detail::ExpConstants<T>;
  const Vec<T> y = detail::quarter_expm1(detail::clamp(x, C::expm1_min, C::sinh_max));
  return select(abs(x) < Vec<T>(C::small), x, y * Vec<T>(4));
}

// (m + m / (m + 1)) / 2 with m = expm1(|x|). The quotient is 1 long before m can overflow in it.
template <class T>
HWY_INLINE Vec<T> sinh(Vec<T> x) {
  using C = detail::ExpConstants<T>;
  const Vec<T> a = abs(x);
  const Vec<T> half = detail::quarter_expm1(detail::clamp(a, T(0), C::sinh_max)) * Vec<T>(2);
  const Vec<T> bounded = detail::clamp(half, T(0), 1 / C::small);
  const Vec<T> y = half + bounded / fma(bounded, Vec<T>(2), Vec<T>(1));
  return select(a < Vec<T>(C::small), x, copysign(y, x));
}

// e / 2 + 1 / (2 e) with e = exp(|x|).
template <class T>
HWY_INLINE Vec<T> cosh(Vec<T> x) {
  using C = detail::ExpConstants<T>;
  const detail::ExpParts<T> e = detail::exp_parts(detail::clamp(abs(x), T(0), C::sinh_max));
  const Vec<T> power = detail::power_of_two<-2>(e.shifted);
  const Vec<T> half = fma(power, e.p, power) * Vec<T>(2);
  return half + Vec<T>(0.25) / half;
}

// m / (m + 2) with m = expm1(2 |x|).
template <class T>
HWY_INLINE Vec<T> tanh(Vec<T> x) {
  using C = detail::ExpConstants<T>;
  const Vec<T> a = detail::clamp(abs(x), T(0), C::tanh_max);
  const detail::ExpParts<T> e = detail::exp_parts(a + a);
  const Vec<T> power = detail::power_of_two(e.shifted);
  const Vec<T> m = fma(power, e.p, power - Vec<T>(1));
  return copysign(m / (m + Vec<T>(2)), x);
}

}  // namespace tn::cpu
