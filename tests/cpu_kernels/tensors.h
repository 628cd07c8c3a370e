// Tensors for the tests, and their elements as doubles in row-major order.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include <tenon/sdk/operators.h>

using Sizes = std::vector<int64_t>;

// Element i is f(i), in row-major order.
inline tn::Tensor make(const Sizes& sizes, const std::function<double(int64_t)>& f,
                       tn::DType dtype = TN_F32) {
  tn::Tensor t = tn::empty(tn::Ints(sizes), TN_F64);
  for (int64_t i = 0; i < t.numel(); ++i) t.data<double>()[i] = f(i);
  return t.to(dtype);
}
// Numbers between -5 and 5 that do not repeat soon.
inline double wave(int64_t i) {
  return 5 * std::sin(0.7 * static_cast<double>(i) + 0.3);
}

inline std::vector<double> values(const tn::Tensor& t) {
  return t.to(TN_F64).to_vector<double>();
}

inline void expect_near(const tn::Tensor& got, const std::vector<double>& want, double tolerance) {
  const std::vector<double> g = values(got);
  ASSERT_EQ(g.size(), want.size());
  for (size_t i = 0; i < g.size(); ++i)
    ASSERT_NEAR(g[i], want[i], tolerance * std::max(1.0, std::fabs(want[i]))) << "element " << i;
}

template <class F>
void expect_error(tn_code code, const char* part, F&& call) {
  try {
    call();
    ADD_FAILURE() << "no error";
  } catch (const tn::Error& e) {
    EXPECT_EQ(e.code(), code) << e.what();
    EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
  }
}

// Runs f with one thread and with several, and gives both results.
template <class F>
auto with_threads(F&& f) {
  const int32_t before = tn::api->num_threads();
  tn::check(tn::api->set_num_threads(1));
  auto one = f();
  tn::check(tn::api->set_num_threads(3));
  auto three = f();
  tn::check(tn::api->set_num_threads(before));
  return std::pair(one, three);
}
