// Views of parts of a tensor.
#include "operators.h"

TEST(Select, TakesOneIndex) {
  tn::Tensor x = counting({2, 3});
  EXPECT_THAT(values(tn::select(x, 1, -1)), ElementsAre(2, 5));
  expect_error(TN_INDEX_ERROR,
               "index 3 is outside [-3, 3) of dimension 1 of a tensor of shape [2, 3]",
               [&] { tn::select(x, 1, 3); });
  expect_error(TN_INDEX_ERROR, "0-dim", [&] { tn::select(counting({}), 0, 0); });
}

TEST(Slice, ClampsAsPythonDoes) {
  tn::Tensor x = counting({10});
  EXPECT_THAT(values(tn::slice(x, 0, 2, 9, 3)), ElementsAre(2, 5, 8));
  EXPECT_THAT(values(tn::slice(x, 0, -2)), ElementsAre(8, 9));
  EXPECT_THAT(values(tn::slice(x, 0, std::nullopt, -8)), ElementsAre(0, 1));
  EXPECT_EQ(tn::slice(x, 0, 5, 3).numel(), 0);
  EXPECT_THAT(values(tn::slice(x, 0, 9, 100, INT64_MAX)), ElementsAre(9));
  expect_error(TN_INVALID_ARGUMENT, "step is 0", [&] { tn::slice(x, 0, 0, 1, 0); });
}

TEST(Narrow, RefusesWhatDoesNotExist) {
  tn::Tensor x = counting({5});
  EXPECT_THAT(values(tn::narrow(x, 0, -2, 2)), ElementsAre(3, 4));
  EXPECT_EQ(tn::narrow(x, 0, 5, 0).numel(), 0);
  expect_error(TN_INVALID_ARGUMENT, "exceed the size 5", [&] { tn::narrow(x, 0, 3, 3); });
  expect_error(TN_INDEX_ERROR, "start is 6", [&] { tn::narrow(x, 0, 6, 0); });
}

TEST(Diagonal, AboveBelowAndOutside) {
  tn::Tensor x = counting({2, 3});
  EXPECT_THAT(values(tn::diagonal(x)), ElementsAre(0, 4));
  EXPECT_THAT(values(tn::diagonal(x, 1)), ElementsAre(1, 5));
  EXPECT_THAT(values(tn::diagonal(x, -1)), ElementsAre(3));
  EXPECT_EQ(tn::diagonal(x, 7).numel(), 0);
  expect_error(TN_INVALID_ARGUMENT, "needs two", [&] { tn::diagonal(x, 0, 1, -1); });
}

TEST(Unfold, MakesWindows) {
  tn::Tensor w = tn::unfold(counting({5}), 0, 3, 2);
  EXPECT_THAT(shape(w), ElementsAre(2, 3));
  EXPECT_THAT(values(w), ElementsAre(0, 1, 2, 2, 3, 4));
  expect_error(TN_INVALID_ARGUMENT, "size is 6", [&] { tn::unfold(counting({5}), 0, 6, 1); });
}

std::vector<int64_t> sizes_of(const std::vector<tn::Tensor>& parts) {
  std::vector<int64_t> out;
  for (const tn::Tensor& t : parts) out.push_back(t.size(0));
  return out;
}

TEST(Split, EveryWay) {
  tn::Tensor x = counting({7});
  EXPECT_THAT(sizes_of(tn::split(x, 3)), ElementsAre(3, 3, 1));
  EXPECT_THAT(sizes_of(tn::split(x, tn::Ints{5, 2})), ElementsAre(5, 2));
  EXPECT_THAT(sizes_of(tn::split_with_sizes(x, {0, 7})), ElementsAre(0, 7));
  EXPECT_THAT(sizes_of(tn::chunk(x, 4)), ElementsAre(2, 2, 2, 1));
  EXPECT_THAT(sizes_of(tn::chunk(x, 5)),
              ElementsAre(2, 2, 2, 1));  // PyTorch's rule: fewer, equal parts
  EXPECT_THAT(sizes_of(tn::tensor_split(x, 3)), ElementsAre(3, 2, 2));
  EXPECT_THAT(sizes_of(tn::tensor_split(x, tn::Ints{2, 9})), ElementsAre(2, 5, 0));
  EXPECT_THAT(sizes_of(tn::chunk(counting({0}), 3)), ElementsAre(0, 0, 0));
  EXPECT_THAT(values(tn::split(x, 3)[1]), ElementsAre(3, 4, 5));
  expect_error(TN_INVALID_ARGUMENT, "add up to 6", [&] { tn::split(x, tn::Ints{3, 3}); });
  expect_error(TN_INVALID_ARGUMENT, "chunks is 0", [&] { tn::chunk(x, 0); });
  expect_error(TN_INVALID_ARGUMENT, "at most 4294967295",
               [&] { tn::chunk(counting({0}), int64_t{1} << 40); });
  expect_error(TN_INVALID_ARGUMENT, "at most 4294967295",
               [&] { tn::tensor_split(x, int64_t{1} << 40); });
}

TEST(Unbind, DropsTheDimension) {
  const std::vector<tn::Tensor> rows = tn::unbind(counting({2, 3}), 1);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_THAT(values(rows[2]), ElementsAre(2, 5));
}
