#include "number.h"

#include <tenon/sdk/number_range.h>

#include "convert.h"

namespace tn::cpu {
void store_number(void* element, DType dtype, const tn_value& number) {
  ops::require_fits(dtype, number);
  if (number.tag == TN_TAG_COMPLEX)
    convert_function(dtype, TN_C128)(element, 0, number.u.floats, 0, 1);
  else if (number.tag == TN_TAG_FLOAT)
    convert_function(dtype, TN_F64)(element, 0, &number.u.f, 0, 1);
  else
    convert_function(dtype, TN_I64)(element, 0, &number.u.i, 0, 1);
}

void store_nearest(void* element, DType dtype, double number) {
  if (is_integral(dtype)) {
    const int64_t smallest = ops::detail::smallest_of(dtype),
                  largest = ops::detail::largest_of(dtype);
    const bool above = number >= static_cast<double>(largest);
    if (above || number <= static_cast<double>(smallest))
      return convert_function(dtype, TN_I64)(element, 0, above ? &largest : &smallest, 0, 1);
  }
  convert_function(dtype, TN_F64)(element, 0, &number, 0, 1);
}

}  // namespace tn::cpu
