// Losses, against their formulas.
#include "support.h"

namespace {

using namespace test;
using tn::nn::Reduction;

double cross_entropy_of(const Numbers& row, size_t target) {
  double sum = 0;
  for (const float x : row) sum += std::exp(static_cast<double>(x));
  return std::log(sum) - static_cast<double>(row[target]);
}

TEST(CrossEntropy, IsTheMeanOrSumOrEachOfTheExamples) {
  const Numbers a = {1, 2, 0.5f}, b = {-1, 0, 3};
  const Tensor logits = tensor({1, 2, 0.5f, -1, 0, 3}, {2, 3}), target = indices({0, 2});
  const double first = cross_entropy_of(a, 0), second = cross_entropy_of(b, 2);
  EXPECT_NEAR(tn::nn::cross_entropy(logits, target).item(), (first + second) / 2, 1e-6);
  EXPECT_NEAR(tn::nn::cross_entropy(logits, target, Reduction::sum).item(), first + second, 1e-6);
  expect_near(tn::nn::cross_entropy(logits, target, Reduction::none),
              {static_cast<float>(first), static_cast<float>(second)});
}

TEST(CrossEntropy, SmoothsLabels) {
  const Numbers row = {1, 2, 0.5f};
  double expected = 0;
  for (size_t c = 0; c < 3; ++c) expected += (c == 1 ? 0.7 + 0.1 : 0.1) * cross_entropy_of(row, c);
  const Tensor logits = tensor(row, {1, 3});
  EXPECT_NEAR(tn::nn::cross_entropy(logits, indices({1}), Reduction::mean, 0.3).item(), expected,
              1e-6);
}

TEST(CrossEntropy, HasTheGradientSoftmaxMinusTarget) {
  Tensor logits = tensor({0, 0}, {1, 2}).requires_grad_();
  tn::nn::cross_entropy(logits, indices({1})).backward();
  expect_near(logits.grad(), {0.5f, -0.5f});
}

TEST(CrossEntropy, RefusesTargetsThatDoNotFit) {
  expect_error(TN_INVALID_ARGUMENT, "i64[2]@cpu", [] {
    tn::nn::cross_entropy(tn::zeros({3, 4}), indices({0, 1}));
  });
}

TEST(NllLoss, PicksTheTargetsLogarithm) {
  const Tensor logs = tensor({-1, -2, -3, -4}, {2, 2});
  EXPECT_FLOAT_EQ(tn::nn::nll_loss(logs, indices({1, 0})).item<float>(), 2.5f);
}

TEST(MseLoss, IsTheMeanSquare) {
  const Tensor x = tensor({1, 2}), y = tensor({2, 5});
  EXPECT_FLOAT_EQ(tn::nn::mse_loss(x, y).item<float>(), 5);
  EXPECT_FLOAT_EQ(tn::nn::mse_loss(x, y, Reduction::sum).item<float>(), 10);
  expect_near(tn::nn::mse_loss(x, y, Reduction::none), {1, 9});
}

}  // namespace
