// What the tests of networks' operators share: numbers in, numbers out in double, and gradients by
// differences.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <tenon/sdk/autograd.h>
#include <tenon/sdk/operators.h>

namespace test {

using testing::HasSubstr;
using tn::Ints;
using tn::Tensor;
using Sizes = std::vector<int64_t>;
using Numbers = std::vector<double>;

inline int64_t product(const Sizes& sizes) {
  int64_t n = 1;
  for (int64_t s : sizes) n *= s;
  return n;
}
inline Tensor tensor(const Numbers& values, const Sizes& sizes, tn::DType dtype = TN_F64) {
  tn_meta meta{};
  tn::check(tn::api->device_host(&meta.device));
  meta.dtype = TN_F64;
  meta.ndim = static_cast<int32_t>(sizes.size());
  std::copy(sizes.begin(), sizes.end(), meta.sizes);
  tn_tensor* made = nullptr;
  tn::check(tn::api->tensor_empty(&meta, &made));
  const Tensor t = Tensor::own(made);
  tn::check(tn::api->tensor_write(made, values.data(), values.size() * sizeof(double)));
  return t.to(dtype);
}
inline Tensor indices(const std::vector<int64_t>& values, const Sizes& sizes) {
  return tensor(Numbers(values.begin(), values.end()), sizes, TN_I64);
}
// The same numbers in (-1, 1) for the same seed: a linear congruential generator (Knuth's MMIX
// constants).
inline Tensor random(const Sizes& sizes, tn::DType dtype = TN_F64, uint64_t seed = 1) {
  Numbers values(static_cast<size_t>(product(sizes)));
  uint64_t state = seed * 7919 + 17;
  for (double& v : values) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    v = static_cast<double>(static_cast<int64_t>(state) >> 11) * 0x1p-52;
  }
  return tensor(values, sizes, dtype);
}
inline Tensor channels_last(const Tensor& t) {
  tn_tensor* out = nullptr;
  tn::check(tn::api->tensor_contiguous(t.get(), TN_CHANNELS_LAST, &out));
  return Tensor::own(out);
}
inline Numbers numbers(const Tensor& t) {
  EXPECT_TRUE(t.defined());
  return t.defined() ? t.to(TN_F64).to_vector<double>() : Numbers();
}
inline Sizes sizes_of(const Tensor& t) {
  return t.sizes().vector();
}

// Relative to numbers of size one or more.
inline double tolerance(tn::DType dtype) {
  return dtype == TN_F64 ? 1e-10 : dtype == TN_F32 ? 2e-5 : dtype == TN_F16 ? 2e-3 : 1.6e-2;
}
inline void expect_near(const Numbers& actual, const Numbers& expected, double allowed) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    if (std::isnan(expected[i]) && std::isnan(actual[i])) continue;
    if (expected[i] == actual[i]) continue;  // infinities
    ASSERT_NEAR(actual[i], expected[i], allowed * std::max(1.0, std::fabs(expected[i])))
        << "at " << i;
  }
}
inline void expect_near(const Tensor& actual, const Numbers& expected) {
  expect_near(numbers(actual), expected, tolerance(actual.dtype()));
}

template <class Call>
void expect_error(tn_code code, const std::string& part, Call&& call) {
  try {
    call();
    ADD_FAILURE() << "no error; expected one with \"" << part << "\"";
  } catch (const tn::Error& error) {
    EXPECT_STREQ(tn::api->code_name(error.code()), tn::api->code_name(code)) << error.what();
    EXPECT_THAT(error.what(), HasSubstr(part));
  }
}

using Function = std::function<Tensor(const std::vector<Tensor>&)>;

// A number that depends on every element of f's result, each with a weight of its own.
inline Tensor weighted(const Tensor& y, uint64_t seed) {
  return tn::sum(y * random(sizes_of(y), y.dtype(), seed));
}

// Central differences of a function that gives one number.
inline Numbers differences(const Function& f, std::vector<Tensor> at, size_t which, double step) {
  const tn::NoGrad off;
  const Numbers center = numbers(at[which]);
  const Sizes sizes = sizes_of(at[which]);
  Numbers slopes(center.size());
  for (size_t i = 0; i < center.size(); ++i) {
    double value[2];
    for (int side = 0; side < 2; ++side) {
      Numbers moved = center;
      moved[i] += side ? step : -step;
      at[which] = tensor(moved, sizes);
      value[side] = f(at).item();
    }
    slopes[i] = (value[1] - value[0]) / (2 * step);
  }
  return slopes;
}

// Compares the gradients of f, of f64 tensors, with differences; with `second`, the gradients of
// the gradients too.
inline void expect_gradients(const Function& f, const std::vector<Tensor>& inputs,
                             bool second = true) {
  const Function number = [&](const std::vector<Tensor>& x) { return weighted(f(x), 91); };
  std::vector<Tensor> leaves;
  for (const Tensor& t : inputs) leaves.push_back(tn::detach(t).requires_grad_());
  const auto grads = tn::grad({number(leaves)}, leaves);
  for (size_t i = 0; i < inputs.size(); ++i) {
    SCOPED_TRACE("the gradient of input " + std::to_string(i));
    expect_near(numbers(grads[i]), differences(number, inputs, i, 1e-5), 1e-6);
  }
  if (!second) return;
  const Function slope = [&](const std::vector<Tensor>& x) {
    const tn::EnableGrad on;
    std::vector<Tensor> again;
    for (const Tensor& t : x)
      again.push_back(t.requires_grad() ? t : tn::detach(t).requires_grad_());
    const auto first = tn::grad({number(again)}, again, {}, TN_BACKWARD_CREATE_GRAPH);
    Tensor sum;
    for (size_t i = 0; i < first.size(); ++i) {
      const Tensor part = weighted(first[i], 100 + i);
      sum = sum.defined() ? Tensor(sum + part) : part;
    }
    return sum;
  };
  std::vector<Tensor> again;
  for (const Tensor& t : inputs) again.push_back(tn::detach(t).requires_grad_());
  const auto seconds = tn::grad({slope(again)}, again, {}, TN_BACKWARD_ALLOW_UNUSED);
  for (size_t i = 0; i < inputs.size(); ++i) {
    SCOPED_TRACE("the second gradient of input " + std::to_string(i));
    const Numbers expected = differences(slope, inputs, i, 1e-5);
    expect_near(seconds[i].defined() ? numbers(seconds[i]) : Numbers(expected.size(), 0.0),
                expected, 1e-5);
  }
}

// Runs `body` with one thread and with two.
inline void with_threads(const std::function<void(int)>& body) {
  const int before = tn::api->num_threads();
  for (int count : {1, 2}) {
    tn::check(tn::api->set_num_threads(count));
    body(count);
  }
  tn::check(tn::api->set_num_threads(before));
}

}  // namespace test
