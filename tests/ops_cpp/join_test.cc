// cat and the stacks.
#include "operators.h"

TEST(Cat, JoinsAlongADimension) {
  tn::Tensor a = counting({2, 1}), b = counting({2, 2});
  EXPECT_THAT(values(tn::cat({a, b}, 1)), ElementsAre(0, 0, 1, 1, 2, 3));
  EXPECT_THAT(values(tn::cat({b, tn::t(b)}, -2)), ElementsAre(0, 1, 2, 3, 0, 2, 1, 3));
  EXPECT_THAT(values(tn::cat({floats({}), a, floats({})}, 0)), ElementsAre(0, 1));
  EXPECT_THAT(shape(tn::cat({floats({})}, 0)), ElementsAre(0));
}

TEST(Cat, PromotesDtypes) {
  tn::Tensor y = tn::cat({ints({1}), floats({2.5f})});
  EXPECT_EQ(y.dtype(), TN_F32);
  EXPECT_THAT(values(y), ElementsAre(1, 2.5f));
}

TEST(Cat, NamesTheTensorThatDoesNotFit) {
  tn::Tensor a = counting({2, 1});
  expect_error(TN_INVALID_ARGUMENT, "tensor 1 has shape [3, 1]", [&] {
    tn::cat({a, counting({3, 1})}, 1);
  });
  expect_error(TN_INVALID_ARGUMENT, "empty", [] { tn::cat(tn::Tensors(), 0); });
  expect_error(TN_INVALID_ARGUMENT, "0-dim", [] { tn::cat({counting({})}, 0); });
  expect_error(TN_INDEX_ERROR, "outside [-2, 1]", [&] { tn::cat({a}, 2); });
}

TEST(Cat, WritesALargeResultInParallel) {
  tn::Tensor a = counting({300, 700}), b = counting({300, 500});
  tn::Tensor y = tn::cat({a, b}, 1);
  EXPECT_TRUE(tn::equal(tn::narrow(y, 1, 0, 700), a));
  EXPECT_TRUE(tn::equal(tn::narrow(y, 1, 700, 500), b));
}

TEST(Cat, WritesAStridedOutput) {
  tn::Tensor base = tn::zeros({3, 2}), out = tn::t(base);
  tn::cat_out(out, {counting({2, 1}), counting({2, 2})}, 1);
  EXPECT_THAT(values(base), ElementsAre(0, 1, 0, 2, 1, 3));
}

TEST(Stack, MakesADimension) {
  tn::Tensor a = floats({1, 2}), b = floats({3, 4});
  EXPECT_THAT(values(tn::stack({a, b})), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(values(tn::stack({a, b}, -1)), ElementsAre(1, 3, 2, 4));
  expect_error(TN_INVALID_ARGUMENT, "needs one shape", [&] { tn::stack({a, floats({1})}); });
  EXPECT_THAT(values(tn::hstack({a, b})), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(shape(tn::vstack({a, b})), ElementsAre(2, 2));
  EXPECT_THAT(shape(tn::dstack({a, b})), ElementsAre(1, 2, 2));
  EXPECT_THAT(values(tn::column_stack({a, b})), ElementsAre(1, 3, 2, 4));
  EXPECT_THAT(values(tn::concat({a, b})), ElementsAre(1, 2, 3, 4));
}
