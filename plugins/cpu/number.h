// number.h - numbers of a call as elements.
#pragma once

#include <tenon/sdk/types.h>

namespace tn::cpu {

// Stores a number (tag int, float, bool or complex) as one element. Throws where the dtype cannot
// hold it: beyond an integer's range, NaN as an integer, complex as real.
void store_number(void* element, DType dtype, const tn_value& number);

// Stores a limit or a replacement: beyond an integer's range its nearest number.
void store_nearest(void* element, DType dtype, double number);

}  // namespace tn::cpu
