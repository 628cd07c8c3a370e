// What networks are made of, without memory.
#include <tuple>

#include "scenario.h"

namespace faults {
namespace {

TEST(FaultsInNetworks, matrix_products) {
  const Tensor a = counting({2, 3}), b = counting({3, 2});
  const Tensor batch = tn::ones({2, 40, 40});
  expect_clean_faults({.run =
                           [&] {
                             return Results{tn::matmul(a, b), tn::matmul(tn::transpose(b, 0, 1), b),
                                            tn::matmul(batch, batch)};
                           },
                       .check =
                           [](const Results& r) {
                             EXPECT_THAT(numbers(r[0]), ElementsAre(10, 13, 28, 40));
                             EXPECT_THAT(numbers(r[1]), ElementsAre(20, 26, 26, 35));
                             EXPECT_THAT(numbers(r[2]), Each(40));
                           },
                       .unchanged = {a, b}});
}

TEST(FaultsInNetworks, convolution) {
  const Tensor image = tn::ones({2, 3, 8, 8}), weight = tn::ones({4, 3, 3, 3});
  const Tensor bias = tn::ones({4});
  expect_clean_faults({.run =
                           [&] {
                             return Results{tn::conv2d(image, weight, bias, {1, 1}, {1, 1})};
                           },
                       .check =
                           [](const Results& r) {
                             const Numbers out = numbers(r[0]);
                             EXPECT_EQ(out[0], 13);  // a corner sees 2 x 2 pixels of 3 channels
                             EXPECT_EQ(out[9], 28);
                           },
                       .unchanged = {image, weight, bias}});
}

TEST(FaultsInNetworks, pooling) {
  const Tensor image = counting({1, 1, 4, 4});
  expect_clean_faults({.run =
                           [&] {
                             auto [values, places] = tn::max_pool2d_with_indices(image, {2, 2});
                             return Results{values, places, tn::avg_pool2d(image, {2, 2})};
                           },
                       .check =
                           [](const Results& r) {
                             EXPECT_THAT(numbers(r[0]), ElementsAre(5, 7, 13, 15));
                             EXPECT_THAT(numbers(r[1]), ElementsAre(5, 7, 13, 15));
                             EXPECT_THAT(numbers(r[2]), ElementsAre(2.5, 4.5, 10.5, 12.5));
                           },
                       .unchanged = {image}});
}

TEST(FaultsInNetworks, softmax_and_loss) {
  const Tensor logits = tn::zeros({3, 4}), classes = tensor({0, 3, 1}, TN_I64);
  expect_clean_faults(
      {.run =
           [&] {
             return Results{tn::softmax(logits, 1), tn::cross_entropy_loss(logits, classes)};
           },
       .check =
           [](const Results& r) {
             EXPECT_THAT(numbers(r[0]), Each(0.25));
             EXPECT_NEAR(r[1].item(), 1.386294361, 1e-6);
           },
       .unchanged = {logits, classes}});
}

TEST(FaultsInNetworks, normalization_embedding_and_attention) {
  const Tensor x = counting({2, 4}), table = counting({5, 2}), which = tensor({4, 0}, TN_I64);
  const Tensor heads = tn::ones({1, 2, 3, 4});
  expect_clean_faults({.run =
                           [&] {
                             return Results{tn::layer_norm(x, {4}), tn::embedding(table, which),
                                            tn::scaled_dot_product_attention(heads, heads, heads)};
                           },
                       .check =
                           [](const Results& r) {
                             EXPECT_NEAR(numbers(r[0])[0], -1.3416355, 1e-5);
                             EXPECT_THAT(numbers(r[1]), ElementsAre(8, 9, 0, 1));
                             EXPECT_THAT(numbers(r[2]), Each(testing::DoubleNear(1, 1e-6)));
                           },
                       .unchanged = {x, table, which}});
}

}  // namespace
}  // namespace faults
