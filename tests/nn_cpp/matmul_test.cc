// Matrix products.
#include "support.h"

namespace {

using namespace test;

const tn::DType kFloats[] = {TN_F32, TN_F64, TN_BF16, TN_F16};

// By the definition, from what the tensors hold.
Numbers reference(const Tensor& a, const Tensor& b) {
  const int64_t n = a.size(0), k = a.size(1), m = b.size(1);
  const Numbers x = numbers(a), y = numbers(b);
  Numbers out(static_cast<size_t>(n * m));
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < m; ++j) {
      double sum = 0;
      for (int64_t l = 0; l < k; ++l)
        sum += x[static_cast<size_t>(i * k + l)] * y[static_cast<size_t>(l * m + j)];
      out[static_cast<size_t>(i * m + j)] = sum;
    }
  return out;
}
// 16-bit results of long sums: rounding of the result alone, since sums are made in f32.
void expect_product(const Tensor& a, const Tensor& b) {
  const Tensor y = tn::mm(a, b);
  EXPECT_EQ(sizes_of(y), (Sizes{a.size(0), b.size(1)}));
  expect_near(y, reference(a, b));
}

TEST(Matmul, MultipliesMatricesOfAllSizesAndDtypes) {
  for (tn::DType dtype : kFloats)
    for (const Sizes& s : {Sizes{1, 1, 1},
                           {3, 5, 4},
                           {14, 32, 16},
                           {15, 33, 300},
                           {1, 70, 40},
                           {2, 9, 33},
                           {64, 1, 10},
                           {100, 50, 257},
                           {43, 129, 65},
                           {300, 1, 70},
                           {90, 3, 40},
                           {1, 2100, 37},
                           {3, 2081, 6},
                           {4, 39, 50}}) {
      SCOPED_TRACE(tn::api->dtype_name(dtype));
      expect_product(random({s[0], s[2]}, dtype, 1), random({s[2], s[1]}, dtype, 2));
    }
}

TEST(Matmul, ReadsStridedOperandsInPlace) {
  for (tn::DType dtype : kFloats) {
    const Tensor a = random({40, 50}, dtype, 1), b = random({30, 50}, dtype, 2),
                 wide = random({100, 120}, dtype, 3);
    expect_product(a, tn::t(b));
    expect_product(tn::t(b), random({30, 7}, dtype, 4));
    expect_product(tn::narrow(a, 1, 3, 20), tn::narrow(tn::narrow(wide, 0, 5, 20), 1, 7, 33));
    expect_product(tn::slice(wide, 1, 0, 120, 3), tn::slice(random({40, 9}, dtype, 5), 1, 0, 9, 2));
    expect_product(tn::expand(random({1, 50}, dtype, 6), Sizes{4, 50}), tn::t(b));
  }
}

TEST(Matmul, SumsAVeryLongDotProduct) {
  const Tensor x = random({1000000}, TN_F32);
  double expected = 0;
  for (double v : numbers(x)) expected += v * v;
  expect_near(tn::dot(x, x), {expected});
}

TEST(Matmul, MultipliesIntegersModuloTheirWidth) {
  const Tensor a = indices({1, -2, 3, 4}, {2, 2}), b = indices({5, 6, 7, 8}, {2, 2});
  EXPECT_EQ(numbers(tn::mm(a, b)), (Numbers{-9, -10, 43, 50}));
  const Tensor small = tensor({100, 100}, {1, 2}, TN_U8);
  EXPECT_EQ(numbers(tn::mm(small, tn::t(small))), (Numbers{20000 % 256}));
  expect_error(TN_TYPE_ERROR, "must be an integer", [&] { tn::addmm(a, a, b, 1, 0.5); });
}

TEST(Matmul, OfNothingIsZeroOrEmpty) {
  EXPECT_EQ(numbers(tn::mm(random({2, 0}), random({0, 3}))), Numbers(6, 0.0));
  EXPECT_EQ(sizes_of(tn::mm(random({0, 4}), random({4, 3}))), (Sizes{0, 3}));
  EXPECT_EQ(numbers(tn::addmm(random({3}), random({2, 0}), random({0, 3}), 0)), Numbers(6, 0.0));
  EXPECT_EQ(sizes_of(tn::matmul(random({2, 0, 4}), random({4, 3}))), (Sizes{2, 0, 3}));
  EXPECT_EQ(numbers(tn::matmul(random({2, 3, 0}), random({0, 1}))), Numbers(6, 0.0));
}

TEST(Matmul, AddsWhatBroadcasts) {
  for (tn::DType dtype : kFloats) {
    const Tensor a = random({20, 300}, dtype, 1), b = random({300, 33}, dtype, 2);
    const Numbers ab = reference(a, b);
    for (const Sizes& shape : {Sizes{33}, {1, 33}, {20, 1}, {20, 33}, {}}) {
      const Tensor c = random(shape, dtype, 3);
      const Numbers added = numbers(tn::expand(c, Sizes{20, 33}));
      Numbers plain(ab.size()), scaled(ab.size());
      for (size_t i = 0; i < ab.size(); ++i) {
        plain[i] = ab[i] + added[i];
        scaled[i] = 0.5 * ab[i] - 2 * added[i];
      }
      expect_near(tn::addmm(c, a, b), plain);
      expect_near(tn::addmm(c, a, b, -2, 0.5), scaled);
    }
  }
}

TEST(Matmul, DoesNotReadWhatBetaZeroLeavesOut) {
  const Tensor nan = tensor(Numbers(4, std::nan("")), {2, 2}), a = random({2, 2});
  expect_near(tn::addmm(nan, a, a, 0), reference(a, a));
}

TEST(Matmul, WritesGivenOutputs) {
  const Tensor a = random({20, 30}, TN_F32, 1), b = random({30, 40}, TN_F32, 2);
  const Tensor columns = tn::empty(Sizes{40, 20}, TN_F32, "cpu");
  tn::mm_out(tn::t(columns), a, b);
  expect_near(tn::t(columns), reference(a, b));
  Tensor square = random({30, 30}, TN_F32, 3);
  const Numbers expected = reference(square, square);
  tn::mm_out(square, square, square);
  expect_near(square, expected);
  Tensor sum = random({20, 40}, TN_F32, 4);
  const Numbers before = numbers(sum);
  tn::addmm_(sum, a, b);
  Numbers added = reference(a, b);
  for (size_t i = 0; i < added.size(); ++i) added[i] += before[i];
  expect_near(sum, added);
}

TEST(Matmul, MultipliesBatches) {
  for (tn::DType dtype : {TN_F32, TN_BF16}) {
    const Tensor a = random({5, 9, 20}, dtype, 1), b = random({5, 17, 20}, dtype, 2);
    const Tensor y = tn::bmm(a, tn::transpose(b, 1, 2)), c = random({9, 17}, dtype, 3);
    const Tensor z = tn::baddbmm(c, a, tn::transpose(b, 1, 2));
    for (int64_t i = 0; i < 5; ++i) {
      Numbers expected = reference(tn::select(a, 0, i), tn::t(tn::select(b, 0, i)));
      expect_near(tn::select(y, 0, i), expected);
      for (size_t j = 0; j < expected.size(); ++j) expected[j] += numbers(c)[j];
      expect_near(tn::select(z, 0, i), expected);
    }
  }
}

TEST(Matmul, BroadcastsBatchDimensions) {
  const Tensor a = random({3, 1, 4, 5}), b = random({2, 5, 6});
  const Tensor y = tn::matmul(a, b);
  ASSERT_EQ(sizes_of(y), (Sizes{3, 2, 4, 6}));
  for (int64_t i = 0; i < 3; ++i)
    for (int64_t j = 0; j < 2; ++j)
      expect_near(tn::select(tn::select(y, 0, i), 0, j),
                  reference(tn::select(tn::select(a, 0, i), 0, 0), tn::select(b, 0, j)));
}

TEST(Matmul, TakesVectorsOnEitherSide) {
  const Tensor v = random({5}, TN_F64, 3), m = random({4, 5}), batch = random({3, 4, 5});
  const Tensor row = tn::view(v, Sizes{1, 5}), column = tn::view(v, Sizes{5, 1});
  expect_near(tn::matmul(m, v), reference(m, column));
  expect_near(tn::mv(m, v), reference(m, column));
  expect_near(tn::matmul(v, tn::t(m)), reference(row, tn::t(m)));
  expect_near(tn::matmul(v, v), reference(row, column));
  EXPECT_EQ(sizes_of(tn::dot(v, v)), Sizes{});
  EXPECT_EQ(sizes_of(tn::matmul(batch, v)), (Sizes{3, 4}));
  expect_near(tn::matmul(batch, v), reference(tn::view(batch, Sizes{12, 5}), column));
  EXPECT_EQ(sizes_of(tn::matmul(random({4}), batch)), (Sizes{3, 5}));
  EXPECT_EQ(sizes_of(tn::matmul(batch, random({5, 2}))), (Sizes{3, 4, 2}));
  expect_near(tn::outer(v, random({2})), reference(column, random({1, 2})));
  expect_near(tn::addmv(v, random({5, 5}), v, 0), reference(random({5, 5}), column));
}

TEST(Matmul, LinearTakesAnyBatch) {
  const Tensor w = random({6, 5}, TN_F64, 2), bias = random({6}, TN_F64, 3);
  for (const Sizes& shape : {Sizes{5}, {4, 5}, {2, 3, 5}, {0, 5}}) {
    const Tensor x = random(shape, TN_F64, 4);
    const int64_t rows = product(shape) / 5;
    Numbers expected = reference(tn::reshape(x, Sizes{rows, 5}), tn::t(w));
    expect_near(tn::linear(x, w), expected);
    for (size_t i = 0; i < expected.size(); ++i) expected[i] += numbers(bias)[i % 6];
    const Tensor y = tn::linear(x, w, bias);
    expect_near(y, expected);
    Sizes sizes = shape;
    sizes.back() = 6;
    EXPECT_EQ(sizes_of(y), sizes);
  }
}

TEST(Matmul, IsDifferentiable) {
  const Tensor a = random({3, 4}, TN_F64, 1), b = random({4, 2}, TN_F64, 2),
               c = random({2}, TN_F64, 3);
  expect_gradients([](auto& x) { return tn::mm(x[0], x[1]); }, {a, b});
  expect_gradients([](auto& x) { return tn::addmm(x[2], x[0], x[1], 0.5, -2); }, {a, b, c});
  expect_gradients([](auto& x) { return tn::bmm(x[0], x[1]); },
                   {random({2, 3, 4}), random({2, 4, 2})});
  expect_gradients([](auto& x) { return tn::baddbmm(x[2], x[0], x[1]); },
                   {random({2, 3, 4}), random({2, 4, 2}), c});
  expect_gradients([](auto& x) { return tn::matmul(x[0], x[1]); },
                   {random({2, 1, 3, 4}), random({3, 4, 2})});
  expect_gradients([](auto& x) { return tn::matmul(x[0], x[1]); },
                   {random({4}), random({3, 4, 2})});
  expect_gradients([](auto& x) { return tn::linear(x[0], x[1], x[2]); },
                   {random({2, 3, 4}), random({2, 4}), c});
  expect_gradients([](auto& x) { return tn::dot(x[0], x[1]); },
                   {random({5}), random({5}, TN_F64, 2)});
  expect_gradients([](auto& x) { return tn::outer(x[0], x[1]); },
                   {random({3}), random({5}, TN_F64, 2)});
}

TEST(Matmul, LeavesAWeightsGradientInItsLayout) {
  const Tensor x = random({4, 5}), bias = random({3}), weight = random({3, 5}).requires_grad_();
  tn::sum(tn::linear(x, weight, bias)).backward();
  EXPECT_TRUE(weight.grad().is_contiguous());
}

TEST(Matmul, GivesTheSameBitsForAnyNumberOfThreads) {
  const Tensor a = random({130, 700}, TN_F32, 1), b = random({700, 210}, TN_F32, 2),
               batch = random({3, 70, 70}, TN_F32);
  std::vector<std::vector<float>> results;
  with_threads([&](int) {
    results.push_back(tn::mm(a, b).to_vector<float>());
    results.push_back(tn::bmm(batch, batch).to_vector<float>());
  });
  EXPECT_EQ(results[0], results[2]);
  EXPECT_EQ(results[1], results[3]);
}

TEST(Matmul, NamesWhatDoesNotFit) {
  const Tensor a = random({2, 3}), b = random({2, 3});
  expect_error(TN_INVALID_ARGUMENT, "f64[2,3]", [&] { tn::mm(a, b); });
  expect_error(TN_INVALID_ARGUMENT, "must have 2 dimensions", [&] { tn::mm(random({3}), b); });
  expect_error(TN_TYPE_ERROR, "one dtype", [&] { tn::mm(a, random({3, 2}, TN_F32)); });
  expect_error(TN_INVALID_ARGUMENT, "broadcastable", [&] { tn::addmm(random({5}), a, tn::t(b)); });
  expect_error(TN_INVALID_ARGUMENT, "as many matrices", [&] {
    tn::bmm(random({2, 3, 3}), random({3, 3, 3}));
  });
  expect_error(TN_INVALID_ARGUMENT, "do not broadcast", [&] {
    tn::matmul(random({2, 1, 3}), random({3, 3, 1}));
  });
  expect_error(TN_INVALID_ARGUMENT, "must have dimensions", [&] { tn::matmul(random({}), a); });
  expect_error(TN_INVALID_ARGUMENT, "weight of [out, in]", [&] { tn::linear(a, random({3, 4})); });
  expect_error(TN_INVALID_ARGUMENT, "equally long", [&] { tn::dot(random({2}), random({3})); });
}

}  // namespace
