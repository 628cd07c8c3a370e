// Reductions: over any dimensions and strides, exactly repeatable.
#include "tensors.h"

namespace {

// Sums over the middle dimension of [outer, n, inner].
std::vector<double> middle_sums(const tn::Tensor& t, int64_t outer, int64_t n, int64_t inner) {
  const std::vector<double> x = values(t);
  std::vector<double> sums(static_cast<size_t>(outer * inner));
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < n; ++i)
      for (int64_t c = 0; c < inner; ++c)
        sums[static_cast<size_t>(o * inner + c)] += x[static_cast<size_t>((o * n + i) * inner + c)];
  return sums;
}

TEST(Sum, ReducesAnyDimension) {
  const Sizes shapes[] = {{1, 100000, 1}, {3, 5000, 7}, {100, 40, 1}, {2, 3, 3000},
                          {7, 1, 9},      {1, 9000, 2}, {4000, 3, 1}};
  for (const Sizes& s : shapes)
    for (tn::DType dtype : {TN_F32, TN_F64, TN_I32}) {
      tn::Tensor t = make(
          s, [](int64_t i) { return static_cast<double>(i * 7 % 11 - 5); }, dtype);
      tn::Tensor sum = tn::sum(t, {1});
      EXPECT_EQ(sum.dtype(), dtype == TN_I32 ? TN_I64 : dtype);
      expect_near(sum, middle_sums(t, s[0], s[1], s[2]), 1e-6);
    }
}

TEST(Sum, ReducesTransposedAndSlicedTensors) {
  tn::Tensor t = make({30, 40, 50}, wave);
  const tn::Tensor views[] = {tn::permute(t, {2, 0, 1}), tn::slice(t, 2, 0, 50, 3),
                              tn::expand(make({40, 1}, wave), {40, 60})};
  for (const tn::Tensor& v : views)
    for (int64_t d = 0; d < v.dim(); ++d)
      expect_near(tn::sum(v, {d}), values(tn::sum(tn::contiguous(v), {d})), 1e-5);
}

TEST(Sum, LosesLittleOverSixteenMillion) {
  tn::Tensor t = tn::empty({1 << 24});
  tn::fill_(t, 0.1);
  const double want = static_cast<double>(0.1f) * (1 << 24);
  EXPECT_NEAR(tn::sum(t).item(), want, 1.3e-6 * want);
}

TEST(Sum, IsTheSameForAnyNumberOfThreads) {
  tn::Tensor t = make({1 << 20}, wave);
  auto [one, three] = with_threads([&] { return values(tn::sum(t)); });
  EXPECT_EQ(one, three);
  tn::Tensor m = tn::view(t, {1 << 16, 16});
  auto [columns_one, columns_three] = with_threads([&] { return values(tn::sum(m, {0})); });
  EXPECT_EQ(columns_one, columns_three);
}

TEST(Reductions, OfNothing) {
  tn::Tensor none = tn::empty({0, 3});
  EXPECT_EQ(tn::sum(none).item(), 0);
  EXPECT_EQ(values(tn::prod(none, 0)), (std::vector<double>{1, 1, 1}));
  EXPECT_TRUE(std::isnan(tn::mean(none).item()));
  EXPECT_TRUE(tn::all(none).item<int64_t>());
  expect_error(TN_INDEX_ERROR, "has size 0", [&] { tn::amax(none); });
}

TEST(Amax, KeepsNan) {
  tn::Tensor t = make({1000}, wave);
  t.data<float>()[500] = std::nanf("");
  EXPECT_TRUE(std::isnan(tn::amax(t).item()));
  EXPECT_EQ(tn::argmax(t).item<int64_t>(), 500);
}

TEST(Argmax, FindsTheFirstInTheTensorsOwnOrder) {
  tn::Tensor t = make({300, 500}, [](int64_t i) { return static_cast<double>(i % 1234); });
  EXPECT_EQ(tn::argmax(t).item<int64_t>(), 1233);
  const tn::Tensor turned = tn::t(t);
  EXPECT_EQ(tn::argmax(turned).item(), tn::argmax(tn::contiguous(turned)).item());
  for (int64_t d : {0, 1})
    EXPECT_EQ(values(tn::argmin(turned, d)), values(tn::argmin(tn::contiguous(turned), d)));
}

TEST(Var, IsStableFarFromZero) {
  tn::Tensor t = make({100000}, [](int64_t i) { return 1e4 + static_cast<double>(i % 2); });
  EXPECT_NEAR(tn::var(t).item(), 0.25, 1e-4);
  EXPECT_NEAR(tn::std(t, std::nullopt, 0).item(), 0.5, 1e-4);
}

}  // namespace
