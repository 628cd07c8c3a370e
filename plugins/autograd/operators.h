// The operators that autograd itself calls, looked up by name at their first use. Their names stand
// in operators.cc.
#pragma once

#include "node.h"

namespace tn::graph::ops {

// Recorded like any other call, where the thread's state says so.
Tensor add(const Tensor& a, const Tensor& b);
Tensor scale(const Tensor& a, double factor);
Tensor clone(const Tensor& a);
Tensor sum(const Tensor& a, Ints dims, bool keepdim);
Tensor reshape(const Tensor& a, Ints sizes);
Tensor permute(const Tensor& a, Ints dims);
Tensor as_strided(const Tensor& a, Ints sizes, Ints strides, int64_t offset);
Tensor cast(const Tensor& a, DType dtype);
// Of a complex tensor; any other one is given back.
Tensor conjugate(const Tensor& a);
Tensor view_as_real(const Tensor& a);
// Of pairs of real numbers in any layout.
Tensor view_as_complex(const Tensor& pairs);
void copy(const Tensor& target, const Tensor& source);
// target[index[i]] += source[i], for flat target and source.
Tensor index_add(const Tensor& target, const Tensor& index, const Tensor& source);
// 0, 1, ..., count - 1 as i64.
Tensor count_up(int64_t count, Device device);

void add_in_place(tn_tensor* target, tn_tensor* source);

// New tensors without history. Row-major, or of the given strides.
Tensor filled(Ints sizes, uint16_t dtype, Device device, double value);
Tensor empty_strided(Ints sizes, Ints strides, uint16_t dtype, Device device);
Tensor copy_of(tn_tensor* source);

}  // namespace tn::graph::ops
