// What layers compute, against numbers worked out by hand or by <cmath>.
#include "support.h"

namespace {

using namespace test;

TEST(Linear, MultipliesByTheTransposedWeightAndAddsTheBias) {
  tn::nn::Linear linear(2, 3);
  assign(linear.weight, {1, 2, 3, 4, 5, 6});
  assign(linear.bias, {10, 20, 30});
  expect_near(linear(tensor({1, -1}, {1, 2})), {9, 19, 29});
  EXPECT_EQ(sizes(linear(tn::zeros({4, 5, 2}))), (std::vector<int64_t>{4, 5, 3}));
}

TEST(Linear, GoesWithoutABias) {
  tn::nn::Linear linear(2, 1, false);
  EXPECT_FALSE(linear.bias.defined());
  assign(linear.weight, {3, 4});
  expect_near(linear(tensor({1, 10}, {1, 2})), {43});
}

TEST(Linear, RefusesAnInputOfAnotherWidth) {
  expect_error(TN_INVALID_ARGUMENT, "f32[4,3]@cpu", [] {
    tn::nn::Linear(2, 3)(tn::zeros({4, 3}));
  });
}

TEST(Linear, HasGradients) {
  tn::nn::Linear linear(2, 1);
  tn::sum(linear(tensor({1, 2, 3, 4}, {2, 2}))).backward();
  expect_near(linear.weight.grad(), {4, 6});
  expect_near(linear.bias.grad(), {2});
}

TEST(Conv2d, Correlates) {
  tn::nn::Conv2d conv(1, 1, 2);
  assign(conv.weight, {1, 10, 100, 1000});
  assign(conv.bias, {0.5f});
  const Tensor image = tensor({1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 1, 3, 3});
  expect_near(conv(image), {5421.5f, 6532.5f, 8754.5f, 9865.5f});
}

TEST(Conv2d, StridesPadsAndDilatesByPair) {
  tn::nn::Conv2d conv(2, 4, {3, 1}, {2, 1}, {1, 0}, {1, 1}, 2, false);
  EXPECT_EQ(sizes(conv.weight), (std::vector<int64_t>{4, 1, 3, 1}));
  EXPECT_FALSE(conv.bias.defined());
  EXPECT_EQ(sizes(conv(tn::zeros({5, 2, 7, 6}))), (std::vector<int64_t>{5, 4, 4, 6}));
}

TEST(Conv2d, RefusesGroupsThatDoNotDivide) {
  expect_error(TN_INVALID_ARGUMENT, "2 groups must divide 3 input and 4 output channels",
               [] { tn::nn::Conv2d(3, 4, 1, 1, 0, 1, 2); });
}

TEST(Embedding, LooksRowsUp) {
  tn::nn::Embedding table(3, 2);
  assign(table.weight, {1, 2, 3, 4, 5, 6});
  expect_near(table(indices({2, 0, 2})), {5, 6, 1, 2, 5, 6});
}

TEST(Embedding, KeepsThePaddingRowAtZero) {
  tn::nn::Embedding table(3, 2, 1);
  EXPECT_THAT(numbers(tn::select(table.weight, 0, 1)), ElementsAre(0, 0));
  tn::sum(table(indices({0, 1, 0}))).backward();
  expect_near(table.weight.grad(), {2, 2, 0, 0, 0, 0});
  expect_error(TN_INDEX_ERROR, "padding_index 3 is outside [-1, 3)",
               [] { tn::nn::Embedding(3, 2, 3); });
}

TEST(Activations, AreTheirFormulas) {
  const Numbers at = {-3, -0.5f, 0, 0.25f, 4};
  const auto expect = [&](const Tensor& actual, auto formula) {
    Numbers expected;
    for (const float x : at)
      expected.push_back(static_cast<float>(formula(static_cast<double>(x))));
    expect_near(actual, expected, 2e-6f);
  };
  const Tensor x = tensor(at);
  const auto logistic = [](double v) { return 1 / (1 + std::exp(-v)); };
  expect(tn::nn::ReLU()(x), [](double v) { return v > 0 ? v : 0; });
  expect(tn::nn::Tanh()(x), [](double v) { return std::tanh(v); });
  expect(tn::nn::Sigmoid()(x), logistic);
  expect(tn::nn::SiLU()(x), [&](double v) { return v * logistic(v); });
  expect(tn::nn::GELU()(x), [](double v) { return v * 0.5 * std::erfc(-v / std::sqrt(2.0)); });
  expect(tn::nn::GELU(true)(x), [](double v) {
    return 0.5 * v * (1 + std::tanh(std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v)));
  });
}

TEST(Dropout, DropsAndScalesInTraining) {
  tn::api->manual_seed(3);
  tn::nn::Dropout dropout(0.25);
  int dropped = 0;
  for (const float x : numbers(dropout(tn::ones({10000})))) {
    if (x == 0)
      ++dropped;
    else
      EXPECT_FLOAT_EQ(x, 4.0f / 3);
  }
  EXPECT_NEAR(dropped, 2500, 200);  // 4.6 standard deviations
}

TEST(Dropout, PassesTheInputOnInEvaluation) {
  tn::nn::Dropout dropout(0.25);
  dropout.eval();
  EXPECT_THAT(numbers(dropout(tensor({1, 2, 3}))), ElementsAre(1, 2, 3));
  expect_error(TN_INVALID_ARGUMENT, "got 1.5", [] { tn::nn::Dropout(1.5); });
}

TEST(MaxPool2d, TakesTheLargestOfEachWindow) {
  const Tensor image = tensor({1, 2, 3, 4, 8, 7, 6, 5}, {1, 1, 2, 4});
  expect_near(tn::nn::MaxPool2d(2)(image), {8, 6});
  expect_near(tn::nn::MaxPool2d(2, 1)(image), {8, 7, 6});
  expect_near(tn::nn::MaxPool2d({1, 3}, {1, 2}, {0, 1})(image), {2, 4, 8, 7});
}

TEST(Flatten, JoinsAllButTheFirstDimension) {
  EXPECT_EQ(sizes(tn::nn::Flatten()(tn::zeros({2, 3, 4, 5}))), (std::vector<int64_t>{2, 60}));
  EXPECT_EQ(sizes(tn::nn::Flatten(0, 1)(tn::zeros({2, 3, 4}))), (std::vector<int64_t>{6, 4}));
}

TEST(Sequential, RunsOneLayerAfterTheOther) {
  tn::nn::Sequential net(tn::nn::Linear(1, 2), tn::nn::ReLU(), tn::nn::Linear(2, 1, false));
  assign(std::get<0>(net.layers).weight, {1, -1});
  assign(std::get<0>(net.layers).bias, {0, 0});
  assign(std::get<2>(net.layers).weight, {10, 100});
  expect_near(net(tensor({2, -3}, {2, 1})), {20, 300});
}

}  // namespace
