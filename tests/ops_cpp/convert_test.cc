// Copies, conversions and numbers out of tensors.
#include "operators.h"

TEST(Clone, HasMemoryOfItsOwn) {
  tn::Tensor x = tn::t(counting({2, 3}));
  tn::Tensor y = tn::clone(x);
  EXPECT_THAT(strides(y), ElementsAre(1, 3));
  EXPECT_NE(y.data<float>(), x.data<float>());
  EXPECT_EQ(values(y), values(x));
  EXPECT_TRUE(tn::clone(x, TN_CONTIGUOUS).is_contiguous());
}

TEST(Contiguous, ReturnsSelfWhereItCan) {
  tn::Tensor x = counting({2, 3});
  EXPECT_EQ(tn::contiguous(x).get(), x.get());
  tn::Tensor y = tn::contiguous(tn::t(x));
  EXPECT_THAT(values(y), ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_TRUE(y.is_contiguous());
}

TEST(To, ConvertsOrReturnsSelf) {
  tn::Tensor x = floats({-1.5f, 0, 2.7f});
  EXPECT_EQ(tn::to(x, TN_F32).get(), x.get());
  EXPECT_NE(tn::to(x, TN_F32, false, true).get(), x.get());
  EXPECT_THAT(integers(tn::to(x, TN_I64)), ElementsAre(-1, 0, 2));
  EXPECT_EQ(tn::to(x, "cpu", TN_F64).dtype(), TN_F64);
  EXPECT_EQ(tn::to(x, ints({1})).dtype(), TN_I64);
  EXPECT_EQ(tn::half(x).dtype(), TN_F16);
}

TEST(Item, IsTheOnlyElement) {
  EXPECT_EQ(tn::item(ints({7})).integer(), 7);
  EXPECT_EQ(tn::item(floats({2.5f})).real(), 2.5);
  expect_error(TN_INVALID_ARGUMENT, "2 elements", [] { tn::item(floats({1, 2})); });
  EXPECT_TRUE(tn::is_nonzero(floats({-1})));
  EXPECT_FALSE(tn::is_nonzero(ints({0})));
  expect_error(TN_INVALID_ARGUMENT, "ambiguous", [] { tn::is_nonzero(floats({1, 2})); });
}

TEST(Equal, ComparesShapesAndElements) {
  EXPECT_TRUE(tn::equal(ints({1, 2}), ints({1, 2})));
  EXPECT_FALSE(tn::equal(ints({1, 2}), ints({1, 3})));
  EXPECT_FALSE(tn::equal(ints({1, 2}), ints({1})));
  EXPECT_TRUE(tn::equal(ints({}), ints({})));
  expect_error(TN_TYPE_ERROR, "same dtype", [] { tn::equal(ints({1}), floats({1})); });
}

TEST(Resize, KeepsElementsInMemory) {
  tn::Tensor x = tn::clone(counting({2, 2}));
  tn::resize_(x, {3});
  EXPECT_THAT(values(x), ElementsAre(0, 1, 2));
  tn::resize_(x, {2, 4});
  EXPECT_THAT(values(tn::slice(tn::view(x, {8}), 0, 0, 3)), ElementsAre(0, 1, 2));
  expect_error(TN_INVALID_ARGUMENT, "negative", [&] { tn::resize_(x, {-1}); });
}

TEST(Set, TakesOverAnothersMemory) {
  tn::Tensor x = counting({4}), y = counting({2, 3}, TN_I64);
  tn::set_(x, y);
  EXPECT_EQ(x.dtype(), TN_I64);
  EXPECT_EQ(x.data<int64_t>(), y.data<int64_t>());
}
