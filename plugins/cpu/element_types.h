// element_types.h - from a dtype at run time to a C++ type: by its size for kernels that move
// elements, by its arithmetic for kernels that add them.
#pragma once

#include <tenon/ops/types.h>
#include <tenon/sdk/tensor.h>

#include "element.h"

namespace tn::cpu {

struct Block16 {
  uint64_t words[2];
};

// Calls f with a value of a type of as many bytes as an element has.
template <class F>
void with_size(DType dtype, F&& f) {
  switch (api->dtype_size(dtype)) {
    case 1:
      return f(uint8_t());
    case 2:
      return f(uint16_t());
    case 4:
      return f(uint32_t());
    case 8:
      return f(uint64_t());
    default:
      return f(Block16());
  }
}

// Calls f with a value of the dtype's own type, for dtypes that can be added.
template <class F>
void with_number(DType dtype, F&& f) {
  switch (dtype) {
    case TN_BOOL:
      return f(bool());
    case TN_U8:
      return f(uint8_t());
    case TN_I8:
      return f(int8_t());
    case TN_I16:
      return f(int16_t());
    case TN_I32:
      return f(int32_t());
    case TN_I64:
      return f(int64_t());
    case TN_F16:
      return f(float16());
    case TN_BF16:
      return f(bfloat16());
    case TN_F32:
      return f(float());
    case TN_F64:
      return f(double());
    case TN_C64:
      return f(std::complex<float>());
    case TN_C128:
      return f(std::complex<double>());
    default:
      fail(TN_NOT_IMPLEMENTED, "no arithmetic in dtype %s, which is only stored and converted",
           api->dtype_name(dtype));
  }
}

}  // namespace tn::cpu
