// What the tests of autograd share: tensors from numbers, and the operators by name.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <tenon/sdk/autograd.h>
#include <tenon/sdk/call.h>

namespace test {

using tn::Ints;
using tn::Tensor;
using Values = std::vector<double>;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pointwise;

inline Tensor tensor(const Values& values, const std::vector<int64_t>& sizes,
                     tn::DType dtype = TN_F64) {
  tn_meta meta{};
  tn::check(tn::api->device_host(&meta.device));
  meta.dtype = static_cast<uint16_t>(dtype);
  meta.ndim = static_cast<int32_t>(sizes.size());
  std::copy(sizes.begin(), sizes.end(), meta.sizes);
  tn_tensor* made = nullptr;
  tn::check(tn::api->tensor_empty(&meta, &made));
  Tensor t = Tensor::own(made);
  if (dtype == TN_F64) {
    tn::check(tn::api->tensor_write(made, values.data(), values.size() * sizeof(double)));
  } else {
    const std::vector<float> narrow(values.begin(), values.end());
    tn::check(tn::api->tensor_write(made, narrow.data(), narrow.size() * sizeof(float)));
  }
  return t;
}
inline Tensor tensor(const Values& values) {
  return tensor(values, {static_cast<int64_t>(values.size())});
}
inline Tensor leaf(const Values& values, const std::vector<int64_t>& sizes) {
  return tensor(values, sizes).requires_grad_();
}
inline Tensor leaf(const Values& values) {
  return tensor(values).requires_grad_();
}

inline Values values(const Tensor& t) {
  EXPECT_TRUE(t.defined());
  if (!t.defined()) return {};
  if (t.dtype() == TN_F64) return t.to_vector<double>();
  const std::vector<float> narrow = t.to_vector<float>();
  return Values(narrow.begin(), narrow.end());
}

inline Tensor call(const char* name, const char* overload, const auto&... args) {
  return tn::Operator(name, overload).call<Tensor>(args...);
}
inline void write(const char* name, const char* overload, const auto&... args) {
  tn::Operator(name, overload).call_inplace(args...);
}
inline Tensor add(const Tensor& a, const Tensor& b) {
  return call("add", "Tensor", a, b);
}
inline Tensor mul(const Tensor& a, const Tensor& b) {
  return call("mul", "Tensor", a, b);
}
inline Tensor mul(const Tensor& a, double b) {
  return call("mul", "Tensor", a, b);
}
inline Tensor exp(const Tensor& a) {
  return call("exp", "", a);
}
inline Tensor sum(const Tensor& a) {
  return call("sum", "", a);
}
inline Tensor detach(const Tensor& a) {
  return call("detach", "", a);
}
inline Tensor view(const Tensor& a, const std::vector<int64_t>& sizes) {
  return call("view", "", a, Ints(sizes));
}
inline Tensor reshape(const Tensor& a, const std::vector<int64_t>& sizes) {
  return call("reshape", "", a, Ints(sizes));
}
inline Tensor select(const Tensor& a, int64_t dim, int64_t index) {
  return call("select", "int", a, dim, index);
}
inline Tensor slice(const Tensor& a, int64_t dim, int64_t start, int64_t end, int64_t step = 1) {
  return call("slice", "Tensor", a, dim, start, end, step);
}
inline Tensor transpose(const Tensor& a) {
  return call("transpose", "int", a, int64_t{0}, int64_t{1});
}
inline Tensor expand(const Tensor& a, const std::vector<int64_t>& sizes) {
  return call("expand", "", a, Ints(sizes));
}
inline std::vector<Tensor> unbind(const Tensor& a) {
  return tn::Operator("unbind", "int").call<std::vector<Tensor>>(a, int64_t{0});
}
inline void mul_(const Tensor& a, const Tensor& b) {
  write("mul_", "Tensor", a, b);
}
inline void add_(const Tensor& a, const Tensor& b) {
  write("add_", "Tensor", a, b);
}
inline void exp_(const Tensor& a) {
  write("exp_", "", a);
}
inline void copy_(const Tensor& a, const Tensor& b) {
  write("copy_", "", a, b);
}

// The name of what made a tensor, or "".
inline std::string grad_fn(const Tensor& t) {
  const char* name = tn::autograd().grad_fn_name(t.get());
  return name ? name : "";
}

// The message of the error that `body` must throw.
inline std::string error_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const tn::Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return "";
}

// Compares the gradient of sum(f(x)) with central differences; `tolerance` is relative for large
// values.
inline void expect_differences(const std::function<Tensor(const Tensor&)>& f, const Values& at,
                               const std::vector<int64_t>& sizes, double tolerance = 1e-6) {
  const Tensor x = leaf(at, sizes);
  sum(f(x)).backward();
  const double step = 1e-5;
  Values expected;
  for (size_t i = 0; i < at.size(); ++i) {
    Values up = at, down = at;
    up[i] += step;
    down[i] -= step;
    const tn::NoGrad off;
    expected.push_back((sum(f(tensor(up, sizes))).item() - sum(f(tensor(down, sizes))).item()) /
                       (2 * step));
  }
  const Values found = values(x.grad());
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found[i], expected[i], tolerance * (1 + std::abs(expected[i]))) << "element " << i;
}

}  // namespace test
