// factor.h - numbers that tensors are multiplied by: alpha, beta.
#pragma once

#include <limits>

#include <tenon/sdk/tensor.h>

namespace tn::ops {

namespace detail {

// The largest number of an integral dtype of at most 32 bits; of a wider one all numbers fit.
constexpr int64_t largest_of(DType dtype) {
  switch (dtype) {
    case TN_U8:
      return std::numeric_limits<uint8_t>::max();
    case TN_I8:
      return std::numeric_limits<int8_t>::max();
    case TN_I16:
      return std::numeric_limits<int16_t>::max();
    case TN_I32:
      return std::numeric_limits<int32_t>::max();
    default:
      return std::numeric_limits<int64_t>::max();
  }
}

// The smallest one.
constexpr int64_t smallest_of(DType dtype) {
  return dtype == TN_U8 ? 0 : -largest_of(dtype) - 1;
}

}  // namespace detail

// Error: `self` is of integers and the factor none of its dtype's. A negative one of unsigned
// integers is taken, since it subtracts.
inline void require_factor(const char* name, const Scalar& factor, const Tensor& self) {
  const DType dtype = self.dtype();
  if (is_floating(dtype) || is_complex(dtype)) return;
  if (factor.is_floating() || factor.is_complex())
    fail(TN_TYPE_ERROR, "%s must be an integer, since the tensors are of integers, as %s", name,
         self.describe().c_str());
  const int64_t largest = detail::largest_of(dtype), n = factor.integer();
  if (n > largest || n < -largest - 1)
    fail(TN_INVALID_ARGUMENT, "%s is %lld, which does not fit into %s", name,
         static_cast<long long>(n), api->dtype_name(dtype));
}

}  // namespace tn::ops
