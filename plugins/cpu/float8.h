// float8.h - the two 8-bit floating-point storage types, which are only converted.
//
// e4m3 has 4 exponent and 3 mantissa bits and no infinities: what does not fit becomes NaN. e5m2 is
// the upper byte of an IEEE binary16. Conversions from float round to nearest, ties to even.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace tn::cpu {

template <int Mantissa, int Bias, bool Infinities>
struct Float8 {
  uint8_t bits;

  Float8() = default;
  explicit Float8(float value) : bits(round(std::bit_cast<uint32_t>(value))) {}
  explicit operator float() const {
    const uint32_t magnitude = bits & 0x7fu;
    float value;
    if (magnitude > kLargest) {
      value = Infinities && magnitude == kLargest + 1 ? std::numeric_limits<float>::infinity()
                                                      : std::numeric_limits<float>::quiet_NaN();
    } else if (magnitude < 1u << Mantissa) {
      value = static_cast<float>(magnitude) *
              std::bit_cast<float>(uint32_t{128 - Bias - Mantissa} << 23);
    } else {
      value = std::bit_cast<float>((magnitude << kShift) + kRebias);
    }
    return bits & 0x80 ? -value : value;
  }

 private:
  static constexpr int kShift = 23 - Mantissa;
  static constexpr uint32_t kRebias = uint32_t{127 - Bias} << 23;
  static constexpr uint32_t kLargest = Infinities ? 0x7b : 0x7e;  // the largest finite number
  static constexpr uint32_t kNan = 0x7f;

  static uint8_t round(uint32_t f) {
    const uint32_t sign = f >> 24 & 0x80, a = f & 0x7fffffff;
    if (a > 0x7f800000) return static_cast<uint8_t>(sign | kNan);
    uint32_t result;
    if (a < uint32_t{128 - Bias} << 23) {
      // Subnormal: adding a float whose last place is the spacing makes the processor round.
      constexpr uint32_t magic = uint32_t{128 - Bias - Mantissa + 23} << 23;
      result =
          std::bit_cast<uint32_t>(std::bit_cast<float>(a) + std::bit_cast<float>(magic)) - magic;
    } else {
      result = (a - kRebias + (1u << (kShift - 1)) - 1 + (a >> kShift & 1)) >> kShift;
    }
    if (result > kLargest) result = Infinities ? kLargest + 1 : kNan;
    return static_cast<uint8_t>(sign | result);
  }
};

using float8e4m3 = Float8<3, 7, false>;
using float8e5m2 = Float8<2, 15, true>;

}  // namespace tn::cpu
