// Reading and writing at indices, and indices that do not exist.
#include "operators.h"

TEST(IndexSelect, TakesSlicesInAnyOrder) {
  tn::Tensor x = counting({3, 2});
  EXPECT_THAT(values(tn::index_select(x, 0, ints({2, 0, 2}))), ElementsAre(4, 5, 0, 1, 4, 5));
  EXPECT_THAT(values(tn::index_select(x, -1, tn::to(ints({1}), TN_I32))), ElementsAre(1, 3, 5));
  EXPECT_THAT(values(tn::index_select(tn::t(x), 1, ints({2, 1}))), ElementsAre(4, 2, 5, 3));
  EXPECT_THAT(shape(tn::index_select(x, 0, ints({}))), ElementsAre(0, 2));
  EXPECT_THAT(values(tn::index_select(counting({}), 0, ints({0}))), ElementsAre(0));
}

TEST(IndexSelect, NamesTheIndexAndTheBound) {
  tn::Tensor x = counting({3, 2});
  expect_error(TN_INDEX_ERROR, "index 3 is out of range for dimension 0 of size 3", [&] {
    tn::index_select(x, 0, ints({0, 3}));
  });
  expect_error(TN_INDEX_ERROR, "index -1 is out of range",
               [&] { tn::index_select(x, 0, ints({-1})); });
  expect_error(TN_TYPE_ERROR, "must be i64 or i32", [&] { tn::index_select(x, 0, floats({0})); });
  expect_error(TN_INVALID_ARGUMENT, "must be a vector", [&] {
    tn::index_select(x, 0, counting({1, 1}, TN_I64));
  });
}

TEST(Gather, PicksAlongOneDimension) {
  tn::Tensor x = counting({2, 3});
  tn::Tensor at = tn::view(ints({2, 0, 1, 1}), {2, 2});
  EXPECT_THAT(values(tn::gather(x, 1, at)), ElementsAre(2, 0, 4, 4));
  EXPECT_THAT(values(tn::gather(tn::t(x), 0, tn::t(at))), ElementsAre(2, 4, 0, 4));
  expect_error(TN_INVALID_ARGUMENT, "ranks must agree", [&] { tn::gather(x, 1, ints({0})); });
  expect_error(TN_INVALID_ARGUMENT, "must not be larger in dimension 1", [&] {
    tn::gather(x, 0, tn::zeros({1, 4}, TN_I64));
  });
}

TEST(TakeAlongDim, BroadcastsTheOtherDimensions) {
  tn::Tensor x = counting({2, 3});
  EXPECT_THAT(values(tn::take_along_dim(x, tn::view(ints({2}), {1, 1}), 1)), ElementsAre(2, 5));
  EXPECT_THAT(values(tn::take_along_dim(x, ints({5, 0}))), ElementsAre(5, 0));
}

TEST(Scatter, WritesValuesAndNumbers) {
  tn::Tensor x = tn::zeros({2, 3});
  tn::Tensor at = tn::view(ints({2, 0, 1, 1}), {2, 2});
  EXPECT_THAT(values(tn::scatter(x, 1, at, counting({2, 2}) + 1)), ElementsAre(2, 0, 1, 0, 4, 0));
  EXPECT_THAT(values(tn::scatter(x, 1, at, 9)), ElementsAre(9, 0, 9, 0, 9, 0));
  EXPECT_THAT(values(tn::scatter_add(x, 1, at, counting({2, 2}) + 1)),
              ElementsAre(2, 0, 1, 0, 7, 0));
  tn::scatter_add_(x, 1, at, tn::ones({2, 2}));
  EXPECT_THAT(values(x), ElementsAre(1, 0, 1, 0, 2, 0));
  expect_error(TN_TYPE_ERROR, "same dtype", [&] { tn::scatter(x, 1, at, ints({1})); });
}

// A 0-dim tensor counts as a vector of one element, and only one.
TEST(Scatter, HasAnElementOfSrcForEachIndex) {
  const tn::Tensor single = tn::zeros({1}), zero = counting({}, TN_I64), number = counting({}) + 7;
  for (const bool add : {false, true}) {
    const auto into = [&](const tn::Tensor& self, const tn::Tensor& index, const tn::Tensor& src) {
      return add ? tn::scatter_add(self, 0, index, src) : tn::scatter(self, 0, index, src);
    };
    const auto too_large = [&](const tn::Tensor& index, const tn::Tensor& src) {
      expect_error(TN_INVALID_ARGUMENT, "must not be larger in dimension 0",
                   [&] { into(single, index, src); });
    };
    too_large(zero, tn::zeros({0}));
    too_large(ints({0, 0}), number);
    too_large(ints({0, 0}), floats({1}));
    EXPECT_THAT(values(into(single, zero, floats({3, 4, 5}))), ElementsAre(3));
    EXPECT_THAT(values(into(single, ints({0}), number)), ElementsAre(7));
    EXPECT_THAT(values(into(counting({}), ints({0}), floats({5}))), ElementsAre(5));
  }
}

TEST(Scatter, ABadIndexChangesNothing) {
  tn::Tensor x = counting({4});
  expect_error(TN_INDEX_ERROR, "index 4", [&] {
    tn::scatter_(x, 0, ints({0, 4}), floats({7, 7}));
  });
  EXPECT_THAT(values(x), ElementsAre(0, 1, 2, 3));
  expect_error(TN_RUNTIME_ERROR, "shares memory", [&] {
    tn::scatter_(x, 0, ints({1, 0}), tn::narrow(x, 0, 0, 2));
  });
  EXPECT_THAT(values(x), ElementsAre(0, 1, 2, 3));
}

TEST(Scatter, WritesStridedTensorsInPlace) {
  tn::Tensor base = tn::zeros({3, 2});
  tn::scatter_(tn::t(base), 1, tn::view(ints({2, 0}), {2, 1}), 5);
  EXPECT_THAT(values(base), ElementsAre(0, 5, 0, 0, 5, 0));
}

TEST(IndexAdd, SumsRepeatedIndices) {
  tn::Tensor x = tn::ones({3, 2});
  EXPECT_THAT(values(tn::index_add(x, 0, ints({0, 0, 2}), counting({3, 2}), 2)),
              ElementsAre(5, 9, 1, 1, 9, 11));
  tn::index_add_(x, 1, ints({1}), tn::ones({3, 1}));
  EXPECT_THAT(values(x), ElementsAre(1, 2, 1, 2, 1, 2));
  expect_error(TN_INVALID_ARGUMENT, "as many slices", [&] {
    tn::index_add(x, 0, ints({0}), counting({2, 2}));
  });
  expect_error(TN_TYPE_ERROR, "alpha must be an integer",
               [&] { tn::index_add(ints({1}), 0, ints({0}), ints({1}), 0.5); });
}

TEST(ScatterAdd, GivesTheSameWithAnyNumberOfThreads) {
  tn::Tensor at = tn::randint(0, 50, {300, 1000}), src = tn::rand({300, 1000});
  const int before = tn::api->num_threads();
  tn::check(tn::api->set_num_threads(1));
  const std::vector<float> serial = values(tn::scatter_add(tn::zeros({50, 1000}), 0, at, src));
  tn::check(tn::api->set_num_threads(2));
  EXPECT_EQ(values(tn::scatter_add(tn::zeros({50, 1000}), 0, at, src)), serial);
  tn::check(tn::api->set_num_threads(before));
}
