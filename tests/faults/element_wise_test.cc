// Element-wise calls and reductions without memory.
#include "scenario.h"

namespace faults {
namespace {

TEST(FaultsInElementWiseCalls, functional) {
  const Tensor x = counting({2, 3}), y = tn::ones({2, 3});
  expect_clean_faults({.run =
                           [&] {
                             return Results{tn::add(x, y), tn::exp(x), tn::mul(x, 2)};
                           },
                       .check =
                           [](const Results& r) {
                             EXPECT_THAT(numbers(r[0]), ElementsAre(1, 2, 3, 4, 5, 6));
                             EXPECT_NEAR(numbers(r[1])[1], 2.718281828, 1e-5);
                             EXPECT_THAT(numbers(r[2]), ElementsAre(0, 2, 4, 6, 8, 10));
                           },
                       .unchanged = {x, y}});
}

TEST(FaultsInElementWiseCalls, into_an_output_that_grows) {
  const Tensor x = counting({100, 100});
  expect_clean_faults({.run =
                           [&] {
                             const Tensor out = tn::empty({0});
                             tn::add_out(out, x, 1);
                             return Results{out};
                           },
                       .check = [](const Results& r) { EXPECT_EQ(numbers(r[0]).back(), 10000); },
                       .unchanged = {x}});
}

TEST(FaultsInElementWiseCalls, into_an_output_of_another_form) {
  const Tensor x = counting({2, 3}), y = tn::transpose(counting({3, 2}, TN_I16), 0, 1);
  const Tensor out = tn::ones({7});
  expect_clean_faults(
      {.run =
           [&] {
             tn::add_out(out, x, y);
             return Results{};
           },
       .check = [&](const Results&) { EXPECT_THAT(numbers(out), ElementsAre(0, 3, 6, 4, 7, 10)); },
       .unchanged = {x, y, out},
       .reset =
           [&] {
             const int64_t seven = 7;
             tn::check(tn::api->tensor_resize(out.get(), 1, &seven));
             tn::fill_(out, 1);
           }});
}

TEST(FaultsInElementWiseCalls, in_place_with_conversions) {
  const Tensor x = tn::zeros({3, 2}), y = counting({2, 3}, TN_I64);
  expect_clean_faults(
      {.run =
           [&] {
             tn::add_(x, tn::transpose(y, 0, 1));
             return Results{};
           },
       .check = [&](const Results&) { EXPECT_THAT(numbers(x), ElementsAre(0, 3, 1, 4, 2, 5)); },
       .unchanged = {x, y},
       .reset = [&] { tn::zero_(x); }});
}

TEST(FaultsInElementWiseCalls, promotion_and_broadcast) {
  const Tensor row = counting({3}, TN_I32), column = counting({2, 1}, TN_F64);
  expect_clean_faults({.run =
                           [&] {
                             return Results{row + column, tn::where(tn::gt(row, 1), row, 0.5)};
                           },
                       .check =
                           [](const Results& r) {
                             EXPECT_THAT(numbers(r[0]), ElementsAre(0, 1, 2, 1, 2, 3));
                             EXPECT_THAT(numbers(r[1]), ElementsAre(0.5, 0.5, 2));
                           },
                       .unchanged = {row, column}});
}

TEST(FaultsInElementWiseCalls, over_many_threads) {
  const Tensor x = tn::ones({1 << 20});
  expect_clean_faults({.run =
                           [&] {
                             return Results{x + x, tn::sum(x)};
                           },
                       .check =
                           [](const Results& r) {
                             EXPECT_EQ(r[0].to_vector<float>().back(), 2);
                             EXPECT_EQ(r[1].item(), 1 << 20);
                           }});
}

TEST(FaultsInReductions, sums_means_and_extrema) {
  const Tensor x = counting({3, 4});
  expect_clean_faults({.run =
                           [&] {
                             return Results{tn::sum(x, {0}), tn::mean(tn::transpose(x, 0, 1), {1}),
                                            tn::amax(x, {0, 1})};
                           },
                       .check =
                           [](const Results& r) {
                             EXPECT_THAT(numbers(r[0]), ElementsAre(12, 15, 18, 21));
                             EXPECT_THAT(numbers(r[1]), ElementsAre(4, 5, 6, 7));
                             EXPECT_EQ(r[2].item(), 11);
                           },
                       .unchanged = {x}});
}

TEST(FaultsInReductions, in_parts_by_several_threads) {
  const Tensor x = tn::ones({1 << 18, 3});
  expect_clean_faults({.run =
                           [&] {
                             return Results{tn::sum(x, {0}), tn::var(x, {0}), tn::argmax(x)};
                           },
                       .check =
                           [](const Results& r) {
                             EXPECT_THAT(numbers(r[0]), Each(1 << 18));
                             EXPECT_THAT(numbers(r[1]), Each(0));
                             EXPECT_EQ(r[2].item(), 0);
                           }});
}

}  // namespace
}  // namespace faults
