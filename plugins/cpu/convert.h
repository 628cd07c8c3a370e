// convert.h - runs of elements from any dtype to any other.
#pragma once

#include <cstdint>

#include <tenon/base.h>

namespace tn::cpu {

// Converts n elements as Tensor.to does (tenon/ops/cast.h). Strides are in bytes, may be zero or
// negative, and give the fast path where they are the elements' sizes. The ranges are disjoint or,
// for equal dtypes, the same.
using ConvertFn = void (*)(void* to, int64_t to_stride, const void* from, int64_t from_stride,
                           int64_t n);

ConvertFn convert_function(tn_dtype to, tn_dtype from);

}  // namespace tn::cpu
