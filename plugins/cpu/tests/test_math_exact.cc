// test_math_exact.cc - where tenon/ops/math.h must give exact results, and whole value lines, for
// scalars and vectors.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <type_traits>

#include "plugins/cpu/vector.h"

namespace tn::ops {
namespace {

template <class V>
struct FirstLane {
  lane_t<V> operator()(V x) const {
    if constexpr (std::is_arithmetic_v<V>) {
      return x;
    } else {
      lane_t<V> lanes[V::lanes];
      cpu::store(x, lanes);
      return lanes[0];
    }
  }
};

template <class V>
class Exactness : public testing::Test {};
using Numbers = testing::Types<float, double, cpu::Vec<float>, cpu::Vec<double>>;
TYPED_TEST_SUITE(Exactness, Numbers);

// Programs rely on these: floor(log2(8)) must be 3.
TYPED_TEST(Exactness, ExactResultsAreNotRoundedAway) {
  using V = TypeParam;
  using T = lane_t<V>;
  const FirstLane<V> value;
  for (int k = std::numeric_limits<T>::min_exponent; k < std::numeric_limits<T>::max_exponent;
       ++k) {
    const T power = std::ldexp(T(1), k);
    EXPECT_EQ(value(exp2(V(k))), power);
    EXPECT_EQ(value(log2(V(power))), T(k));
    EXPECT_EQ(value(pow(V(2), V(k))), power);
  }
  for (int k = 0; k < 100; ++k) EXPECT_EQ(value(sqrt(V(k * k))), T(k));
  EXPECT_EQ(value(exp(V(0))), T(1));
  EXPECT_EQ(value(log(V(1))), T(0));
  EXPECT_EQ(value(log10(V(1000))), T(3));
  EXPECT_EQ(value(cos(V(0))), T(1));
  EXPECT_EQ(value(sigmoid(V(0))), T(0.5));
  EXPECT_EQ(value(hypot(V(3), V(4))), T(5));
}

TYPED_TEST(Exactness, FmaRoundsOnce) {
  using V = TypeParam;
  using T = lane_t<V>;
  const T x = 1 + std::numeric_limits<T>::epsilon();
  const T square = x * x;
  const T lost = std::numeric_limits<T>::epsilon() * std::numeric_limits<T>::epsilon();
  EXPECT_EQ(FirstLane<V>()(fma(V(x), V(x), V(-square))), lost);
}

// A value line with three operands, branches on a mask and mixed constants, as Lerp has.
TYPED_TEST(Exactness, ValueLinesCompileForEveryNumber) {
  using V = TypeParam;
  const auto lerp = [](auto a, auto b, auto w) {
    using N = decltype(w);
    return select(abs(w) < N(0.5), a + w * (b - a), b - (b - a) * (N(1) - w));
  };
  EXPECT_EQ(FirstLane<V>()(lerp(V(1), V(5), V(0.25))), 2);
  EXPECT_EQ(FirstLane<V>()(lerp(V(1), V(5), V(1))), 5);
}

}  // namespace
}  // namespace tn::ops
