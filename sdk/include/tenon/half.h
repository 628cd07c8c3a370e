// half.h - the two 16-bit floating-point storage types.
//
// `tn::bfloat16` has float's 8 exponent bits and 7 stored mantissa bits; `tn::float16` is IEEE 754
// binary16 (5 and 10). Both only store: arithmetic is done in float, and both conversions are
// explicit so that no rounding happens unseen. From float they round to nearest, ties to even, keep
// the sign of zero, overflow to infinity and keep subnormals; a NaN stays a NaN with its sign and
// the leading bits of its payload, and is made quiet. To float every value is exact.
//
// Each is two bytes, trivially copyable and laid out as the bits that tensors hold, so a tensor's
// data pointer may be read as an array of them. A default-constructed value is uninitialised.
#pragma once
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace tn {
namespace half_detail {

inline std::uint32_t to_bits(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

inline float from_bits(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

inline constexpr std::uint32_t kAbs = 0x7fffffff;       // all but the sign
inline constexpr std::uint32_t kInfinity = 0x7f800000;  // float's infinity; NaNs are above it
inline constexpr std::uint32_t kQuiet = 0x00400000;     // the bit that makes a NaN quiet

}  // namespace half_detail

struct bfloat16 {
  std::uint16_t bits;

  bfloat16() = default;
  explicit bfloat16(float value) : bits(round(half_detail::to_bits(value))) {}
  explicit operator float() const { return half_detail::from_bits(std::uint32_t{bits} << 16); }

  static bfloat16 from_bits(std::uint16_t bits) {
    bfloat16 result;
    result.bits = bits;
    return result;
  }

 private:
  static std::uint16_t round(std::uint32_t f) {
    if ((f & half_detail::kAbs) > half_detail::kInfinity) {
      return static_cast<std::uint16_t>((f | half_detail::kQuiet) >> 16);
    }
    // Half of the last kept place, less one bit when that place is even: a tie then falls short of
    // the carry. A carry out of the mantissa gives the next power of two, or infinity.
    return static_cast<std::uint16_t>((f + 0x7fff + ((f >> 16) & 1)) >> 16);
  }
};

struct float16 {
  std::uint16_t bits;

  float16() = default;
  explicit float16(float value) : bits(round(half_detail::to_bits(value))) {}
  explicit operator float() const { return widen(bits); }

  static float16 from_bits(std::uint16_t bits) {
    float16 result;
    result.bits = bits;
    return result;
  }

 private:
  static constexpr std::uint32_t kRebias = (127 - 15) << 23;

  static std::uint16_t round(std::uint32_t f) {
    const std::uint32_t sign = (f >> 16) & 0x8000;
    const std::uint32_t a = f & half_detail::kAbs;
    std::uint32_t result;
    if (a > half_detail::kInfinity) {
      result = 0x7e00 | ((a >> 13) & 0x3ff);
    } else if (a >= 0x47800000) {  // 2^16 and above; 65520 up to there carries to infinity below
      result = 0x7c00;
    } else if (a >= 0x38800000) {  // 2^-14, the smallest normal float16
      result = (a - kRebias + 0xfff + ((a >> 13) & 1)) >> 13;
    } else {
      // float16's subnormals are the multiples of 2^-24, which is the spacing of floats in [0.5,
      // 1): adding 0.5 makes the processor round to one of them.
      result = half_detail::to_bits(half_detail::from_bits(a) + 0.5f) - half_detail::to_bits(0.5f);
    }
    return static_cast<std::uint16_t>(sign | result);
  }

  static float widen(std::uint16_t h) {
    const std::uint32_t sign = std::uint32_t{h & 0x8000u} << 16;
    const std::uint32_t a = h & 0x7fffu;
    if (a < 0x400) {
      const float magnitude = static_cast<float>(a) * 0x1p-24f;
      return half_detail::from_bits(sign | half_detail::to_bits(magnitude));
    }
    if (a > 0x7c00) return half_detail::from_bits(sign | 0x7fc00000 | (a << 13));
    if (a == 0x7c00) return half_detail::from_bits(sign | half_detail::kInfinity);
    return half_detail::from_bits(sign | ((a << 13) + kRebias));
  }
};

static_assert(sizeof(bfloat16) == 2 && std::is_trivial<bfloat16>::value, "storage type");
static_assert(sizeof(float16) == 2 && std::is_trivial<float16>::value, "storage type");

}  // namespace tn
