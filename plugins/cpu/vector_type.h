// vector_type.h - Vec<float> and Vec<double>: as many numbers as one register of the target holds,
// and Mask<T>, what a comparison of them gives.
//
// They are the vector form of the number in an operator's value line (tenon/ops/math.h): arithmetic
// and comparison by operators, the rest by free functions found by argument-dependent lookup. This
// header has what takes an instruction or a few; vector_math.h has the functions.
//
// Built on Highway in its static mode: one target per translation unit, set by the compiler's
// -march option, no dispatch inside. The whole plugin is built once per target.
#pragma once
#include <cstddef>
#include <limits>
#include <type_traits>

#include <hwy/highway.h>

namespace tn::cpu {

namespace hn = hwy::HWY_NAMESPACE;

// Highway falls back on a narrower target, silently, if -DHWY_COMPILE_ONLY_STATIC or
// -DHWY_DISABLE_PCLMUL_AES is missing.
#if defined(__AVX512F__)
inline constexpr std::size_t kVectorBytes = 64;
#elif defined(TENON_NARROW_VECTORS)  // for the thread sanitizer (TenonSanitizers.cmake)
inline constexpr std::size_t kVectorBytes = 16;
#else
inline constexpr std::size_t kVectorBytes = 32;
#endif
template <class T>
using Tag = hn::CappedTag<T, kVectorBytes / sizeof(T)>;
static_assert(hn::MaxLanes(Tag<float>()) == kVectorBytes / sizeof(float),
              "Highway did not take the target that -march names");

template <class T>
struct Mask {
  using Raw = hn::Mask<Tag<T>>;
  Raw raw;

  // Lane by lane, like bool's own. Both sides are evaluated, which value lines cannot tell.
  friend HWY_INLINE Mask operator&&(Mask a, Mask b) { return {hn::And(a.raw, b.raw)}; }
  friend HWY_INLINE Mask operator||(Mask a, Mask b) { return {hn::Or(a.raw, b.raw)}; }
  friend HWY_INLINE Mask operator!(Mask a) { return {hn::Not(a.raw)}; }
  friend HWY_INLINE Mask operator!=(Mask a, Mask b) { return {hn::Xor(a.raw, b.raw)}; }
  friend HWY_INLINE Mask operator==(Mask a, Mask b) { return !(a != b); }
  friend HWY_INLINE Mask operator&(Mask a, Mask b) { return a && b; }
  friend HWY_INLINE Mask operator|(Mask a, Mask b) { return a || b; }
  friend HWY_INLINE Mask operator^(Mask a, Mask b) { return a != b; }
};

template <class T>
struct Vec {
  using lane_type = T;
  using Raw = hn::Vec<Tag<T>>;
  static constexpr std::size_t lanes = kVectorBytes / sizeof(T);
  Raw raw;

  Vec() = default;  // uninitialised, as a number is
  HWY_INLINE explicit Vec(Raw v) : raw(v) {}
  // The number in every lane. Explicit, so that V(0.5) is written where a scalar would need it too.
  template <class S, std::enable_if_t<std::is_arithmetic_v<S>, int> = 0>
  HWY_INLINE explicit Vec(S s) : raw(hn::Set(Tag<T>(), static_cast<T>(s))) {}
  // 1 where the mask holds, else 0.
  HWY_INLINE explicit Vec(Mask<T> m) : raw(hn::IfThenElseZero(m.raw, hn::Set(Tag<T>(), T(1)))) {}

  friend HWY_INLINE Vec operator+(Vec a, Vec b) { return Vec(hn::Add(a.raw, b.raw)); }
  friend HWY_INLINE Vec operator-(Vec a, Vec b) { return Vec(hn::Sub(a.raw, b.raw)); }
  friend HWY_INLINE Vec operator*(Vec a, Vec b) { return Vec(hn::Mul(a.raw, b.raw)); }
  friend HWY_INLINE Vec operator/(Vec a, Vec b) { return Vec(hn::Div(a.raw, b.raw)); }
  friend HWY_INLINE Vec operator-(Vec a) { return Vec(hn::Xor(a.raw, hn::SignBit(Tag<T>()))); }
  friend HWY_INLINE Vec operator+(Vec a) { return a; }
  Vec& operator+=(Vec b) { return *this = *this + b; }
  Vec& operator-=(Vec b) { return *this = *this - b; }
  Vec& operator*=(Vec b) { return *this = *this * b; }
  Vec& operator/=(Vec b) { return *this = *this / b; }

  friend HWY_INLINE Mask<T> operator==(Vec a, Vec b) { return {hn::Eq(a.raw, b.raw)}; }
  // Highway's Ne is false for NaN.
  friend HWY_INLINE Mask<T> operator!=(Vec a, Vec b) { return !(a == b); }
  friend HWY_INLINE Mask<T> operator<(Vec a, Vec b) { return {hn::Lt(a.raw, b.raw)}; }
  friend HWY_INLINE Mask<T> operator<=(Vec a, Vec b) { return {hn::Le(a.raw, b.raw)}; }
  friend HWY_INLINE Mask<T> operator>(Vec a, Vec b) { return {hn::Gt(a.raw, b.raw)}; }
  friend HWY_INLINE Mask<T> operator>=(Vec a, Vec b) { return {hn::Ge(a.raw, b.raw)}; }
};

template <class T>
HWY_INLINE Vec<T> select(Mask<T> condition, Vec<T> a, Vec<T> b) {
  return Vec<T>(hn::IfThenElse(condition.raw, a.raw, b.raw));
}
template <class T>
HWY_INLINE Mask<T> select(Mask<T> condition, Mask<T> a, Mask<T> b) {
  return (condition && a) || (!condition && b);
}

template <class T>
HWY_INLINE Vec<T> abs(Vec<T> x) {
  return Vec<T>(hn::Abs(x.raw));
}
template <class T>
HWY_INLINE Vec<T> ceil(Vec<T> x) {
  return Vec<T>(hn::Ceil(x.raw));
}
template <class T>
HWY_INLINE Vec<T> floor(Vec<T> x) {
  return Vec<T>(hn::Floor(x.raw));
}
template <class T>
HWY_INLINE Vec<T> trunc(Vec<T> x) {
  return Vec<T>(hn::Trunc(x.raw));
}
template <class T>
HWY_INLINE Vec<T> round(Vec<T> x) {
  return Vec<T>(hn::Round(x.raw));
}
template <class T>
HWY_INLINE Vec<T> sqrt(Vec<T> x) {
  return Vec<T>(hn::Sqrt(x.raw));
}
template <class T>
HWY_INLINE Vec<T> fma(Vec<T> a, Vec<T> b, Vec<T> c) {
  return Vec<T>(hn::MulAdd(a.raw, b.raw, c.raw));
}
template <class T>
HWY_INLINE Vec<T> copysign(Vec<T> magnitude, Vec<T> sign) {
  return Vec<T>(hn::CopySign(magnitude.raw, sign.raw));
}

template <class T>
HWY_INLINE Mask<T> isnan(Vec<T> x) {
  return {hn::IsNaN(x.raw)};
}
template <class T>
HWY_INLINE Mask<T> isinf(Vec<T> x) {
  return abs(x) == Vec<T>(std::numeric_limits<T>::infinity());
}
template <class T>
HWY_INLINE Mask<T> isfinite(Vec<T> x) {
  return abs(x) < Vec<T>(std::numeric_limits<T>::infinity());
}
template <class T>
HWY_INLINE Mask<T> signbit(Vec<T> x) {
  const hn::RebindToSigned<Tag<T>> integers;
  return {hn::RebindMask(Tag<T>(), hn::Lt(hn::BitCast(integers, x.raw), hn::Zero(integers)))};
}

template <class T>
HWY_INLINE Vec<T> sign(Vec<T> x) {
  return Vec<T>(Vec<T>(0) < x) - Vec<T>(x < Vec<T>(0));
}

// x86's min and max give the second operand where either is NaN, so a NaN in `b` comes through and
// one in `a` has to be put back (maximum), or the other way round (fmax).
template <class T>
HWY_INLINE Vec<T> maximum(Vec<T> a, Vec<T> b) {
  return select(isnan(a), a, Vec<T>(hn::Max(a.raw, b.raw)));
}
template <class T>
HWY_INLINE Vec<T> minimum(Vec<T> a, Vec<T> b) {
  return select(isnan(a), a, Vec<T>(hn::Min(a.raw, b.raw)));
}
template <class T>
HWY_INLINE Vec<T> fmax(Vec<T> a, Vec<T> b) {
  return select(isnan(b), a, Vec<T>(hn::Max(a.raw, b.raw)));
}
template <class T>
HWY_INLINE Vec<T> fmin(Vec<T> a, Vec<T> b) {
  return select(isnan(b), a, Vec<T>(hn::Min(a.raw, b.raw)));
}

}  // namespace tn::cpu
