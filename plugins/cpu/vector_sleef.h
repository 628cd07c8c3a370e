// vector_sleef.h - the functions taken from the SLEEF library, by lane type, for this target.
//
// The suffix uNN bounds the error in tenths of an ULP (u10: 1.0). Of each function the form made
// for the target is named, which leaves SLEEF's own run-time dispatch out.
#pragma once
#include <sleef.h>

namespace tn::cpu::detail {

template <class T>
struct sleef;

#if defined(__AVX512F__)

template <>
struct sleef<float> {
  static constexpr auto acos = Sleef_acosf16_u10avx512f;
  static constexpr auto asin = Sleef_asinf16_u10avx512f;
  static constexpr auto atan = Sleef_atanf16_u10avx512f;
  static constexpr auto atan2 = Sleef_atan2f16_u10avx512f;
  static constexpr auto cos = Sleef_cosf16_u10avx512f;
  static constexpr auto erfc = Sleef_erfcf16_u15avx512f;
  static constexpr auto hypot = Sleef_hypotf16_u05avx512f;
  static constexpr auto lgamma = Sleef_lgammaf16_u10avx512f;
  static constexpr auto log10 = Sleef_log10f16_u10avx512f;
  static constexpr auto log2 = Sleef_log2f16_u10avx512f;
  static constexpr auto pow = Sleef_powf16_u10avx512f;
  static constexpr auto sin = Sleef_sinf16_u10avx512f;
  static constexpr auto tan = Sleef_tanf16_u10avx512f;
};

template <>
struct sleef<double> {
  static constexpr auto acos = Sleef_acosd8_u10avx512f;
  static constexpr auto asin = Sleef_asind8_u10avx512f;
  static constexpr auto atan = Sleef_atand8_u10avx512f;
  static constexpr auto atan2 = Sleef_atan2d8_u10avx512f;
  static constexpr auto cos = Sleef_cosd8_u10avx512f;
  static constexpr auto erf = Sleef_erfd8_u10avx512f;
  static constexpr auto erfc = Sleef_erfcd8_u15avx512f;
  static constexpr auto hypot = Sleef_hypotd8_u05avx512f;
  static constexpr auto lgamma = Sleef_lgammad8_u10avx512f;
  static constexpr auto log10 = Sleef_log10d8_u10avx512f;
  static constexpr auto log2 = Sleef_log2d8_u10avx512f;
  static constexpr auto pow = Sleef_powd8_u10avx512f;
  static constexpr auto sin = Sleef_sind8_u10avx512f;
  static constexpr auto tan = Sleef_tand8_u10avx512f;
};

#elif !defined(TENON_NARROW_VECTORS)

template <>
struct sleef<float> {
  static constexpr auto acos = Sleef_acosf8_u10avx2;
  static constexpr auto asin = Sleef_asinf8_u10avx2;
  static constexpr auto atan = Sleef_atanf8_u10avx2;
  static constexpr auto atan2 = Sleef_atan2f8_u10avx2;
  static constexpr auto cos = Sleef_cosf8_u10avx2;
  static constexpr auto erfc = Sleef_erfcf8_u15avx2;
  static constexpr auto hypot = Sleef_hypotf8_u05avx2;
  static constexpr auto lgamma = Sleef_lgammaf8_u10avx2;
  static constexpr auto log10 = Sleef_log10f8_u10avx2;
  static constexpr auto log2 = Sleef_log2f8_u10avx2;
  static constexpr auto pow = Sleef_powf8_u10avx2;
  static constexpr auto sin = Sleef_sinf8_u10avx2;
  static constexpr auto tan = Sleef_tanf8_u10avx2;
};

template <>
struct sleef<double> {
  static constexpr auto acos = Sleef_acosd4_u10avx2;
  static constexpr auto asin = Sleef_asind4_u10avx2;
  static constexpr auto atan = Sleef_atand4_u10avx2;
  static constexpr auto atan2 = Sleef_atan2d4_u10avx2;
  static constexpr auto cos = Sleef_cosd4_u10avx2;
  static constexpr auto erf = Sleef_erfd4_u10avx2;
  static constexpr auto erfc = Sleef_erfcd4_u15avx2;
  static constexpr auto hypot = Sleef_hypotd4_u05avx2;
  static constexpr auto lgamma = Sleef_lgammad4_u10avx2;
  static constexpr auto log10 = Sleef_log10d4_u10avx2;
  static constexpr auto log2 = Sleef_log2d4_u10avx2;
  static constexpr auto pow = Sleef_powd4_u10avx2;
  static constexpr auto sin = Sleef_sind4_u10avx2;
  static constexpr auto tan = Sleef_tand4_u10avx2;
};

#else

template <>
struct sleef<float> {
  static constexpr auto acos = Sleef_acosf4_u10avx2128;
  static constexpr auto asin = Sleef_asinf4_u10avx2128;
  static constexpr auto atan = Sleef_atanf4_u10avx2128;
  static constexpr auto atan2 = Sleef_atan2f4_u10avx2128;
  static constexpr auto cos = Sleef_cosf4_u10avx2128;
  static constexpr auto erfc = Sleef_erfcf4_u15avx2128;
  static constexpr auto hypot = Sleef_hypotf4_u05avx2128;
  static constexpr auto lgamma = Sleef_lgammaf4_u10avx2128;
  static constexpr auto log10 = Sleef_log10f4_u10avx2128;
  static constexpr auto log2 = Sleef_log2f4_u10avx2128;
  static constexpr auto pow = Sleef_powf4_u10avx2128;
  static constexpr auto sin = Sleef_sinf4_u10avx2128;
  static constexpr auto tan = Sleef_tanf4_u10avx2128;
};

template <>
struct sleef<double> {
  static constexpr auto acos = Sleef_acosd2_u10avx2128;
  static constexpr auto asin = Sleef_asind2_u10avx2128;
  static constexpr auto atan = Sleef_atand2_u10avx2128;
  static constexpr auto atan2 = Sleef_atan2d2_u10avx2128;
  static constexpr auto cos = Sleef_cosd2_u10avx2128;
  static constexpr auto erf = Sleef_erfd2_u10avx2128;
  static constexpr auto erfc = Sleef_erfcd2_u15avx2128;
  static constexpr auto hypot = Sleef_hypotd2_u05avx2128;
  static constexpr auto lgamma = Sleef_lgammad2_u10avx2128;
  static constexpr auto log10 = Sleef_log10d2_u10avx2128;
  static constexpr auto log2 = Sleef_log2d2_u10avx2128;
  static constexpr auto pow = Sleef_powd2_u10avx2128;
  static constexpr auto sin = Sleef_sind2_u10avx2128;
  static constexpr auto tan = Sleef_tand2_u10avx2128;
};

#endif

}  // namespace tn::cpu::detail
