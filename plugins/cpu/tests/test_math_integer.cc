// test_math_integer.cc - the integer part of tenon/ops/math.h, over all pairs of 8-bit numbers
// against arithmetic in 64 bits, and at the limits of the wider types.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

#include "tenon/ops/math.h"

namespace tn::ops {
namespace {

// What remains of a number after storing it in T.
template <class T>
T wrapped(std::int64_t value) {
  return static_cast<T>(static_cast<std::uint64_t>(value));
}

std::int64_t floor_quotient(std::int64_t a, std::int64_t b) {
  return b == 0 ? 0 : static_cast<std::int64_t>(std::floor(double(a) / double(b)));
}

template <class T>
class SmallInteger : public testing::Test {};
using SmallIntegers = testing::Types<std::int8_t, std::uint8_t>;
TYPED_TEST_SUITE(SmallInteger, SmallIntegers);

template <class T, class F>
void for_all_pairs(F f) {
  using L = std::numeric_limits<T>;
  for (int a = L::min(); a <= L::max(); ++a) {
    for (int b = L::min(); b <= L::max(); ++b) {
      f(static_cast<T>(a), static_cast<T>(b), std::int64_t(a), std::int64_t(b));
    }
  }
}

TYPED_TEST(SmallInteger, DividesInThreeWays) {
  using T = TypeParam;
  for_all_pairs<T>([](T x, T y, std::int64_t a, std::int64_t b) {
    ASSERT_EQ(trunc_divide(x, y), wrapped<T>(b == 0 ? 0 : a / b)) << a << " " << b;
    ASSERT_EQ(fmod(x, y), wrapped<T>(b == 0 ? 0 : a % b)) << a << " " << b;
    ASSERT_EQ(floor_divide(x, y), wrapped<T>(floor_quotient(a, b))) << a << " " << b;
    ASSERT_EQ(remainder(x, y), wrapped<T>(b == 0 ? 0 : a - b * floor_quotient(a, b)))
        << a << " " << b;
  });
}

TYPED_TEST(SmallInteger, FindsDivisorsAndMultiples) {
  using T = TypeParam;
  for_all_pairs<T>([](T x, T y, std::int64_t a, std::int64_t b) {
    ASSERT_EQ(gcd(x, y), wrapped<T>(std::gcd(a, b))) << a << " " << b;
    const std::int64_t multiple = std::lcm(a, b);
    if (multiple <= std::numeric_limits<T>::max()) {
      ASSERT_EQ(lcm(x, y), wrapped<T>(multiple)) << a << " " << b;
    }
  });
}

TYPED_TEST(SmallInteger, RaisesToPowersModuloItsSize) {
  using T = TypeParam;
  for_all_pairs<T>([](T x, T y, std::int64_t a, std::int64_t b) {
    std::int64_t expected = 1;
    if (b < 0) {
      expected = a == 1 ? 1 : a == -1 ? (b % 2 == 0 ? 1 : -1) : 0;
    } else {
      for (std::int64_t i = 0; i < b; ++i) expected = wrapped<T>(expected * a);
    }
    ASSERT_EQ(pow(x, y), wrapped<T>(expected)) << a << " " << b;
  });
}

TYPED_TEST(SmallInteger, ShiftsOutEverythingBeyondItsWidth) {
  using T = TypeParam;
  for_all_pairs<T>([](T x, T y, std::int64_t a, std::int64_t b) {
    const bool outside = b < 0 || b >= 8;
    ASSERT_EQ(shift_left(x, y), wrapped<T>(outside ? 0 : a << b)) << a << " " << b;
    ASSERT_EQ(shift_right(x, y), wrapped<T>(a >> (outside ? 8 : b))) << a << " " << b;
  });
}

TYPED_TEST(SmallInteger, HasTheSimpleFunctions) {
  using T = TypeParam;
  for_all_pairs<T>([](T x, T y, std::int64_t a, std::int64_t b) {
    ASSERT_EQ(maximum(x, y), wrapped<T>(std::max(a, b)));
    ASSERT_EQ(minimum(x, y), wrapped<T>(std::min(a, b)));
    ASSERT_EQ(fmax(x, y), wrapped<T>(std::max(a, b)));
    ASSERT_EQ(fmin(x, y), wrapped<T>(std::min(a, b)));
    ASSERT_EQ(fma(x, y, x), wrapped<T>(a * b + a));
    ASSERT_EQ(square(x), wrapped<T>(a * a));
    ASSERT_EQ(abs(x), wrapped<T>(std::abs(a)));
    ASSERT_EQ(sign(x), wrapped<T>((a > 0) - (a < 0)));
    ASSERT_EQ(signbit(x), a < 0);
    ASSERT_EQ(bitwise_not(x), wrapped<T>(~a));
    ASSERT_EQ(select(x < y, x, y), wrapped<T>(std::min(a, b)));
  });
}

template <class T>
class WideInteger : public testing::Test {};
using WideIntegers = testing::Types<std::int16_t, std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(WideInteger, WideIntegers);

TYPED_TEST(WideInteger, WrapsAtItsLimits) {
  using T = TypeParam;
  constexpr T lowest = std::numeric_limits<T>::min();
  constexpr T highest = std::numeric_limits<T>::max();
  constexpr T minus_one = -1, zero = 0, two = 2;
  EXPECT_EQ(trunc_divide(lowest, minus_one), lowest);
  EXPECT_EQ(floor_divide(lowest, minus_one), lowest);
  EXPECT_EQ(fmod(lowest, minus_one), zero);
  EXPECT_EQ(remainder(lowest, minus_one), zero);
  EXPECT_EQ(trunc_divide(highest, zero), zero);
  EXPECT_EQ(floor_divide(lowest, zero), zero);
  EXPECT_EQ(remainder(highest, zero), zero);
  EXPECT_EQ(abs(lowest), lowest);
  EXPECT_EQ(gcd(lowest, zero), lowest);
  EXPECT_EQ(gcd(lowest, lowest), lowest);
  EXPECT_EQ(square(lowest), zero);
  EXPECT_EQ(square(highest), T(1));
  EXPECT_EQ(fma(highest, two, two), zero);
  EXPECT_EQ(pow(minus_one, highest), minus_one);
  EXPECT_EQ(pow(two, static_cast<T>(8 * sizeof(T) - 1)), lowest);
  EXPECT_EQ(shift_left(T(1), static_cast<T>(8 * sizeof(T) - 1)), lowest);
  EXPECT_EQ(shift_right(lowest, highest), minus_one);
  EXPECT_EQ(lcm(static_cast<T>(6), static_cast<T>(-4)), T(12));
  EXPECT_EQ(lcm(zero, zero), zero);
}

TEST(Bool, IsANumberOfTwoValues) {
  EXPECT_EQ(bitwise_not(true), false);
  EXPECT_EQ(abs(true), true);
  EXPECT_EQ(maximum(false, true), true);
  EXPECT_EQ(sign(true), true);
  EXPECT_EQ(floor_divide(true, false), false);
  EXPECT_EQ(pow(false, false), true);
  EXPECT_FALSE(isnan(true));
  EXPECT_TRUE(isfinite(false));
}

}  // namespace
}  // namespace tn::ops
