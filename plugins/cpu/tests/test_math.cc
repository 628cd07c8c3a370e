// test_math.cc - every function of tenon/ops/math.h, for scalars and vectors of float and double,
// against long double over all magnitudes and special values.
#include <gtest/gtest.h>

#include <functional>

#include "math_check.h"
#include "math_oracle.h"

namespace tn::ops {
namespace {

using test::Limit;
using test::Real;
using test::Worst;

// One row of the table: a function as an operator's value line would call it, its oracle, its
// limits.
struct Row {
  std::string name;
  Limit limit;
  // Runs it for float and double, scalar and vector. False: not within `limit`.
  std::function<std::vector<Worst>(const Limit&)> run;
};

void PrintTo(const Row& row, std::ostream* out) {
  *out << row.name;
}

constexpr const char* kForms[] = {"float", "Vec<float>", "double", "Vec<double>"};

template <class T, class F, class Oracle>
void run_unary(F f, Oracle oracle, const Limit& limit, std::vector<Worst>& worst) {
  using V = cpu::Vec<T>;
  Worst scalar, vector;
  const std::vector<T> x = test::samples<T>();
  for (std::size_t i = 0; i < x.size(); i += V::lanes) {
    T y[V::lanes];
    cpu::store(f(cpu::load<V>(&x[i])), y);
    for (std::size_t k = 0; k < V::lanes; ++k) {
      const Real expected = oracle(x[i + k]);
      test::compare(scalar, limit, f(x[i + k]), expected, x[i + k]);
      test::compare(vector, limit, y[k], expected, x[i + k]);
    }
  }
  worst.push_back(scalar);
  worst.push_back(vector);
}

template <class T, class F, class Oracle>
void run_binary(F f, Oracle oracle, const Limit& limit, std::vector<Worst>& worst) {
  using V = cpu::Vec<T>;
  Worst scalar, vector;
  std::vector<T> a, b;
  test::sample_pairs(a, b);
  for (std::size_t i = 0; i < a.size(); i += V::lanes) {
    T y[V::lanes];
    cpu::store(f(cpu::load<V>(&a[i]), cpu::load<V>(&b[i])), y);
    for (std::size_t k = 0; k < V::lanes; ++k) {
      const Real expected = oracle(a[i + k], b[i + k]);
      test::compare(scalar, limit, f(a[i + k], b[i + k]), expected, a[i + k], b[i + k]);
      test::compare(vector, limit, y[k], expected, a[i + k], b[i + k]);
    }
  }
  worst.push_back(scalar);
  worst.push_back(vector);
}

template <class F, class Oracle>
Row unary(std::string name, Limit limit, F f, Oracle oracle) {
  return {std::move(name), limit, [f, oracle](const Limit& limits) {
            std::vector<Worst> worst;
            run_unary<float>(f, oracle, limits, worst);
            run_unary<double>(f, oracle, limits, worst);
            return worst;
          }};
}

template <class F, class Oracle>
Row binary(std::string name, Limit limit, F f, Oracle oracle) {
  return {std::move(name), limit, [f, oracle](const Limit& limits) {
            std::vector<Worst> worst;
            run_binary<float>(f, oracle, limits, worst);
            run_binary<double>(f, oracle, limits, worst);
            return worst;
          }};
}

std::vector<Row> rows() {
  return {
      // name, {float ULP, double ULP, absolute in epsilons}, value, oracle
      unary(
          "abs", {0, 0}, [](auto x) { return abs(x); }, [](Real x) { return std::fabs(x); }),
      unary(
          "acos", {1, 1}, [](auto x) { return acos(x); }, [](Real x) { return std::acos(x); }),
      unary(
          "acosh", {3, 3}, [](auto x) { return acosh(x); }, [](Real x) { return std::acosh(x); }),
      unary(
          "asin", {1, 1}, [](auto x) { return asin(x); }, [](Real x) { return std::asin(x); }),
      unary(
          "asinh", {2, 2}, [](auto x) { return asinh(x); }, [](Real x) { return std::asinh(x); }),
      unary(
          "atan", {1, 1}, [](auto x) { return atan(x); }, [](Real x) { return std::atan(x); }),
      unary(
          "atanh", {2, 2}, [](auto x) { return atanh(x); }, [](Real x) { return std::atanh(x); }),
      unary(
          "ceil", {0, 0}, [](auto x) { return ceil(x); }, [](Real x) { return std::ceil(x); }),
      unary(
          "cos", {2, 2}, [](auto x) { return cos(x); }, [](Real x) { return std::cos(x); }),
      unary(
          "cosh", {2, 2}, [](auto x) { return cosh(x); }, [](Real x) { return std::cosh(x); }),
      unary(
          "digamma", {1, 16, 64}, [](auto x) { return digamma(x); }, test::digamma_oracle),
      unary(
          "erf", {2, 2}, [](auto x) { return erf(x); }, [](Real x) { return std::erf(x); }),
      unary(
          "erfc", {3, 3}, [](auto x) { return erfc(x); }, [](Real x) { return std::erfc(x); }),
      unary(
          "erfinv", {3, 4}, [](auto x) { return erfinv(x); }, test::erfinv_oracle),
      unary(
          "exp", {1.5, 1.5}, [](auto x) { return exp(x); }, [](Real x) { return std::exp(x); }),
      unary(
          "exp2", {1.5, 1.5}, [](auto x) { return exp2(x); }, [](Real x) { return std::exp2(x); }),
      unary(
          "expm1", {2, 2}, [](auto x) { return expm1(x); }, [](Real x) { return std::expm1(x); }),
      unary(
          "floor", {0, 0}, [](auto x) { return floor(x); }, [](Real x) { return std::floor(x); }),
      unary(
          "i0", {1, 16}, [](auto x) { return i0(x); }, test::i0_oracle),
      unary(
          "isfinite", {0, 0}, [](auto x) { return decltype(x)(isfinite(x)); },
          [](auto x) { return Real(std::isfinite(x)); }),
      unary(
          "isinf", {0, 0}, [](auto x) { return decltype(x)(isinf(x)); },
          [](auto x) { return Real(std::isinf(x)); }),
      unary(
          "isnan", {0, 0}, [](auto x) { return decltype(x)(isnan(x)); },
          [](auto x) { return Real(std::isnan(x)); }),
      unary(
          "lgamma", {3, 4, 8}, [](auto x) { return lgamma(x); },
          [](Real x) { return std::lgamma(x); }),
      unary(
          "log", {2, 2}, [](auto x) { return log(x); }, [](Real x) { return std::log(x); }),
      unary(
          "log10", {2, 2}, [](auto x) { return log10(x); }, [](Real x) { return std::log10(x); }),
      unary(
          "log1p", {2, 2}, [](auto x) { return log1p(x); }, [](Real x) { return std::log1p(x); }),
      unary(
          "log2", {2, 2}, [](auto x) { return log2(x); }, [](Real x) { return std::log2(x); }),
      unary(
          "negative", {0, 0}, [](auto x) { return -x; }, [](Real x) { return -x; }),
      unary(
          "reciprocal", {0.5, 0.5}, [](auto x) { return reciprocal(x); },
          [](Real x) { return 1 / x; }),
      unary(
          "round", {0, 0}, [](auto x) { return round(x); }, [](Real x) { return std::rint(x); }),
      unary(
          "rsqrt", {1.5, 1.5}, [](auto x) { return rsqrt(x); },
          [](Real x) { return 1 / std::sqrt(x); }),
      unary(
          "sigmoid", {2.5, 2.5}, [](auto x) { return sigmoid(x); }, test::sigmoid_oracle),
      unary(
          "sign", {0, 0}, [](auto x) { return sign(x); },
          [](Real x) { return Real((x > 0) - (x < 0)); }),
      unary(
          "signbit", {0, 0}, [](auto x) { return decltype(x)(signbit(x)); },
          [](Real x) { return Real(std::signbit(x)); }),
      unary(
          "sin", {2, 2}, [](auto x) { return sin(x); }, [](Real x) { return std::sin(x); }),
      // pi x is rounded before its sine is taken, as in PyTorch, so the oracle starts from that.
      unary(
          "sinc", {2.5, 2.5}, [](auto x) { return sinc(x); },
          [](auto x) {
            const Real angle = decltype(x)(3.14159265358979323846) * x;
            return x == 0 ? Real(1) : std::sin(angle) / angle;
          }),
      unary(
          "sinh", {3, 3}, [](auto x) { return sinh(x); }, [](Real x) { return std::sinh(x); }),
      unary(
          "sqrt", {0.5, 0.5}, [](auto x) { return sqrt(x); }, [](Real x) { return std::sqrt(x); }),
      unary(
          "square", {0.5, 0.5}, [](auto x) { return square(x); }, [](Real x) { return x * x; }),
      unary(
          "tan", {2, 2}, [](auto x) { return tan(x); }, [](Real x) { return std::tan(x); }),
      unary(
          "tanh", {3, 3}, [](auto x) { return tanh(x); }, [](Real x) { return std::tanh(x); }),
      unary(
          "trunc", {0, 0}, [](auto x) { return trunc(x); }, [](Real x) { return std::trunc(x); }),

      binary(
          "add", {0.5, 0.51}, [](auto a, auto b) { return a + b; },
          [](Real a, Real b) { return a + b; }),
      binary(
          "atan2", {1.5, 1}, [](auto a, auto b) { return atan2(a, b); },
          [](Real a, Real b) { return std::atan2(a, b); }),
      binary(
          "copysign", {0, 0}, [](auto a, auto b) { return copysign(a, b); },
          [](Real a, Real b) { return std::copysign(a, b); }),
      binary(
          "divide", {0.5, 0.51}, [](auto a, auto b) { return a / b; },
          [](Real a, Real b) { return a / b; }),
      binary(
          "floor_divide", {2, 2}, [](auto a, auto b) { return floor_divide(a, b); },
          [](auto a, auto b) { return test::floor_divide_oracle(a, b); }),
      binary(
          "fmax", {0, 0}, [](auto a, auto b) { return fmax(a, b); },
          [](Real a, Real b) { return std::fmax(a, b); }),
      binary(
          "fmin", {0, 0}, [](auto a, auto b) { return fmin(a, b); },
          [](Real a, Real b) { return std::fmin(a, b); }),
      binary(
          "fmod", {0, 0}, [](auto a, auto b) { return fmod(a, b); },
          [](Real a, Real b) { return std::fmod(a, b); }),
      binary(
          "hypot", {1, 1}, [](auto a, auto b) { return hypot(a, b); },
          [](Real a, Real b) { return std::hypot(a, b); }),
      binary(
          "logaddexp", {2, 2, 2}, [](auto a, auto b) { return logaddexp(a, b); },
          test::logaddexp_oracle),
      binary(
          "logaddexp2", {2, 2, 2}, [](auto a, auto b) { return logaddexp2(a, b); },
          test::logaddexp2_oracle),
      binary(
          "maximum", {0, 0}, [](auto a, auto b) { return maximum(a, b); }, test::maximum_oracle),
      binary(
          "minimum", {0, 0}, [](auto a, auto b) { return minimum(a, b); }, test::minimum_oracle),
      binary(
          "nextafter", {0, 0}, [](auto a, auto b) { return nextafter(a, b); },
          [](auto a, auto b) { return Real(std::nextafter(a, b)); }),
      binary(
          "pow", {1, 1}, [](auto a, auto b) { return pow(a, b); },
          [](Real a, Real b) { return std::pow(a, b); }),
      binary(
          "remainder", {0.5, 0.51}, [](auto a, auto b) { return remainder(a, b); },
          test::remainder_oracle),
      binary(
          "select", {0, 0}, [](auto a, auto b) { return select(a < b, a, b); },
          [](Real a, Real b) { return a < b ? a : b; }),
      binary(
          "trunc_divide", {1, 1}, [](auto a, auto b) { return trunc_divide(a, b); },
          [](auto a, auto b) { return Real(std::trunc(a / b)); }),
      binary(
          "xlogy", {2, 2}, [](auto a, auto b) { return xlogy(a, b); },
          [](Real a, Real b) { return a == 0 && !std::isnan(b) ? Real(0) : a * std::log(b); }),
  };
}

class Vocabulary : public testing::TestWithParam<Row> {};

TEST_P(Vocabulary, StaysWithinItsLimit) {
  const Row& row = GetParam();
  const std::vector<Worst> worst = row.run(row.limit);
  for (std::size_t i = 0; i < worst.size(); ++i) {
    const double limit = i < 2 ? row.limit.float_ulp : row.limit.double_ulp;
    RecordProperty(kForms[i], std::to_string(worst[i].ulp));
    EXPECT_LE(worst[i].ulp, limit) << row.name << " for " << kForms[i] << ": " << worst[i].call;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Vocabulary, testing::ValuesIn(rows()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace tn::ops
