// Softmax, its logarithm and the logarithm of sums of exponentials.
#include "support.h"

namespace {

using namespace test;

// Along `dim`, by the definition with the maximum taken off.
Numbers reference(const Tensor& x, int64_t dim, bool logarithm) {
  Numbers v = numbers(x);
  int64_t inner = 1;
  for (int64_t d = dim + 1; d < x.dim(); ++d) inner *= x.size(d);
  const int64_t n = x.dim() ? x.size(dim) : 1;
  for (int64_t start = 0; start < x.numel(); ++start) {
    if (start / inner % n) continue;
    auto at = [&](int64_t k) -> double& { return v[static_cast<size_t>(start + k * inner)]; };
    double most = -HUGE_VAL, sum = 0;
    for (int64_t k = 0; k < n; ++k) most = std::max(most, at(k));
    for (int64_t k = 0; k < n; ++k) sum += std::exp(at(k) - most);
    for (int64_t k = 0; k < n; ++k)
      at(k) = logarithm ? at(k) - most - std::log(sum) : std::exp(at(k) - most) / sum;
  }
  return v;
}

TEST(Softmax, MatchesTheDefinitionAlongEveryDimension) {
  for (tn::DType dtype : {TN_F32, TN_F64, TN_BF16, TN_F16})
    for (const Sizes& sizes :
         {Sizes{}, {1}, {7}, {5, 40}, {3, 4, 33}, {2, 9, 150}, {2, 1000}, {2, 3, 0}}) {
      const Tensor x = random(sizes, dtype) * 20.0;
      for (int64_t dim = 0; dim < std::max<int64_t>(1, x.dim()); ++dim) {
        expect_near(tn::softmax(x, dim), reference(x, dim, false));
        expect_near(tn::log_softmax(x, dim), reference(x, dim, true));
        expect_near(tn::softmax(x, dim - std::max<int64_t>(1, x.dim())), reference(x, dim, false));
      }
    }
  const Tensor columns = tn::t(random({40, 5}, TN_F32));
  expect_near(tn::softmax(columns, 1), reference(columns, 1, false));
}

TEST(Softmax, StaysFiniteForLargeNumbersAndTakesInfinities) {
  const double inf = HUGE_VAL;
  for (int64_t width : {2, 20}) {
    Numbers row(static_cast<size_t>(width), -inf);
    row[0] = row[1] = 1e4;
    Numbers expected(row.size(), 0.0);
    expected[0] = expected[1] = 0.5;
    expect_near(tn::softmax(tensor(row, {1, width}, TN_F32), 1), expected);
    expect_near(tn::softmax(tensor(row, {width, 1}, TN_F32), 0), expected);
    for (double v : numbers(tn::softmax(tensor(Numbers(row.size(), -inf), {width}, TN_F32), 0)))
      EXPECT_TRUE(std::isnan(v));
    row[1] = std::nan("");
    for (double v : numbers(tn::softmax(tensor(row, {width}, TN_F32), 0)))
      EXPECT_TRUE(std::isnan(v));
  }
  expect_near(tn::logsumexp(tensor({1000, 1000, -inf, -inf}, {2, 2}), Sizes{1}),
              {1000 + std::log(2.0), -inf});
  EXPECT_EQ(numbers(tn::logsumexp(tensor({inf, 1}, {2}), Sizes{0})), Numbers{inf});
}

TEST(Softmax, ConvertsFirst) {
  const Tensor y = tn::softmax(indices({0, 0}, {2}), 0, TN_F64);
  EXPECT_EQ(y.dtype(), TN_F64);
  EXPECT_EQ(numbers(y), (Numbers{0.5, 0.5}));
}

TEST(Softmax, IsDifferentiableTwice) {
  for (int64_t dim : {0, 1, 2}) {
    expect_gradients([=](auto& x) { return tn::softmax(x[0], dim); }, {random({2, 3, 4})});
    expect_gradients([=](auto& x) { return tn::log_softmax(x[0], dim); }, {random({2, 3, 4})});
  }
  expect_gradients([](auto& x) { return tn::logsumexp(x[0], Sizes{0, 2}); }, {random({2, 3, 4})});
  expect_gradients([](auto& x) { return tn::logsumexp(x[0], Sizes{1}, true); },
                   {random({2, 3, 4})});
}

TEST(Softmax, GivesTheSameBitsForAnyNumberOfThreads) {
  const Tensor x = random({300, 700}, TN_F32);
  std::vector<std::vector<float>> results;
  with_threads([&](int) {
    results.push_back(tn::softmax(x, 0).to_vector<float>());
    results.push_back(tn::softmax(x, 1).to_vector<float>());
  });
  EXPECT_EQ(results[0], results[2]);
  EXPECT_EQ(results[1], results[3]);
}

TEST(Softmax, NamesWhatDoesNotFit) {
  expect_error(TN_INDEX_ERROR, "outside [-2, 2)", [] { tn::softmax(random({2, 2}), 2); });
  expect_error(TN_NOT_IMPLEMENTED, "float dtype", [] { tn::softmax(indices({1}, {1}), 0); });
  expect_error(TN_INVALID_ARGUMENT, "half_to_float", [] { tn::_softmax(random({2}), 0, true); });
}

}  // namespace
