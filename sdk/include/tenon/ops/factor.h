// factor.h - numbers that tensors are multiplied by: alpha, beta.
#pragma once

#include <tenon/sdk/number_range.h>
#include <tenon/sdk/tensor.h>

namespace tn::ops {

// Error: `self` is of integers and the factor none of its dtype's. A negative one of unsigned
// integers is taken, since it subtracts.
inline void require_factor(const char* name, const Scalar& factor, const Tensor& self) {
  const DType dtype = self.dtype();
  if (is_floating(dtype) || is_complex(dtype)) return;
  if (factor.is_floating() || factor.is_complex())
    fail(TN_TYPE_ERROR, "%s must be an integer, since the tensors are of integers, as %s", name,
         self.describe().c_str());
  const int64_t n = factor.integer();
  if (!detail::fits(dtype, n))
    fail(TN_INVALID_ARGUMENT, "%s is %lld, which does not fit into %s", name,
         static_cast<long long>(n), api->dtype_name(dtype));
}

}  // namespace tn::ops
