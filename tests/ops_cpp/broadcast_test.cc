// Shapes that several tensors share.
#include "operators.h"

TEST(BroadcastTensors, FindsTheCommonShape) {
  const std::vector<tn::Tensor> both = tn::broadcast_tensors({counting({3, 1}), counting({2})});
  EXPECT_THAT(values(both[0]), ElementsAre(0, 0, 1, 1, 2, 2));
  EXPECT_THAT(values(both[1]), ElementsAre(0, 1, 0, 1, 0, 1));
  EXPECT_THAT(shape(tn::broadcast_tensors({counting({0}), counting({1})})[1]), ElementsAre(0));
  expect_error(TN_INVALID_ARGUMENT, "tensor 1 has shape [3], which does not broadcast with [2]",
               [] {
                 tn::broadcast_tensors({counting({2}), counting({3})});
               });
}

TEST(Meshgrid, VariesOneDimensionEach) {
  const std::vector<tn::Tensor> grid = tn::meshgrid({floats({1, 2}), floats({3, 4, 5})});
  EXPECT_THAT(values(grid[0]), ElementsAre(1, 1, 1, 2, 2, 2));
  EXPECT_THAT(values(grid[1]), ElementsAre(3, 4, 5, 3, 4, 5));
  EXPECT_THAT(shape(tn::meshgrid({floats({1, 2}), floats({3, 4, 5})}, "xy")[0]), ElementsAre(3, 2));
  expect_error(TN_INVALID_ARGUMENT, "indexing is 'yx'", [] { tn::meshgrid({floats({1})}, "yx"); });
}
