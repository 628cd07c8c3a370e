// vector_erf.h - the error function in float, which is in gelu and so worth its own code.
//
// erf(a) = -expm1(a R(a)) for a = |x|, where R is a minimax fit of log(erfc(a)) / a of degree 8 on
// [0, 3.925] (relative error of erf 2^-27.9); beyond, erf rounds to 1. One formula serves the whole
// range: near 0 it keeps erf's relative accuracy, since expm1 does, and far out an error in the
// exponent hardly matters.
#pragma once
#include <array>

#include "vector_exp.h"
#include "vector_type.h"

namespace tn::cpu {

HWY_INLINE Vec<float> erf(Vec<float> x) {
  constexpr std::array fit = {-0.00337917171f, -0.636619389f,    -0.102777831f,
                              0.019153066f,    0.000160389682f,  -0.00166701956f,
                              0.000632831652f, -0.000117639574f, 9.25604763e-06f};
  const Vec<float> a = detail::clamp(abs(x), 0.0f, 3.925f);
  // R + 9/8, small where erf is, so that its rounding does not count there.
  const Vec<float> rest = detail::polynomial(a, fit);
  const Vec<float> exponent = fma(a, Vec<float>(-1.125f), a * rest);
  const detail::ExpParts<float> e = detail::exp_parts(exponent);
  const Vec<float> power = detail::power_of_two(e.shifted);
  return copysign(fma(power, e.p, power - Vec<float>(1)), x);
}

}  // namespace tn::cpu
