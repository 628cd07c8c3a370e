// What the scenarios share: small tensors with known values.
#pragma once

#include <gmock/gmock.h>

#include <numeric>
#include <vector>

#include <tenon/sdk/autograd.h>
#include <tenon/sdk/operators.h>

#include "sweep.h"

namespace faults {

using testing::Each;
using testing::ElementsAre;
using testing::ElementsAreArray;
using tn::Tensor;
using Numbers = std::vector<double>;

// 0, 1, 2, ... in row-major order.
inline Tensor counting(const std::vector<int64_t>& sizes, tn::DType dtype = TN_F32) {
  const int64_t n = std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
  return tn::view(tn::arange(n, dtype, "cpu"), sizes);
}

inline Tensor tensor(const Numbers& values, tn::DType dtype = TN_F32) {
  const Tensor t = tn::empty({static_cast<int64_t>(values.size())}, TN_F64, "cpu");
  tn::check(tn::api->tensor_write(t.get(), values.data(), values.size() * sizeof(double)));
  return t.to(dtype);
}

inline Numbers numbers(const Tensor& t) {
  EXPECT_TRUE(t.defined());
  return t.defined() ? tn::detach(t).to(TN_F64).to_vector<double>() : Numbers();
}

}  // namespace faults
