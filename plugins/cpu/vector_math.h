// vector_math.h - the functions of tenon/ops/math.h for vectors.
//
// Own code where a function is common in networks and can be faster than a general library's
// (vector_exp.h, vector_log.h, vector_sin.h, vector_erf.h), else SLEEF's, with its gaps closed;
// rare ones run lane by lane.
#pragma once
#include "tenon/ops/math.h"
#include "vector_erf.h"
#include "vector_exp.h"
#include "vector_log.h"
#include "vector_sin.h"
#include "vector_sleef.h"
#include "vector_type.h"

namespace tn::cpu {
namespace detail {

// f applied to each lane, for functions that are not worth a vector form.
template <class T, class F, class... V>
Vec<T> for_each_lane(F f, Vec<T> first, V... rest) {
  alignas(kVectorBytes) T lanes[1 + sizeof...(V)][Vec<T>::lanes];
  std::size_t k = 0;
  hn::Store(first.raw, Tag<T>(), lanes[k++]);
  (hn::Store(rest.raw, Tag<T>(), lanes[k++]), ...);
  for (std::size_t i = 0; i < Vec<T>::lanes; ++i) {
    if constexpr (sizeof...(V) == 0) {
      lanes[0][i] = f(lanes[0][i]);
    } else {
      lanes[0][i] = f(lanes[0][i], lanes[1][i]);
    }
  }
  return Vec<T>(hn::Load(Tag<T>(), lanes[0]));
}

}  // namespace detail

template <class T>
HWY_INLINE Vec<T> acos(Vec<T> x) {
  return Vec<T>(typename Vec<T>::Raw{detail::sleef<T>::acos(x.raw.raw)});
}
template <class T>
HWY_INLINE Vec<T> asin(Vec<T> x) {
  return Vec<T>(typename Vec<T>::Raw{detail::sleef<T>::asin(x.raw.raw)});
}
template <class T>
HWY_INLINE Vec<T> atan(Vec<T> x) {
  return Vec<T>(typename Vec<T>::Raw{detail::sleef<T>::atan(x.raw.raw)});
}
HWY_INLINE Vec<double> erf(Vec<double> x) {
  return Vec<double>(Vec<double>::Raw{detail::sleef<double>::erf(x.raw.raw)});
}
template <class T>
HWY_INLINE Vec<T> erfc(Vec<T> x) {
  return Vec<T>(typename Vec<T>::Raw{detail::sleef<T>::erfc(x.raw.raw)});
}
template <class T>
HWY_INLINE Vec<T> lgamma(Vec<T> x) {
  return Vec<T>(typename Vec<T>::Raw{detail::sleef<T>::lgamma(x.raw.raw)});
}
template <class T>
HWY_INLINE Vec<T> log10(Vec<T> x) {
  return Vec<T>(typename Vec<T>::Raw{detail::sleef<T>::log10(x.raw.raw)});
}
template <class T>
HWY_INLINE Vec<T> log2(Vec<T> x) {
  return Vec<T>(typename Vec<T>::Raw{detail::sleef<T>::log2(x.raw.raw)});
}
template <class T>
HWY_INLINE Vec<T> tan(Vec<T> x) {
  return Vec<T>(typename Vec<T>::Raw{detail::sleef<T>::tan(x.raw.raw)});
}
template <class T>
HWY_INLINE Vec<T> atan2(Vec<T> y, Vec<T> x) {
  return Vec<T>(typename Vec<T>::Raw{detail::sleef<T>::atan2(y.raw.raw, x.raw.raw)});
}
template <class T>
HWY_INLINE Vec<T> hypot(Vec<T> a, Vec<T> b) {
  return Vec<T>(typename Vec<T>::Raw{detail::sleef<T>::hypot(a.raw.raw, b.raw.raw)});
}
// SLEEF overflows some hundred ULP early, so that infinities are looked at again.
template <class T>
Vec<T> pow(Vec<T> x, Vec<T> exponent) {
  const Vec<T> y(typename Vec<T>::Raw{detail::sleef<T>::pow(x.raw.raw, exponent.raw.raw)});
  if (HWY_LIKELY(hn::AllFalse(Tag<T>(), (isinf(y) && isfinite(x)).raw))) return y;
  return detail::for_each_lane([](T a, T b) { return ops::pow(a, b); }, x, exponent);
}

template <class T>
Vec<T> digamma(Vec<T> x) {
  return detail::for_each_lane([](T a) { return ops::digamma(a); }, x);
}
template <class T>
Vec<T> i0(Vec<T> x) {
  return detail::for_each_lane([](T a) { return ops::i0(a); }, x);
}
template <class T>
Vec<T> nextafter(Vec<T> x, Vec<T> towards) {
  return detail::for_each_lane([](T a, T b) { return ops::nextafter(a, b); }, x, towards);
}
// a - trunc(a / b) b, exactly. The rounded quotient of the fast way is at most one too large, which
// leaves a representable remainder of the wrong sign; it needs a quotient that is itself exact.
template <class T>
Vec<T> fmod(Vec<T> a, Vec<T> b) {
  const Vec<T> dividend = abs(a), divisor = abs(b);
  const Vec<T> quotient = dividend / divisor;
  const Mask<T> simple = quotient < Vec<T>(1 / std::numeric_limits<T>::epsilon()) &&
                         divisor >= Vec<T>(std::numeric_limits<T>::min()) && isfinite(b);
  if (HWY_UNLIKELY(!hn::AllTrue(Tag<T>(), simple.raw))) {
    return detail::for_each_lane([](T x, T y) { return ops::fmod(x, y); }, a, b);
  }
  const Vec<T> r = fma(-trunc(quotient), divisor, dividend);
  return copysign(select(r < Vec<T>(0), r + divisor, r), a);
}

}  // namespace tn::cpu
