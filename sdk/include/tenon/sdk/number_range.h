// number_range.h - which numbers can be elements of a dtype.
#pragma once

#include <cmath>
#include <limits>

#include <tenon/sdk/types.h>

namespace tn::ops {

namespace detail {

// The ends of an integral dtype, as far as int64 reaches.
constexpr int64_t largest_of(DType dtype) {
  switch (dtype) {
    case TN_U8:
      return std::numeric_limits<uint8_t>::max();
    case TN_I8:
      return std::numeric_limits<int8_t>::max();
    case TN_U16:
      return std::numeric_limits<uint16_t>::max();
    case TN_I16:
      return std::numeric_limits<int16_t>::max();
    case TN_U32:
      return std::numeric_limits<uint32_t>::max();
    case TN_I32:
      return std::numeric_limits<int32_t>::max();
    default:
      return std::numeric_limits<int64_t>::max();
  }
}
constexpr bool is_unsigned(DType dtype) {
  return dtype == TN_U8 || dtype == TN_U16 || dtype == TN_U32 || dtype == TN_U64;
}
constexpr int64_t smallest_of(DType dtype) {
  return is_unsigned(dtype) ? 0 : -largest_of(dtype) - 1;
}

// As in PyTorch, unsigned dtypes take negative integers modulo their range: alpha = -1 subtracts.
constexpr bool fits(DType dtype, int64_t n) {
  const int64_t largest = largest_of(dtype);
  return dtype == TN_U64 || (n <= largest && n >= (is_unsigned(dtype) ? -largest : -largest - 1));
}
// What lies behind the point is dropped. False for NaN.
inline bool fits(DType dtype, double x) {
  const double end = dtype == TN_U64 ? 0x1p64 : static_cast<double>(largest_of(dtype)) + 1;
  return std::trunc(x) < end && (is_unsigned(dtype) ? x >= 0 : std::trunc(x) >= -end);
}

}  // namespace detail

// Throws where the number (tag int, float, bool or complex) cannot be an element: beyond an
// integer's range, NaN as an integer, complex as real.
inline void require_fits(DType dtype, const tn_value& number) {
  if (number.tag == TN_TAG_COMPLEX && !is_complex(dtype))
    fail(TN_TYPE_ERROR, "the complex number %g%+gj cannot be converted to %s", number.u.floats[0],
         number.u.floats[1], api->dtype_name(dtype));
  if (!is_integral(dtype)) return;
  if (number.tag == TN_TAG_INT && !detail::fits(dtype, number.u.i))
    fail(TN_INVALID_ARGUMENT, "%lld does not fit into %s", static_cast<long long>(number.u.i),
         api->dtype_name(dtype));
  if (number.tag == TN_TAG_FLOAT && !detail::fits(dtype, number.u.f))
    fail(TN_INVALID_ARGUMENT, "%g does not fit into %s", number.u.f, api->dtype_name(dtype));
}

}  // namespace tn::ops
