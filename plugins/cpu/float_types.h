// float_types.h - from a dtype at run time to the C++ type that a kernel template is made for.
#pragma once
#include "element.h"
#include "tenon/sdk/error.h"
#include "tenon/sdk/tensor.h"

namespace tn::cpu {

inline constexpr uint64_t kFloatDtypes =
    TN_DTYPE_BIT(TN_F32) | TN_DTYPE_BIT(TN_F64) | TN_DTYPE_BIT(TN_BF16) | TN_DTYPE_BIT(TN_F16);

// Calls f with a value of the float type of `dtype`, whose type is all that matters. Throws Error
// for other dtypes.
template <class F>
void with_float(DType dtype, F&& f) {
  switch (dtype) {
    case TN_F32:
      return f(float());
    case TN_F64:
      return f(double());
    case TN_BF16:
      return f(bfloat16());
    case TN_F16:
      return f(float16());
    default:
      fail(TN_NOT_IMPLEMENTED, "no kernel for dtype %s; f16, bf16, f32 and f64 have one",
           api->dtype_name(dtype));
  }
}

}  // namespace tn::cpu
