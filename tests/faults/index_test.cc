// Joining, splitting and indexing without memory.
#include "scenario.h"

namespace faults {
namespace {

TEST(FaultsInJoins, cat_and_stack) {
  const Tensor x = counting({2}), y = counting({3});
  expect_clean_faults({.run =
                           [&] {
                             return Results{tn::cat({x, y}), tn::stack({x, x}, 1)};
                           },
                       .check =
                           [](const Results& r) {
                             EXPECT_THAT(numbers(r[0]), ElementsAre(0, 1, 0, 1, 2));
                             EXPECT_THAT(numbers(r[1]), ElementsAre(0, 0, 1, 1));
                           },
                       .unchanged = {x, y}});
}

TEST(FaultsInJoins, split_into_a_list) {
  const Tensor x = counting({5});
  expect_clean_faults({.run =
                           [&] {
                             const std::vector<Tensor> parts = tn::split(x, 2);
                             return Results{parts[0], parts[1], parts[2]};
                           },
                       .check =
                           [](const Results& r) {
                             EXPECT_THAT(numbers(r[0]), ElementsAre(0, 1));
                             EXPECT_THAT(numbers(r[1]), ElementsAre(2, 3));
                             EXPECT_THAT(numbers(r[2]), ElementsAre(4));
                           },
                       .unchanged = {x}});
}

TEST(FaultsInIndexing, gather_and_select) {
  const Tensor x = counting({3, 2}), rows = tensor({2, 0}, TN_I64);
  const Tensor places = tn::view(tensor({1, 0, 1}, TN_I64), {3, 1});
  expect_clean_faults({.run =
                           [&] {
                             return Results{tn::index_select(x, 0, rows), tn::gather(x, 1, places)};
                           },
                       .check =
                           [](const Results& r) {
                             EXPECT_THAT(numbers(r[0]), ElementsAre(4, 5, 0, 1));
                             EXPECT_THAT(numbers(r[1]), ElementsAre(1, 2, 5));
                           },
                       .unchanged = {x, rows, places}});
}

TEST(FaultsInIndexing, scatter_add_in_place) {
  const Tensor x = tn::zeros({3}), places = tensor({2, 0, 2}, TN_I64), add = tensor({1, 2, 3});
  expect_clean_faults({.run =
                           [&] {
                             tn::scatter_add_(x, 0, places, add);
                             return Results{tn::scatter_add(add, 0, places, add)};
                           },
                       .check =
                           [&](const Results& r) {
                             EXPECT_THAT(numbers(r[0]), ElementsAre(3, 2, 7));
                             EXPECT_THAT(numbers(x), ElementsAre(2, 0, 4));
                           },
                       .unchanged = {places, add},
                       .reset = [&] { tn::zero_(x); }});
}

}  // namespace
}  // namespace faults
