// Sizes, strides and an offset: whether they stay inside memory, and what they span.
#pragma once

#include <tenon/tensor.h>

namespace tenon {

struct Tensor;

// What one pass over a geometry finds.
struct Geometry {
  int64_t numel = 1;
  bool contiguous = true;  // row-major
  bool inside = true;      // no size or stride is negative, and every element lies in the memory
};

// Copies sizes and strides of a view of `nbytes` of memory, whose elements are 2^log2_element
// bytes, to `shape` and `steps`, checking them on the way. `offset` and strides count elements.
inline Geometry geometry_copy(int32_t ndim, const int64_t* sizes, const int64_t* strides,
                              int64_t offset, size_t nbytes, int log2_element, int64_t* shape,
                              int64_t* steps) {
  Geometry g;
  int64_t last = offset, negative = offset, reach = 0;
  bool overflow = false, beyond = false, empty = false;
  for (int d = ndim - 1; d >= 0; --d) {
    const int64_t size = sizes[d], stride = strides[d];
    shape[d] = size;
    steps[d] = stride;
    negative |= size | stride;
    if (size <= 1) {  // 0 counts as 1: whoever multiplies sizes in any order stays in range
      empty |= size == 0;
      continue;
    }
    g.contiguous &= stride == g.numel;
    overflow |= __builtin_mul_overflow(g.numel, size, &g.numel);
    beyond |= __builtin_mul_overflow(size - 1, stride, &reach);
    beyond |= __builtin_add_overflow(last, reach, &last);
  }
  // An empty view may stand anywhere: x[1:1, 1:] of a row x starts behind its storage.
  const auto end = static_cast<int64_t>(nbytes >> log2_element);
  const bool fits = empty ? offset <= INT64_MAX >> log2_element : !beyond && last < end;
  g.inside = negative >= 0 && !overflow && fits;
  if (empty) g.numel = 0;
  return g;
}

// The error for a view that does not stay inside the storage of `base`.
tn_status geometry_outside(const Tensor* base, int32_t ndim, const int64_t* sizes,
                           const int64_t* strides, int64_t offset);

}  // namespace tenon
