// flip, tril, triu, repeat, tile and roll.
#include "operators.h"

TEST(Flip, MirrorsDimensions) {
  tn::Tensor x = counting({2, 3});
  EXPECT_THAT(values(tn::flip(x, {1})), ElementsAre(2, 1, 0, 5, 4, 3));
  EXPECT_THAT(values(tn::flip(tn::t(x), {0, -1})), ElementsAre(5, 2, 4, 1, 3, 0));
  EXPECT_EQ(values(tn::flip(x, {})), values(x));
  EXPECT_EQ(tn::flip(counting({0, 2}), {0}).numel(), 0);
  expect_error(TN_INVALID_ARGUMENT, "appears twice", [&] { tn::flip(x, {0, -2}); });
}

TEST(Triangle, KeepsOneSideOfADiagonal) {
  tn::Tensor x = counting({2, 3}) + 1;
  EXPECT_THAT(values(tn::tril(x)), ElementsAre(1, 0, 0, 4, 5, 0));
  EXPECT_THAT(values(tn::triu(x)), ElementsAre(1, 2, 3, 0, 5, 6));
  EXPECT_THAT(values(tn::tril(x, 1)), ElementsAre(1, 2, 0, 4, 5, 6));
  EXPECT_THAT(values(tn::triu(x, INT64_MAX)), ElementsAre(0, 0, 0, 0, 0, 0));
  EXPECT_THAT(values(tn::tril(tn::t(x))), ElementsAre(1, 0, 2, 5, 3, 6));
  tn::triu_(x, 1);
  EXPECT_THAT(values(x), ElementsAre(0, 2, 3, 0, 0, 6));
  expect_error(TN_INVALID_ARGUMENT, "matrix", [] { tn::tril(counting({3})); });
}

TEST(Triangle, OfALargeBatchIsRight) {
  tn::Tensor x = tn::ones({3, 400, 401});
  EXPECT_EQ(tn::item(tn::sum(tn::tril(x))).real(), 3.0 * 400 * 401 / 2);
  EXPECT_EQ(tn::item(tn::sum(tn::triu(x, 1))).real(), 3.0 * 400 * 401 / 2);
}

TEST(Repeat, LaysOutCopies) {
  tn::Tensor x = counting({2, 2});
  EXPECT_THAT(values(tn::repeat(x, {1, 2})), ElementsAre(0, 1, 0, 1, 2, 3, 2, 3));
  EXPECT_THAT(values(tn::repeat(floats({1, 2}), {2, 1})), ElementsAre(1, 2, 1, 2));
  EXPECT_THAT(shape(tn::repeat(x, {0, 1})), ElementsAre(0, 2));
  EXPECT_THAT(values(tn::tile(x, {2})), ElementsAre(0, 1, 0, 1, 2, 3, 2, 3));
  expect_error(TN_INVALID_ARGUMENT, "at least one per dimension", [&] { tn::repeat(x, {2}); });
}

TEST(Roll, WrapsAround) {
  EXPECT_THAT(values(tn::roll(counting({4}), {1})), ElementsAre(3, 0, 1, 2));
  EXPECT_THAT(values(tn::roll(counting({4}), {-5}, {0})), ElementsAre(1, 2, 3, 0));
  EXPECT_THAT(values(tn::roll(counting({2, 2}), {1, 1}, {0, 1})), ElementsAre(3, 2, 1, 0));
  EXPECT_THAT(values(tn::roll(counting({2, 2}), {1})), ElementsAre(3, 0, 1, 2));
  expect_error(TN_INVALID_ARGUMENT, "differ in length", [] {
    tn::roll(counting({4}), {1, 2}, {0});
  });
}

TEST(Rot90, TurnsFromTheFirstDimensionToTheSecond) {
  tn::Tensor x = counting({2, 2});
  EXPECT_THAT(values(tn::rot90(x)), ElementsAre(1, 3, 0, 2));
  EXPECT_THAT(values(tn::rot90(x, 2)), ElementsAre(3, 2, 1, 0));
  EXPECT_THAT(values(tn::rot90(x, -1)), ElementsAre(2, 0, 3, 1));
  EXPECT_EQ(values(tn::rot90(x, 4)), values(x));
  EXPECT_THAT(values(tn::fliplr(x)), ElementsAre(1, 0, 3, 2));
  EXPECT_THAT(values(tn::flipud(x)), ElementsAre(2, 3, 0, 1));
  expect_error(TN_INVALID_ARGUMENT, "a plane has two", [&] { tn::rot90(x, 1, {0}); });
}
