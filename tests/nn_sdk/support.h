// What the tests of layers and optimizers share: small tensors, and looking at results and errors.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include <tenon/sdk.h>

namespace test {

using testing::ElementsAre;
using testing::FloatNear;
using testing::HasSubstr;
using testing::Pointwise;
using tn::Tensor;
using Numbers = std::vector<float>;

inline Tensor tensor(const Numbers& values, const std::vector<int64_t>& sizes) {
  Tensor t = tn::empty(sizes, TN_F32);
  tn::check(tn::api->tensor_write(t.get(), values.data(), values.size() * sizeof(float)));
  return t;
}
inline Tensor tensor(const Numbers& values) {
  return tensor(values, {static_cast<int64_t>(values.size())});
}
inline Tensor indices(const std::vector<int64_t>& values) {
  Tensor t = tn::empty({static_cast<int64_t>(values.size())}, TN_I64);
  tn::check(tn::api->tensor_write(t.get(), values.data(), values.size() * sizeof(int64_t)));
  return t;
}
inline Numbers numbers(const Tensor& t) {
  EXPECT_TRUE(t.defined());
  return t.defined() ? t.to(TN_F32).to_vector<float>() : Numbers();
}
inline std::vector<int64_t> sizes(const Tensor& t) {
  return t.sizes().vector();
}
// Overwrites a parameter, which an operator would record otherwise.
inline void assign(const Tensor& parameter, const Numbers& values) {
  ASSERT_EQ(static_cast<size_t>(parameter.numel()), values.size());
  tn::check(tn::api->tensor_write(parameter.get(), values.data(), values.size() * sizeof(float)));
}
inline void expect_near(const Tensor& actual, const Numbers& expected, float tolerance = 1e-5f) {
  EXPECT_THAT(numbers(actual), Pointwise(FloatNear(tolerance), expected));
}

// Expects that `call` throws an error of that kind whose message has `part` in it; returns the
// message.
template <class Call>
std::string expect_error(tn_code code, const std::string& part, Call&& call) {
  try {
    call();
  } catch (const tn::Error& error) {
    EXPECT_STREQ(tn::api->code_name(error.code()), tn::api->code_name(code)) << error.what();
    EXPECT_THAT(error.what(), HasSubstr(part));
    return error.what();
  }
  ADD_FAILURE() << "no error; expected one with \"" << part << "\"";
  return "";
}

}  // namespace test
