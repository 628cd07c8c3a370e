// test_half.cc - bfloat16 and float16: every value, every halfway point, scalar and vector alike.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "plugins/cpu/vector.h"
#include "tenon/half.h"

namespace tn {
namespace {

// A 16-bit format by its definition: 1 sign bit, then the exponent, then the stored mantissa.
template <class Half>
struct Format;
template <>
struct Format<bfloat16> {
  static constexpr int exponent_bits = 8, mantissa_bits = 7;
};
template <>
struct Format<float16> {
  static constexpr int exponent_bits = 5, mantissa_bits = 10;
};

template <class Half>
constexpr std::uint16_t infinity_bits = ((1 << Format<Half>::exponent_bits) - 1)
                                        << Format<Half>::mantissa_bits;

template <class Half>
double value_of(std::uint16_t bits) {
  using F = Format<Half>;
  const int magnitude = bits & 0x7fff;
  const int exponent = magnitude >> F::mantissa_bits;
  const int mantissa = magnitude & ((1 << F::mantissa_bits) - 1);
  const int bias = (1 << (F::exponent_bits - 1)) - 1;
  // As if the exponents went on past the largest: so the value of infinity's bits is the power of
  // two that it stands for when rounding.
  const double value = exponent == 0 ? std::ldexp(mantissa, 1 - bias - F::mantissa_bits)
                                     : std::ldexp(mantissa + (1 << F::mantissa_bits),
                                                  exponent - bias - F::mantissa_bits);
  return (bits & 0x8000) != 0 ? -value : value;
}

template <class Half>
std::uint16_t vector_bits(float value) {
  using V = cpu::Vec<float>;
  Half lanes[V::lanes];
  cpu::store(V(value), lanes);
  return lanes[V::lanes - 1].bits;
}

template <class Half>
float vector_value(std::uint16_t bits) {
  using V = cpu::Vec<float>;
  Half in[V::lanes];
  for (Half& h : in) h = Half::from_bits(bits);
  float out[V::lanes];
  cpu::store(cpu::load<V>(in), out);
  return out[V::lanes - 1];
}

std::uint32_t bits_of(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

template <class Half>
void expect_rounds_to(float value, std::uint16_t expected) {
  EXPECT_EQ(Half(value).bits, expected) << value;
  EXPECT_EQ(vector_bits<Half>(value), expected) << value;
}

template <class Half>
class HalfTest : public testing::Test {};
using Halves = testing::Types<bfloat16, float16>;
TYPED_TEST_SUITE(HalfTest, Halves);

TYPED_TEST(HalfTest, EveryNumberGoesToFloatExactlyAndBack) {
  for (int i = 0; i < 65536; ++i) {
    const auto bits = static_cast<std::uint16_t>(i);
    if ((bits & 0x7fff) >= infinity_bits<TypeParam>) continue;
    const float value = static_cast<float>(TypeParam::from_bits(bits));
    ASSERT_EQ(static_cast<double>(value), value_of<TypeParam>(bits)) << i;
    ASSERT_EQ(std::signbit(value), i >= 0x8000) << i;
    ASSERT_EQ(bits_of(vector_value<TypeParam>(bits)), bits_of(value)) << i;
    ASSERT_EQ(TypeParam(value).bits, bits);
    ASSERT_EQ(vector_bits<TypeParam>(value), bits);
  }
}

TYPED_TEST(HalfTest, InfinitiesAndNansKeepSignAndPayload) {
  for (int i = 0; i < 65536; ++i) {
    const auto bits = static_cast<std::uint16_t>(i);
    if ((bits & 0x7fff) < infinity_bits<TypeParam>) continue;
    const float value = static_cast<float>(TypeParam::from_bits(bits));
    ASSERT_EQ(std::signbit(value), i >= 0x8000) << i;
    if ((bits & 0x7fff) == infinity_bits<TypeParam>) {
      ASSERT_TRUE(std::isinf(value));
      ASSERT_EQ(TypeParam(value).bits, bits);
      ASSERT_EQ(vector_bits<TypeParam>(value), bits);
    } else {
      const std::uint16_t quiet = 1 << (Format<TypeParam>::mantissa_bits - 1);
      ASSERT_TRUE(std::isnan(value));
      ASSERT_TRUE(std::isnan(vector_value<TypeParam>(bits)));
      ASSERT_EQ(TypeParam(value).bits, bits | quiet);
      ASSERT_EQ(vector_bits<TypeParam>(value), bits | quiet);
    }
  }
}

// A NaN whose payload lies wholly in the bits that are cut off must not become an infinity.
TYPED_TEST(HalfTest, NansOfLowPayloadStayNans) {
  for (std::uint32_t bits : {0x7f800001u, 0xff800001u, 0x7fffffffu, 0xffffffffu}) {
    float value;
    std::memcpy(&value, &bits, sizeof value);
    const std::uint16_t scalar = TypeParam(value).bits;
    EXPECT_GT(scalar & 0x7fff, infinity_bits<TypeParam>);
    EXPECT_EQ(vector_bits<TypeParam>(value), scalar);
  }
}

TYPED_TEST(HalfTest, HalfwayPointsGoToEvenAndTheirNeighboursToTheNearest) {
  for (int i = 0; i < infinity_bits<TypeParam>; ++i) {
    const auto low = static_cast<std::uint16_t>(i);
    const auto high = static_cast<std::uint16_t>(i + 1);
    const auto even = (low & 1) == 0 ? low : high;
    const auto halfway = static_cast<float>((value_of<TypeParam>(low) + value_of<TypeParam>(high)) /
                                            2);  // exact in float
    const float below = std::nextafter(halfway, 0.0f);
    const float above = std::nextafter(halfway, std::numeric_limits<float>::infinity());
    for (auto [value, expected] :
         {std::pair(below, low), std::pair(halfway, even), std::pair(above, high)}) {
      expect_rounds_to<TypeParam>(value, expected);
      expect_rounds_to<TypeParam>(-value, static_cast<std::uint16_t>(expected | 0x8000));
    }
  }
}

TYPED_TEST(HalfTest, ScalarAndVectorAgreeOnAllKindsOfFloats) {
  std::mt19937 random(7);
  for (int i = 0; i < 300000; ++i) {
    const auto bits = static_cast<std::uint32_t>(random());
    float value;
    std::memcpy(&value, &bits, sizeof value);
    ASSERT_EQ(vector_bits<TypeParam>(value), TypeParam(value).bits) << std::hex << bits;
  }
}

}  // namespace
}  // namespace tn
