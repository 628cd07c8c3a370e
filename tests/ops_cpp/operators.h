// What the tests of operators share: small tensors, and looking at results and errors.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include <tenon/sdk/operators.h>

using testing::ElementsAre;
using testing::HasSubstr;

// 0, 1, 2, ... in row-major order.
inline tn::Tensor counting(std::vector<int64_t> sizes, tn::DType dtype = TN_F32) {
  const int64_t n = std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
  return tn::view(tn::arange(n, dtype, "cpu"), sizes);
}

template <class T>
tn::Tensor tensor(std::vector<T> values, tn::DType dtype) {
  tn::Tensor t = tn::empty({static_cast<int64_t>(values.size())}, dtype, "cpu");
  tn::check(tn::api->tensor_write(t.get(), values.data(), values.size() * sizeof(T)));
  return t;
}
inline tn::Tensor floats(std::vector<float> values) {
  return tensor(std::move(values), TN_F32);
}
inline tn::Tensor ints(std::vector<int64_t> values) {
  return tensor(std::move(values), TN_I64);
}

inline std::vector<float> values(const tn::Tensor& t) {
  return t.to_vector<float>();
}
inline std::vector<int64_t> integers(const tn::Tensor& t) {
  return t.to_vector<int64_t>();
}
inline std::vector<int64_t> shape(const tn::Tensor& t) {
  return t.sizes().vector();
}
inline std::vector<int64_t> strides(const tn::Tensor& t) {
  return t.strides().vector();
}

// Expects that `call` throws an error of that kind whose message has `part` in it.
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
