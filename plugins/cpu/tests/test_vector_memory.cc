// test_vector_memory.cc - loads and stores of vectors and masks: conversions, tails, bounds.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>

#include "plugins/cpu/vector.h"

namespace tn::cpu {
namespace {

template <class T, class M>
struct Pair {
  using Lane = T;
  using Memory = M;
};

template <class P>
class VectorMemory : public testing::Test {};

using Pairs =
    testing::Types<Pair<float, float>, Pair<float, double>, Pair<float, bfloat16>,
                   Pair<float, float16>, Pair<float, bool>, Pair<float, std::uint8_t>,
                   Pair<float, std::int8_t>, Pair<float, std::int16_t>, Pair<float, std::int32_t>,
                   Pair<float, std::int64_t>, Pair<double, double>, Pair<double, float>,
                   Pair<double, bfloat16>, Pair<double, float16>, Pair<double, bool>,
                   Pair<double, std::uint8_t>, Pair<double, std::int64_t>>;
TYPED_TEST_SUITE(VectorMemory, Pairs);

TYPED_TEST(VectorMemory, LoadsAndStoresEveryLane) {
  using T = typename TypeParam::Lane;
  using M = typename TypeParam::Memory;
  using V = Vec<T>;
  // One element off, so that the address has no more than the element's alignment.
  const auto memory = std::make_unique<M[]>(V::lanes + 1);
  for (std::size_t i = 0; i <= V::lanes; ++i) memory[i] = ops::cast<M>(static_cast<int>(i));
  T lanes[V::lanes];
  store(load<V>(&memory[1]), lanes);
  const auto back = std::make_unique<M[]>(V::lanes + 1);
  store(load<V>(&memory[1]), &back[1]);
  for (std::size_t i = 0; i < V::lanes; ++i) {
    EXPECT_EQ(lanes[i], ops::cast<T>(memory[i + 1]));
    EXPECT_EQ(ops::cast<T>(back[i + 1]), ops::cast<T>(memory[i + 1]));
  }
}

TYPED_TEST(VectorMemory, TailsTouchOnlyTheirElements) {
  using T = typename TypeParam::Lane;
  using M = typename TypeParam::Memory;
  using V = Vec<T>;
  for (std::size_t n = 0; n <= V::lanes; ++n) {
    // Of exactly n elements, so that the address sanitizer sees an access beyond.
    const auto memory = std::make_unique<M[]>(n);
    for (std::size_t i = 0; i < n; ++i) memory[i] = ops::cast<M>(1);
    T lanes[V::lanes];
    store(load_n<V>(memory.get(), n), lanes);
    for (std::size_t i = 0; i < V::lanes; ++i) EXPECT_EQ(lanes[i], T(i < n ? 1 : 0));

    const auto target = std::make_unique<M[]>(n + 1);
    for (std::size_t i = 0; i <= n; ++i) target[i] = ops::cast<M>(1);
    store_n(V(0), target.get(), n);
    for (std::size_t i = 0; i <= n; ++i) EXPECT_EQ(ops::cast<T>(target[i]), T(i < n ? 0 : 1));
  }
}

template <class T>
class MaskMemory : public testing::Test {};
using Lanes = testing::Types<float, double>;
TYPED_TEST_SUITE(MaskMemory, Lanes);

TYPED_TEST(MaskMemory, TravelsToAndFromBool) {
  using T = TypeParam;
  constexpr std::size_t lanes = Vec<T>::lanes;
  for (unsigned pattern = 0; pattern < (1u << lanes); pattern += 37) {
    bool in[lanes], out[lanes];
    for (std::size_t i = 0; i < lanes; ++i) in[i] = (pattern >> i & 1) != 0;
    store(load_mask<T>(in), out);
    for (std::size_t i = 0; i < lanes; ++i) EXPECT_EQ(out[i], in[i]);
    store(!load_mask<T>(in), out);
    for (std::size_t i = 0; i < lanes; ++i) EXPECT_EQ(out[i], !in[i]);

    bool tail[lanes];
    for (bool& b : tail) b = true;
    store_n(load_mask_n<T>(in, 3), tail, 3);
    for (std::size_t i = 0; i < lanes; ++i) EXPECT_EQ(tail[i], i < 3 ? in[i] : true);
  }
}

TYPED_TEST(MaskMemory, CombinesLaneByLane) {
  using V = Vec<TypeParam>;
  const bool values[] = {false, true};
  for (bool a : values) {
    for (bool b : values) {
      const auto x = V(a) == V(1), y = V(b) == V(1);
      bool out[V::lanes];
      const auto last = [&](auto mask) {
        store(mask, out);
        return out[V::lanes - 1];
      };
      EXPECT_EQ(last(x && y), a && b);
      EXPECT_EQ(last(x || y), a || b);
      EXPECT_EQ(last(x != y), a != b);
      EXPECT_EQ(last(x == y), a == b);
      EXPECT_EQ(last(!x), !a);
      EXPECT_EQ(last(select(x, y, !y)), a ? b : !b);
    }
  }
}

TEST(Cast, IsDefinedForEveryReal) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(ops::cast<std::int32_t>(-2.7), -2);
  EXPECT_EQ(ops::cast<std::uint8_t>(-1.0f), 255);
  EXPECT_EQ(ops::cast<std::uint8_t>(257.9f), 1);
  EXPECT_EQ(ops::cast<std::int64_t>(1e300), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(ops::cast<std::int64_t>(nan), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(ops::cast<std::int32_t>(nan), 0);
  EXPECT_EQ(ops::cast<std::uint64_t>(0x1p63), std::uint64_t(1) << 63);
  EXPECT_TRUE(ops::cast<bool>(nan));
  EXPECT_TRUE(ops::cast<bool>(0.25f));
  EXPECT_FALSE(ops::cast<bool>(-0.0));
  EXPECT_FALSE(ops::cast<bool>(float16(-0.0f)));
  EXPECT_EQ(ops::cast<bfloat16>(1).bits, 0x3f80);
  EXPECT_EQ(ops::cast<std::int8_t>(float16(-3.5f)), -3);
}

}  // namespace
}  // namespace tn::cpu
