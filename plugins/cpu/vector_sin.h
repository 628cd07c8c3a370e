// vector_sin.h - sine and cosine.
//
// x = n pi/2 + r with |r| <= pi/4: n pi/2 is subtracted in three parts by fused multiply-adds. The
// first is exact, since its result is a multiple of both operands' last places and below 1; the
// other two round relative to r, so r keeps full precision however close x is to a multiple of
// pi/2, for |x| up to `reach`. Vectors with a larger number (or NaN) in them go to SLEEF, which
// reduces any argument. The polynomials are minimax fits with relative errors of 2^-27.9 and 2^-32
// in float, 2^-57.9 and 2^-63 in double.
#pragma once
#include <array>
#include <cstdint>

#include "vector_exp.h"
#include "vector_sleef.h"
#include "vector_type.h"

namespace tn::cpu {
namespace detail {

template <class T>
struct SinConstants;

template <>
struct SinConstants<float> {
  static constexpr std::array sin = {-0.166666538f, 0.00833215099f, -0.000195139801f};
  static constexpr std::array cos = {0.0416666456f, -0.00138873036f, 2.44316689e-05f};
  static constexpr std::array half_pi = {0x1.921fb6p+0f, -0x1.777a5cp-25f, -0x1.ee59dap-50f};
  static constexpr float two_over_pi = 0x1.45f306p-1f;
  static constexpr float reach = 0x1p15f;
};

template <>
struct SinConstants<double> {
  static constexpr std::array sin = {-0.1666666666666663,     0.008333333333321891,
                                     -0.00019841269829400787, 2.7557313553668733e-06,
                                     -2.5050736833027121e-08, 1.5895578750900646e-10};
  static constexpr std::array cos = {0.041666666666666588,   -0.0013888888888872733,
                                     2.4801587288643832e-05, -2.7557314117760448e-07,
                                     2.0875692285096899e-09, -1.1358083949668217e-11};
  static constexpr std::array half_pi = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54,
                                         -0x1.f1976b7ed8fbcp-110};
  static constexpr double two_over_pi = 0x1.45f306dc9c883p-1;
  static constexpr double reach = 0x1p30;
};

template <class T>
HWY_INLINE bool within_sin_reach(Vec<T> x) {
  return HWY_LIKELY(hn::AllTrue(Tag<T>(), (abs(x) <= Vec<T>(SinConstants<T>::reach)).raw));
}

// sin(x + QuarterTurns pi/2)
template <int QuarterTurns, class T>
HWY_INLINE Vec<T> sin_turned(Vec<T> x) {
  using C = SinConstants<T>;
  const hn::RebindToSigned<Tag<T>> integers;
  constexpr int sign_bit = 8 * sizeof(T) - 1;

  const Vec<T> magic(ExpConstants<T>::magic);
  const Vec<T> shifted = fma(x, Vec<T>(C::two_over_pi), magic);
  const Vec<T> n = shifted - magic;
  Vec<T> r = fma(n, Vec<T>(-C::half_pi[0]), x);
  r = fma(n, Vec<T>(-C::half_pi[1]), r);
  r = fma(n, Vec<T>(-C::half_pi[2]), r);

  const Vec<T> z = r * r;
  const Vec<T> sine = fma(polynomial(z, C::sin) * z, r, r);
  const Vec<T> cosine = fma(polynomial(z, C::cos), z * z, fma(z, Vec<T>(-0.5), Vec<T>(1)));

  // Of the quadrant, bit 0 exchanges sine and cosine, bit 1 turns the sign.
  const auto quadrant =
      hn::Add(hn::BitCast(integers, shifted.raw), hn::Set(integers, QuarterTurns));
  const auto odd = hn::RebindMask(Tag<T>(), hn::TestBit(quadrant, hn::Set(integers, 1)));
  const auto turned = hn::ShiftLeft<sign_bit - 1>(hn::And(quadrant, hn::Set(integers, 2)));
  const Vec<T> y = select(Mask<T>{odd}, cosine, sine);
  return Vec<T>(hn::Xor(y.raw, hn::BitCast(Tag<T>(), turned)));
}

}  // namespace detail

template <class T>
HWY_INLINE Vec<T> sin(Vec<T> x) {
  if (detail::within_sin_reach(x)) return detail::sin_turned<0>(x);
  return Vec<T>(typename Vec<T>::Raw{detail::sleef<T>::sin(x.raw.raw)});
}

template <class T>
HWY_INLINE Vec<T> cos(Vec<T> x) {
  if (detail::within_sin_reach(x)) return detail::sin_turned<1>(x);
  return Vec<T>(typename Vec<T>::Raw{detail::sleef<T>::cos(x.raw.raw)});
}

}  // namespace tn::cpu
