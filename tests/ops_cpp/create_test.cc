// Factories: dtypes, devices, values and refusals.
#include "operators.h"

#include <algorithm>
#include <cmath>

TEST(Create, UsesDefaultsUnlessTold) {
  EXPECT_EQ(tn::zeros({2}).dtype(), TN_F32);
  EXPECT_EQ(tn::zeros({2}).device(), tn::Device("cpu"));
  EXPECT_EQ(tn::full({2}, 1).dtype(), TN_I64);
  EXPECT_EQ(tn::full({2}, true).dtype(), TN_BOOL);
  EXPECT_EQ(tn::full({2}, std::complex<double>(1, 2)).dtype(), TN_C64);
  EXPECT_EQ(tn::full({2}, 1, TN_F64).dtype(), TN_F64);
  EXPECT_EQ(tn::scalar_tensor(3).dtype(), TN_F32);
  EXPECT_EQ(tn::scalar_tensor(3).dim(), 0);
}

TEST(Create, Fills) {
  EXPECT_THAT(values(tn::ones({2, 2})), ElementsAre(1, 1, 1, 1));
  EXPECT_THAT(values(tn::full({3}, 2.5)), ElementsAre(2.5f, 2.5f, 2.5f));
  tn::Tensor x = counting({2, 3}, TN_I64);
  EXPECT_THAT(integers(tn::zeros_like(x)), ElementsAre(0, 0, 0, 0, 0, 0));
  EXPECT_EQ(tn::ones_like(x, TN_F32).dtype(), TN_F32);
  EXPECT_THAT(integers(tn::new_full(x, {2}, 7)), ElementsAre(7, 7));
  EXPECT_EQ(tn::new_zeros(x, {0}).numel(), 0);
}

TEST(Create, LikeKeepsStridesAndFormats) {
  tn::Tensor x = tn::t(counting({2, 3}));
  EXPECT_THAT(strides(tn::empty_like(x)), ElementsAre(1, 3));
  EXPECT_TRUE(tn::empty_like(x, std::nullopt, std::nullopt, TN_CONTIGUOUS).is_contiguous());
  EXPECT_TRUE(tn::empty({2, 3, 4, 5}, TN_F32, "cpu", TN_CHANNELS_LAST).is_channels_last());
  EXPECT_THAT(strides(tn::empty_strided({2, 3}, {1, 2})), ElementsAre(1, 2));
}

TEST(Create, RefusesImpossibleShapes) {
  expect_error(TN_INVALID_ARGUMENT, "negative", [] { tn::zeros({2, -1}); });
  expect_error(TN_INVALID_ARGUMENT, "4 sizes",
               [] { tn::empty({2}, TN_F32, "cpu", TN_CHANNELS_LAST); });
  EXPECT_ANY_THROW(tn::zeros({int64_t{1} << 40, int64_t{1} << 40}));
  EXPECT_ANY_THROW(tn::zeros({2}, TN_F32, "no_such_device"));
}

TEST(Create, WritesGivenOutputs) {
  tn::Tensor out = tn::empty({0});
  tn::ones_out(out, {2});
  EXPECT_THAT(values(out), ElementsAre(1, 1));
  tn::Tensor strided = tn::slice(tn::zeros({6}), 0, 0, 6, 2);
  tn::arange_out(strided, 1, 4, 1);
  EXPECT_THAT(values(strided), ElementsAre(1, 2, 3));
}

TEST(Arange, FindsItsDtypeAndLength) {
  EXPECT_THAT(integers(tn::arange(4)), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(integers(tn::arange(5, 0, -2)), ElementsAre(5, 3, 1));
  EXPECT_THAT(values(tn::arange(0.0, 1.0, 0.25)), ElementsAre(0, 0.25f, 0.5f, 0.75f));
  EXPECT_EQ(tn::arange(3, 3).numel(), 0);
  EXPECT_THAT(integers(tn::arange(INT64_MIN, INT64_MAX, INT64_MAX)),
              ElementsAre(INT64_MIN, -1, INT64_MAX - 1));
  expect_error(TN_INVALID_ARGUMENT, "step is 0", [] { tn::arange(0, 1, 0); });
  expect_error(TN_INVALID_ARGUMENT, "leads away", [] { tn::arange(0, 1, -1); });
  expect_error(TN_INVALID_ARGUMENT, "finite", [] { tn::arange(INFINITY); });
}

TEST(Linspace, IsExactAtBothEnds) {
  EXPECT_THAT(values(tn::linspace(0, 1, 5)), ElementsAre(0, 0.25f, 0.5f, 0.75f, 1));
  EXPECT_THAT(values(tn::linspace(2, 9, 1)), ElementsAre(2));
  EXPECT_EQ(tn::linspace(0, 1, 0).numel(), 0);
  EXPECT_EQ(values(tn::linspace(0.1, 0.7, 100)).back(), 0.7f);
  expect_error(TN_INVALID_ARGUMENT, "steps is -1", [] { tn::linspace(0, 1, -1); });
}

TEST(Logspace, RaisesItsBase) {
  EXPECT_THAT(integers(tn::logspace(0, 3, 4, 2.0, TN_I64)), ElementsAre(1, 2, 4, 8));
  EXPECT_NEAR(values(tn::logspace(0, 1, 3))[1], 3.1622777, 1e-6);
}

TEST(Eye, HasOnesOnTheDiagonal) {
  EXPECT_THAT(values(tn::eye(2)), ElementsAre(1, 0, 0, 1));
  EXPECT_THAT(integers(tn::eye(2, 3, TN_I64)), ElementsAre(1, 0, 0, 0, 1, 0));
  expect_error(TN_INVALID_ARGUMENT, "negative", [] { tn::eye(-1); });
}

TEST(Random, IsReproducibleAndInRange) {
  tn::api->manual_seed(7);
  const std::vector<float> a = values(tn::rand({1000}));
  const std::vector<int64_t> p = integers(tn::randperm(1000));
  const std::vector<int64_t> r = integers(tn::randint(-3, 4, {1000}));
  tn::api->manual_seed(7);
  EXPECT_EQ(values(tn::rand({1000})), a);
  EXPECT_EQ(integers(tn::randperm(1000)), p);
  EXPECT_EQ(integers(tn::randint(-3, 4, {1000})), r);
  EXPECT_TRUE(std::all_of(a.begin(), a.end(), [](float v) { return v >= 0 && v < 1; }));
  for (int64_t v = -3; v < 4; ++v) EXPECT_GT(std::count(r.begin(), r.end(), v), 80) << v;
  EXPECT_EQ(std::count_if(r.begin(), r.end(), [](int64_t v) { return v < -3 || v > 3; }), 0);
}

TEST(Randperm, HoldsEveryNumberOnce) {
  std::vector<int64_t> p = integers(tn::randperm(257));
  EXPECT_FALSE(std::is_sorted(p.begin(), p.end()));
  std::sort(p.begin(), p.end());
  for (int64_t i = 0; i < 257; ++i) EXPECT_EQ(p[static_cast<size_t>(i)], i);
  EXPECT_EQ(tn::randperm(0).numel(), 0);
  expect_error(TN_INVALID_ARGUMENT, "at most 256", [] { tn::randperm(257, TN_U8); });
  expect_error(TN_INVALID_ARGUMENT, "low must be less", [] { tn::randint(3, 3, {1}); });
}

TEST(Fill, NegativeNumbersStandModuloTheRangeOfAnUnsignedDtype) {
  tn::Tensor x = tn::zeros({1}, TN_U8);
  EXPECT_EQ(tn::fill_(x, -1).to_vector<uint8_t>(), (std::vector<uint8_t>{255}));
  expect_error(TN_INVALID_ARGUMENT, "-256 does not fit into u8", [&] { tn::fill_(x, -256); });
  EXPECT_EQ(tn::fill_(x, 255.9).to_vector<uint8_t>(), (std::vector<uint8_t>{255}));
  EXPECT_EQ(tn::add(x, x, -1).to_vector<uint8_t>(), (std::vector<uint8_t>{0}));
  expect_error(TN_INVALID_ARGUMENT, "300 does not fit into u8", [&] { tn::add(x, x, 300); });
  EXPECT_EQ(x.to_vector<uint8_t>(), (std::vector<uint8_t>{255}));
}
