// LayerNorm and BatchNorm2d.
#include "support.h"

namespace {

using namespace test;

TEST(LayerNorm, NormalisesTheLastDimensions) {
  tn::nn::LayerNorm norm(2, 0.0);
  assign(norm.weight, {3, 5});
  assign(norm.bias, {1, 2});
  expect_near(norm(tensor({0, 4, 9, 7}, {2, 2})), {-2, 7, 4, -3});
  EXPECT_EQ(norm.parameters().size(), 2u);
  EXPECT_TRUE(tn::nn::LayerNorm({2, 3}, 1e-5, false).parameters().empty());
}

TEST(BatchNorm2d, UsesTheBatchInTrainingAndMovesTheRunningStatistics) {
  tn::nn::BatchNorm2d norm(1, 0.0, 0.5);
  expect_near(norm(tensor({1, 3, 1, 3}, {2, 1, 1, 2})), {-1, 1, -1, 1});
  expect_near(norm.running_mean, {1});  // half way from 0 to 2
  expect_near(norm.running_var,
              {0.5f + 2 / 3.f});  // half way from 1 to 4 / 3, the unbiased variance
  EXPECT_EQ(norm.num_batches_tracked.item<int64_t>(), 1);
}

TEST(BatchNorm2d, UsesTheRunningStatisticsInEvaluation) {
  tn::nn::BatchNorm2d norm(1, 0.0);
  assign(norm.running_mean, {2});
  assign(norm.running_var, {4});
  norm.eval();
  expect_near(norm(tensor({2, 6}, {1, 1, 1, 2})), {0, 2});
  expect_near(norm.running_mean, {2});
  EXPECT_EQ(norm.num_batches_tracked.item<int64_t>(), 0);
}

TEST(BatchNorm2d, SavesItsStatisticsAsBuffers) {
  tn::nn::BatchNorm2d norm(3);
  EXPECT_EQ(norm.parameters().size(), 2u);
  const tn::StateDict dict = norm.state_dict();
  for (const char* name : {"weight", "bias", "running_mean", "running_var", "num_batches_tracked"})
    EXPECT_EQ(dict.count(name), 1u) << name;
}

TEST(BatchNorm2d, RefusesWhatIsNoBatchOfImages) {
  expect_error(TN_INVALID_ARGUMENT, "must be [N, 3, H, W], got f32[2,3]@cpu", [] {
    tn::nn::BatchNorm2d(3)(tn::zeros({2, 3}));
  });
}

}  // namespace
