// Copies with a part replaced, and matrices from diagonals.
#include "operators.h"

TEST(SliceScatter, ReplacesAPartOfACopy) {
  tn::Tensor x = tn::zeros({2, 3});
  EXPECT_THAT(values(tn::select_scatter(x, floats({7, 8}), 1, -1)), ElementsAre(0, 0, 7, 0, 0, 8));
  EXPECT_THAT(values(tn::slice_scatter(x, tn::ones({2, 2}), 1, 0, 3, 2)),
              ElementsAre(1, 0, 1, 1, 0, 1));
  EXPECT_THAT(values(tn::diagonal_scatter(x, floats({1, 2}), 1)), ElementsAre(0, 1, 0, 0, 0, 2));
  EXPECT_THAT(values(x), ElementsAre(0, 0, 0, 0, 0, 0));
  expect_error(TN_INVALID_ARGUMENT, "src has shape [1]; the part that it replaces has [2]",
               [&] { tn::select_scatter(x, floats({1}), 1, 0); });
}

TEST(Diag, IsAMatrixOfAVectorOrTheReverse) {
  EXPECT_THAT(values(tn::diag(floats({1, 2}), -1)), ElementsAre(0, 0, 0, 1, 0, 0, 0, 2, 0));
  EXPECT_THAT(values(tn::diag(counting({2, 2}))), ElementsAre(0, 3));
  EXPECT_THAT(shape(tn::diag_embed(counting({2, 3}), 1)), ElementsAre(2, 4, 4));
  EXPECT_THAT(shape(tn::diag_embed(counting({2, 3}), 0, 0, 2)), ElementsAre(3, 2, 3));
  expect_error(TN_INVALID_ARGUMENT, "a vector or a matrix", [] { tn::diag(counting({1, 1, 1})); });
  for (int64_t offset : {INT64_MIN, INT64_MAX})
    expect_error(TN_INVALID_ARGUMENT, "no matrix is that large",
                 [&] { tn::diag(counting({2}), offset); });
}
