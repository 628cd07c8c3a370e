// Rows of a table by index.
#include "support.h"

namespace {

using namespace test;

TEST(Embedding, CopiesRows) {
  for (tn::DType dtype : {TN_F32, TN_F64, TN_BF16, TN_I64}) {
    const Tensor table = (random({10, 5}) * 100.0).to(dtype);
    const Tensor y = tn::embedding(table, indices({3, 0, 9, 3}, {2, 2}));
    EXPECT_EQ(sizes_of(y), (Sizes{2, 2, 5}));
    const Numbers rows = numbers(table), found = numbers(y);
    const int64_t order[] = {3, 0, 9, 3};
    for (size_t i = 0; i < 4; ++i)
      for (size_t j = 0; j < 5; ++j)
        EXPECT_EQ(found[i * 5 + j], rows[static_cast<size_t>(order[i]) * 5 + j]);
  }
  const Tensor columns = tn::t(random({5, 10}));
  EXPECT_EQ(numbers(tn::embedding(columns, indices({7}, {1}).to(TN_I32))),
            numbers(tn::select(columns, 0, 7)));
  EXPECT_EQ(sizes_of(tn::embedding(columns, indices({}, {0}))), (Sizes{0, 5}));
}

// More than the caches hold, in rows of whole cache lines and of others.
TEST(Embedding, CopiesManyLongRows) {
  for (const int64_t width : {320, 323}) {
    const Tensor table = random({97, width}, TN_F32);
    std::vector<int64_t> list(7000);
    for (size_t i = 0; i < list.size(); ++i) list[i] = static_cast<int64_t>(i * i % 97);
    const Tensor rows = indices(list, {7000});
    const std::vector<float> from = table.to_vector<float>(),
                             by_embedding = tn::embedding(table, rows).to_vector<float>(),
                             by_index = tn::index_select(table, 0, rows).to_vector<float>();
    std::vector<float> expected;
    for (const int64_t row : list)
      expected.insert(expected.end(), from.begin() + row * width, from.begin() + (row + 1) * width);
    EXPECT_TRUE(by_embedding == expected);
    EXPECT_TRUE(by_index == expected);
  }
}

TEST(Embedding, SumsGradientsOfRepeatedRows) {
  for (tn::DType dtype : {TN_F32, TN_F64, TN_BF16, TN_F16}) {
    const Tensor g = random({4, 20}, dtype);
    const Numbers v = numbers(g);
    const std::vector<int64_t> list = {2, 0, 2, 1};
    for (bool by_frequency : {false, true}) {
      Numbers expected(60);
      for (size_t i = 0; i < 4; ++i)
        for (size_t j = 0; j < 20; ++j)
          if (list[i] != 1)
            expected[static_cast<size_t>(list[i]) * 20 + j] +=
                v[i * 20 + j] / (by_frequency && list[i] == 2 ? 2 : 1);
      expect_near(tn::embedding_dense_backward(g, indices(list, {4}), 3, 1, by_frequency),
                  expected);
    }
  }
}

TEST(Embedding, IsDifferentiableTwice) {
  const Tensor list = indices({2, 0, 2, 1}, {2, 2});
  expect_gradients(
      [&](auto& x) {
        const Tensor y = tn::embedding(x[0], list);
        return y * y;
      },
      {random({3, 4})});
}

TEST(Embedding, GivesThePaddingRowNoGradient) {
  const Tensor table = random({3, 2}).requires_grad_();
  const Tensor y = tn::embedding(table, indices({2, 0, 2}, {3}), 2);
  const auto first = tn::grad({tn::sum(y * y)}, {table}, {}, TN_BACKWARD_CREATE_GRAPH);
  const Numbers v = numbers(table);
  expect_near(first[0], {2 * v[0], 2 * v[1], 0, 0, 0, 0});
  expect_near(tn::grad({tn::sum(first[0])}, {table})[0], {2, 2, 0, 0, 0, 0});
}

TEST(Embedding, GivesTheSameBitsForAnyNumberOfThreads) {
  std::vector<int64_t> list;
  for (int64_t i = 0; i < 5000; ++i) list.push_back(i * i % 97);
  const Tensor g = random({5000, 30}, TN_F32);
  std::vector<std::vector<float>> results;
  with_threads([&](int) {
    results.push_back(
        tn::embedding_dense_backward(g, indices(list, {5000}), 100, -1, false).to_vector<float>());
  });
  EXPECT_EQ(results[0], results[1]);
}

TEST(Embedding, ATableOfNothingMayHaveAnyNumberOfRows) {
  for (const int64_t rows : {INT64_MAX, (int64_t{1} << 61) - 1}) {
    const Tensor g =
        tn::embedding_dense_backward(random({2, 0}), indices({0, 5}, {2}), rows, -1, false);
    EXPECT_EQ(g.sizes(), tn::Ints(Sizes{rows, 0}));
  }
}

TEST(Embedding, RejectsIndicesOutsideTheTable) {
  const Tensor table = random({3, 2});
  expect_error(TN_INDEX_ERROR, "[0, 3), the table's rows; got 3", [&] {
    tn::embedding(table, indices({0, 3}, {2}));
  });
  expect_error(TN_INDEX_ERROR, "got -1", [&] { tn::embedding(table, indices({-1}, {1})); });
  const Tensor out = tn::zeros(Sizes{2, 2}, TN_F64, "cpu");
  expect_error(TN_INDEX_ERROR, "got 3", [&] {
    tn::embedding_out(out, table, indices({0, 3}, {2}));
  });
  EXPECT_EQ(numbers(out), Numbers(4, 0.0));
  expect_error(TN_TYPE_ERROR, "i64 or i32", [&] { tn::embedding(table, random({2})); });
  expect_error(TN_INVALID_ARGUMENT, "[num, width]",
               [&] { tn::embedding(random({3}), indices({0}, {1})); });
  expect_error(TN_INDEX_ERROR, "got 5", [&] {
    tn::embedding_dense_backward(random({1, 2}), indices({5}, {1}), 3, -1, false);
  });
}

}  // namespace
