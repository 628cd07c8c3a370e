// Views of whole tensors: shape, strides, shared memory, and what cannot be one.
#include "operators.h"

TEST(View, SharesMemoryInAnotherShape) {
  tn::Tensor x = counting({2, 3});
  tn::Tensor y = tn::view(x, {3, -1});
  EXPECT_THAT(shape(y), ElementsAre(3, 2));
  EXPECT_EQ(y.data<float>(), x.data<float>());
  y.data<float>()[5] = 50;
  EXPECT_EQ(values(x)[5], 50);
}

TEST(View, SplitsAndMergesWhereStridesAllow) {
  tn::Tensor x = tn::transpose(counting({2, 3, 4}), 0, 1);  // strides 4, 12, 1
  EXPECT_THAT(strides(tn::view(x, {3, 2, 2, 2})), ElementsAre(4, 12, 2, 1));
  EXPECT_THAT(strides(tn::view(x, {3, 1, 2, 4})), ElementsAre(4, 24, 12, 1));
  expect_error(TN_INVALID_ARGUMENT, "use reshape", [&] { tn::view(x, {6, 4}); });
  EXPECT_THAT(values(tn::reshape(x, {6, 4})),
              ElementsAre(0, 1, 2, 3, 12, 13, 14, 15, 4, 5, 6, 7, 16, 17, 18, 19, 8, 9, 10, 11, 20,
                          21, 22, 23));
}

TEST(View, NamesWhatIsWrongWithAShape) {
  tn::Tensor x = counting({2, 3});
  expect_error(TN_INVALID_ARGUMENT, "shape [4, 2] is invalid for a tensor of 6 elements", [&] {
    tn::view(x, {4, 2});
  });
  expect_error(TN_INVALID_ARGUMENT, "only one size", [&] { tn::view(x, {-1, -1}); });
  expect_error(TN_INVALID_ARGUMENT, "invalid size -2", [&] { tn::view(x, {-2, 3}); });
  expect_error(TN_INVALID_ARGUMENT, "ambiguous", [&] { tn::view(counting({0}), {-1, 0}); });
}

TEST(View, OfNoElementsAndOfOneWork) {
  EXPECT_THAT(shape(tn::view(counting({0, 3}), {3, 0, 2})), ElementsAre(3, 0, 2));
  EXPECT_THAT(shape(tn::view(counting({0, 3}), {5, -1, 3})), ElementsAre(5, 0, 3));
  EXPECT_THAT(shape(tn::view(counting({1}), {})), ElementsAre());
  EXPECT_THAT(shape(tn::view(counting({}), {1, 1})), ElementsAre(1, 1));
}

TEST(View, OfNoElementsMayHaveStridesBeyondAllMemory) {
  constexpr int64_t kHuge = int64_t{1} << 62;
  const std::vector<int64_t> sizes{0, 4, 2};
  const tn::Tensor x = tn::as_strided(counting({1}), sizes, std::vector<int64_t>{1, kHuge, 1});
  EXPECT_THAT(shape(tn::unsqueeze(x, 1)), ElementsAre(0, 1, 4, 2));
  EXPECT_THAT(shape(tn::expand(tn::unsqueeze(x, 1), {3, 0, 1, 4, 2})), ElementsAre(3, 0, 1, 4, 2));
  EXPECT_THAT(shape(tn::slice(x, 1, 0, 4, 3)), ElementsAre(0, 2, 2));
  EXPECT_THAT(shape(tn::diagonal(x, 0, 1, 2)), ElementsAre(0, 2));
  EXPECT_THAT(shape(tn::unfold(x, 1, 1, 2)), ElementsAre(0, 2, 2, 1));
  EXPECT_THAT(shape(tn::view(x, TN_U8)), ElementsAre(0, 4, 8));
  EXPECT_THAT(shape(tn::unflatten(tn::slice(counting({1}), 0, 0, 0), 0, {kHuge, 0})),
              ElementsAre(kHuge, 0));
  EXPECT_EQ(tn::sum(tn::transpose(x, 1, 2)).item(), 0);
  EXPECT_THAT(values(tn::sum(x, {0, 2})), ElementsAre(0, 0, 0, 0));
  expect_error(TN_INVALID_ARGUMENT, "outside the storage", [&] { tn::narrow(x, 1, 3, 1); });
  expect_error(TN_INVALID_ARGUMENT, "outside the storage", [&] { tn::select(x, 1, 3); });
  expect_error(TN_INVALID_ARGUMENT, "too many elements", [&] {
    tn::view(counting({0}), {0, kHuge, kHuge});
  });
}

TEST(View, OfAnotherDtypeRescalesTheLastDimension) {
  tn::Tensor x = counting({2, 2}, TN_I64);
  EXPECT_THAT(shape(tn::view(x, TN_I32)), ElementsAre(2, 4));
  EXPECT_THAT(tn::view(x, TN_I32).to_vector<int32_t>(), ElementsAre(0, 0, 1, 0, 2, 0, 3, 0));
  EXPECT_THAT(integers(tn::view(tn::view(x, TN_I32), TN_I64)), ElementsAre(0, 1, 2, 3));
  expect_error(TN_INVALID_ARGUMENT, "divisible by 2",
               [&] { tn::view(counting({3}, TN_I32), TN_I64); });
  expect_error(TN_INVALID_ARGUMENT, "stride 1", [&] { tn::view(tn::t(x), TN_I32); });
}

TEST(Flatten, MergesARange) {
  tn::Tensor x = counting({2, 3, 4});
  EXPECT_THAT(shape(tn::flatten(x)), ElementsAre(24));
  EXPECT_THAT(shape(tn::flatten(x, 1)), ElementsAre(2, 12));
  EXPECT_THAT(shape(tn::flatten(x, 0, -2)), ElementsAre(6, 4));
  EXPECT_THAT(shape(tn::flatten(counting({}))), ElementsAre(1));
  expect_error(TN_INVALID_ARGUMENT, "must not come after", [&] { tn::flatten(x, 2, 1); });
  EXPECT_THAT(shape(tn::unflatten(tn::flatten(x), 0, {2, -1, 4})), ElementsAre(2, 3, 4));
}

TEST(Permute, ReordersAndChecksDims) {
  tn::Tensor x = counting({2, 3, 4});
  EXPECT_THAT(strides(tn::permute(x, {2, 0, 1})), ElementsAre(1, 12, 4));
  EXPECT_THAT(shape(tn::permute(x, {-1, 0, 1})), ElementsAre(4, 2, 3));
  expect_error(TN_INVALID_ARGUMENT, "appears twice", [&] { tn::permute(x, {0, 0, 1}); });
  expect_error(TN_INVALID_ARGUMENT, "rank 3", [&] { tn::permute(x, {0, 1}); });
  expect_error(TN_INDEX_ERROR, "outside [-3, 2]", [&] { tn::permute(x, {0, 1, 3}); });
}

TEST(Transpose, WrapsDimsAndWorksInPlace) {
  tn::Tensor x = counting({2, 3});
  EXPECT_THAT(values(tn::transpose(x, 0, -1)), ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_THAT(shape(tn::t(x)), ElementsAre(3, 2));
  EXPECT_THAT(shape(tn::t(counting({3}))), ElementsAre(3));
  expect_error(TN_INVALID_ARGUMENT, "rank 2 at most", [&] { tn::t(counting({2, 2, 2})); });
  tn::transpose_(x, 0, 1);
  EXPECT_THAT(values(x), ElementsAre(0, 3, 1, 4, 2, 5));
}

TEST(Movedim, MovesOneOrSeveral) {
  tn::Tensor x = counting({2, 3, 4});
  EXPECT_THAT(shape(tn::movedim(x, 0, 2)), ElementsAre(3, 4, 2));
  EXPECT_THAT(shape(tn::movedim(x, tn::Ints{0, 1}, tn::Ints{-1, 0})), ElementsAre(3, 4, 2));
}

TEST(Expand, RepeatsWithoutMemory) {
  tn::Tensor x = counting({3, 1});
  tn::Tensor y = tn::expand(x, {2, -1, 4});
  EXPECT_THAT(shape(y), ElementsAre(2, 3, 4));
  EXPECT_THAT(strides(y), ElementsAre(0, 1, 0));
  expect_error(TN_INVALID_ARGUMENT, "expanded size 4 must match the existing size 3", [&] {
    tn::expand(x, {4, 1});
  });
  expect_error(TN_INVALID_ARGUMENT, "at least as many as its rank", [&] { tn::expand(x, {3}); });
  expect_error(TN_INVALID_ARGUMENT, "new dimension", [&] { tn::expand(x, {-1, 3, 1}); });
  expect_error(TN_RUNTIME_ERROR, "share memory", [&] { tn::zero_(y); });
}

TEST(Squeeze, DropsOnlySizesOfOne) {
  tn::Tensor x = counting({1, 2, 1, 3});
  EXPECT_THAT(shape(tn::squeeze(x)), ElementsAre(2, 3));
  EXPECT_THAT(shape(tn::squeeze(x, 0)), ElementsAre(2, 1, 3));
  EXPECT_THAT(shape(tn::squeeze(x, 1)), ElementsAre(1, 2, 1, 3));
  EXPECT_THAT(shape(tn::squeeze(x, tn::Ints{0, -2})), ElementsAre(2, 3));
  EXPECT_THAT(shape(tn::unsqueeze(x, -1)), ElementsAre(1, 2, 1, 3, 1));
  expect_error(TN_INDEX_ERROR, "outside [-5, 4]", [&] { tn::unsqueeze(x, 5); });
  tn::squeeze_(x);
  tn::unsqueeze_(x, 0);
  EXPECT_THAT(shape(x), ElementsAre(1, 2, 3));
}

TEST(AsStrided, StaysInsideTheStorage) {
  tn::Tensor x = counting({6});
  EXPECT_THAT(values(tn::as_strided(x, {2, 2}, {3, 1}, 1)), ElementsAre(1, 2, 4, 5));
  EXPECT_ANY_THROW(tn::as_strided(x, {2, 2}, {4, 2}, 0));
  expect_error(TN_INVALID_ARGUMENT, "differ in length", [&] { tn::as_strided(x, {2}, {1, 1}); });
  expect_error(TN_INVALID_ARGUMENT, "negative", [&] { tn::as_strided(x, {2}, {-1}); });
}
