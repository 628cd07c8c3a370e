// Initial values.
#include <algorithm>

#include "support.h"

namespace {

using namespace test;

// Uniform in (-bound, bound): the bound is nearly reached and the variance is bound^2 / 3.
void expect_uniform(const Tensor& t, double bound) {
  const Numbers values = numbers(t);
  double square = 0;
  for (const float v : values) square += static_cast<double>(v) * static_cast<double>(v);
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  EXPECT_LE(*most, bound);
  EXPECT_GE(*least, -bound);
  EXPECT_GT(*most, 0.99 * bound);
  EXPECT_LT(*least, -0.99 * bound);
  EXPECT_NEAR(square / static_cast<double>(values.size()), bound * bound / 3, 0.02 * bound * bound);
}

TEST(Init, LinearIsUniformByItsInputs) {
  const tn::nn::Linear linear(100, 200);
  expect_uniform(linear.weight, 0.1);
  for (const float b : numbers(linear.bias)) EXPECT_LE(std::fabs(b), 0.1f);
}

TEST(Init, ConvolutionCountsTheInputsOfOneGroup) {
  const tn::nn::Conv2d conv(8, 400, 5, 1, 0, 1, 2);
  expect_uniform(conv.weight, 0.1);  // 4 channels of 5 x 5
}

TEST(Init, KaimingUniformIsForReluByDefault) {
  const Tensor weight = tn::empty({300, 150});
  tn::nn::init::kaiming_uniform(weight);
  expect_uniform(weight, 0.2);
}

TEST(Init, EmbeddingIsNormal) {
  const Numbers values = numbers(tn::nn::Embedding(100, 200).weight);
  double sum = 0, square = 0;
  for (const float v : values) {
    sum += static_cast<double>(v);
    square += static_cast<double>(v) * static_cast<double>(v);
  }
  EXPECT_NEAR(sum / 20000, 0, 0.04);
  EXPECT_NEAR(square / 20000, 1, 0.05);
}

TEST(Init, TheSameSeedGivesTheSameParameters) {
  tn::api->manual_seed(5);
  const Numbers first = numbers(tn::nn::Linear(10, 10).weight);
  tn::api->manual_seed(5);
  EXPECT_EQ(numbers(tn::nn::Linear(10, 10).weight), first);
  EXPECT_NE(numbers(tn::nn::Linear(10, 10).weight), first);
}

TEST(Init, AcceptsLayersWithoutInputs) {
  EXPECT_EQ(tn::nn::Linear(0, 3).weight.numel(), 0);
}

TEST(Init, RefusesAFanInOfABias) {
  expect_error(TN_INVALID_ARGUMENT, "f32[3]@cpu",
               [] { tn::nn::init::kaiming_uniform(tn::empty({3})); });
}

}  // namespace
