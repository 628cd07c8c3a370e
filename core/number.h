// Numbers of a call as elements of a dtype.
#pragma once

#include <tenon/operator.h>

namespace tenon {

// Writes `number` (int, float, bool or complex) as one element of `dtype` to `out`, up to 16 bytes.
// Error: an integer that the dtype cannot hold, or a complex number for a real dtype.
tn_status number_store(const tn_value& number, tn_dtype dtype, void* out);

// Reads one element as int, bool or float; complex numbers give {re, im} in memory of
// tn_value_alloc. The half and f8 types are not read here (convert first).
tn_status number_load(const void* element, tn_dtype dtype, tn_value* out);

}  // namespace tenon
