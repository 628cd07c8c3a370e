// Element-wise kernels: every way in which operands can lie in memory, and every dtype.
#include "tensors.h"

namespace {

// What a pair of tensors gives, by an oracle on doubles, after broadcasting b over a.
std::vector<double> rows_plus(const tn::Tensor& a, const tn::Tensor& row) {
  std::vector<double> x = values(a), r = values(row);
  for (size_t i = 0; i < x.size(); ++i) x[i] += r[i % r.size()];
  return x;
}

TEST(Add, TakesDenseOperandsOfAnySize) {
  for (int64_t n : {0, 1, 15, 16, 17, 1000, 70000, 3000001}) {
    tn::Tensor x = make({n}, wave),
               y = make({n}, [](int64_t i) { return static_cast<double>(i % 7); });
    std::vector<double> want = values(x), other = values(y);
    for (size_t i = 0; i < want.size(); ++i) want[i] += 2 * other[i];
    expect_near(tn::add(x, y, 2), want, 1e-6);
  }
}

TEST(Add, BroadcastsRowsColumnsAndNumbers) {
  for (int64_t n : {3, 100, 700}) {
    tn::Tensor x = make({40, n}, wave), row = make({n}, wave), column = make({40, 1}, wave);
    expect_near(tn::add(x, row), rows_plus(x, row), 1e-6);
    std::vector<double> want = values(x), c = values(column);
    for (size_t i = 0; i < want.size(); ++i) want[i] += c[i / static_cast<size_t>(n)];
    expect_near(tn::add(x, column), want, 1e-6);
    expect_near(tn::add(1.5, x), rows_plus(x, make({1}, [](int64_t) { return 1.5; })), 1e-6);
  }
}

TEST(Add, TakesTransposedAndStridedOperands) {
  for (int64_t n : {5, 64, 300, 1100}) {
    tn::Tensor x = make({n, 70}, wave), y = make({70, n}, wave), z = make({n, 140}, wave);
    const tn::Tensor expected = tn::contiguous(tn::t(y));
    EXPECT_EQ(values(tn::add(x, tn::t(y))), values(tn::add(x, expected)));
    tn::Tensor every_other = tn::slice(z, 1, 0, 140, 2);
    EXPECT_EQ(values(tn::add(x, every_other)), values(tn::add(x, tn::contiguous(every_other))));
    tn::Tensor out = tn::t(make({70, n}, wave));
    tn::add_out(out, x, every_other);
    EXPECT_EQ(values(out), values(tn::add(x, every_other)));
  }
}

TEST(Add, ConvertsMixedDtypesAndHalves) {
  tn::Tensor x = make({1000}, wave), whole = make(
                                         {1000}, [](int64_t i) { return i % 50; }, TN_I32);
  expect_near(tn::add(x, whole), rows_plus(x, whole), 1e-6);
  for (tn::DType half : {TN_F16, TN_BF16}) {
    tn::Tensor h = make({1000}, wave, half);
    tn::Tensor sum = tn::add(h, 0.1);
    EXPECT_EQ(sum.dtype(), half);
    // Rounded once, from the number in full precision.
    EXPECT_EQ(values(sum), values(tn::add(h.to(TN_F32), 0.1).to(half)));
  }
}

TEST(Add, WritesItsOwnInput) {
  tn::Tensor x = make({5000}, wave);
  std::vector<double> want = values(x);
  for (double& v : want) v *= 2;
  tn::add_(x, x);
  expect_near(x, want, 1e-6);
}

TEST(Integers, WrapAndDivideAsPython) {
  tn::Tensor x = make(
      {4},
      [](int64_t i) {
        return std::vector<double>{7, -7, 100, -128}[i];
      },
      TN_I8);
  EXPECT_EQ(values(tn::floor_divide(x, 2)), (std::vector<double>{3, -4, 50, -64}));
  EXPECT_EQ(values(tn::remainder(x, 3)), (std::vector<double>{1, 2, 1, 1}));
  EXPECT_EQ(values(tn::mul(x, 2)), (std::vector<double>{14, -14, -56, 0}));
}

TEST(Integers, DoNotDivideByZeroAndWriteNothing) {
  tn::Tensor x = make(
      {100}, [](int64_t i) { return i + 1; }, TN_I64);
  const std::vector<double> before = values(x);
  tn::Tensor divisor = make(
      {100}, [](int64_t i) { return i - 99; }, TN_I64);
  expect_error(TN_RUNTIME_ERROR, "division by zero", [&] { tn::floor_divide_(x, divisor); });
  EXPECT_EQ(values(x), before);
  expect_error(TN_RUNTIME_ERROR, "division by zero", [&] { tn::remainder(x, 0); });
}

TEST(Maximum, LetsNanThroughAndFmaxDoesNot) {
  const double nan = std::nan("");
  tn::Tensor x = make({2}, [=](int64_t i) { return i ? 1 : nan; }),
             y = make({2}, [=](int64_t i) { return i ? nan : 2; });
  for (double v : values(tn::maximum(x, y))) EXPECT_TRUE(std::isnan(v));
  EXPECT_EQ(values(tn::fmax(x, y)), (std::vector<double>{2, 1}));
}

TEST(Where, TakesNumbersOnEitherSide) {
  tn::Tensor x = make({3, 50}, wave);
  tn::Tensor positive = tn::gt(x, 0);
  EXPECT_EQ(positive.dtype(), TN_BOOL);
  std::vector<double> want = values(x);
  for (double& v : want) v = std::max(v, 0.0);
  expect_near(tn::where(positive, x, 0), want, 0);
}

TEST(Gelu, NamesTheModesThatItKnows) {
  expect_error(TN_INVALID_ARGUMENT, "'none', 'tanh'", [] { tn::gelu(make({2}, wave), "erf"); });
}

TEST(Pow, AgreesForSpecialExponents) {
  tn::Tensor x = make({500}, [](int64_t i) { return 0.1 + 0.01 * static_cast<double>(i); });
  for (double e : {2.0, 0.5, 3.0, 1.0, -1.0, -0.5, -2.0, 0.0, 2.7}) {
    std::vector<double> want = values(x);
    for (double& v : want) v = std::pow(v, e);
    expect_near(tn::pow(x, e), want, 1e-5);
  }
}

TEST(Complex, NumbersMultiply) {
  tn::Tensor x = tn::empty({2}, TN_C64);
  x.data<std::complex<float>>()[0] = {1, 2};
  x.data<std::complex<float>>()[1] = {0, -1};
  tn::Tensor y = tn::mul(x, x);
  EXPECT_EQ(y.data<std::complex<float>>()[0], std::complex<float>(-3, 4));
  EXPECT_EQ(y.data<std::complex<float>>()[1], std::complex<float>(-1, 0));
}

}  // namespace
