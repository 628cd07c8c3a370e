#include "number.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <tenon/sdk/error.h>

#include "convert.h"
#include "element.h"

namespace tn::cpu {
namespace {

// Calls f(lowest, highest) with the range of an integer dtype; for others does nothing.
template <class F>
void with_range(DType dtype, F&& f) {
  [&]<int... d>(std::integer_sequence<int, d...>) {
    const auto call = [&]<class T>(T) {
      if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
        f(std::numeric_limits<T>::lowest(), std::numeric_limits<T>::max());
    };
    ((d == dtype ? call(Element<d>{}) : void()), ...);
  }
  (std::make_integer_sequence<int, kDtypes>());
}

// As in PyTorch, unsigned dtypes take negative integers modulo their range: alpha = -1 subtracts.
template <class T>
constexpr double lowest_taken() {
  return std::is_signed_v<T>
             ? static_cast<double>(std::numeric_limits<T>::lowest())
             : -std::min(static_cast<double>(std::numeric_limits<T>::max()), 0x1p63);
}

template <class T>
bool fits(int64_t i) {
  if constexpr (sizeof(T) == sizeof(int64_t))
    return true;
  else
    return i >= static_cast<int64_t>(lowest_taken<T>()) &&
           i <= static_cast<int64_t>(std::numeric_limits<T>::max());
}

// False for NaN.
template <class T>
bool fits(double x) {
  return std::trunc(x) >= static_cast<double>(std::numeric_limits<T>::lowest()) &&
         !(std::is_unsigned_v<T> && x < 0) &&
         std::trunc(x) < static_cast<double>(std::numeric_limits<T>::max()) + 1;
}

}  // namespace

void store_number(void* element, DType dtype, const tn_value& number) {
  const tn_tag tag = static_cast<tn_tag>(number.tag);
  if (tag == TN_TAG_COMPLEX) {
    if (!is_complex(dtype))
      fail(TN_TYPE_ERROR, "the complex number %g%+gj cannot be converted to %s", number.u.floats[0],
           number.u.floats[1], api->dtype_name(dtype));
    convert_function(dtype, TN_C128)(element, 0, number.u.floats, 0, 1);
  } else if (tag != TN_TAG_FLOAT) {
    with_range(dtype, [&]<class T>(T, T) {
      if (!fits<T>(number.u.i))
        fail(TN_INVALID_ARGUMENT, "%lld does not fit into %s", static_cast<long long>(number.u.i),
             api->dtype_name(dtype));
    });
    convert_function(dtype, TN_I64)(element, 0, &number.u.i, 0, 1);
  } else {
    with_range(dtype, [&]<class T>(T, T) {
      if (!fits<T>(number.u.f))
        fail(TN_INVALID_ARGUMENT, "%g does not fit into %s", number.u.f, api->dtype_name(dtype));
    });
    convert_function(dtype, TN_F64)(element, 0, &number.u.f, 0, 1);
  }
}

void store_nearest(void* element, DType dtype, double number) {
  bool stored = false;
  with_range(dtype, [&]<class T>(T lowest, T highest) {
    if (!(stored = number >= static_cast<double>(highest) || number <= static_cast<double>(lowest)))
      return;
    *static_cast<T*>(element) = number > 0 ? highest : lowest;
  });
  if (!stored) convert_function(dtype, TN_F64)(element, 0, &number, 0, 1);
}

}  // namespace tn::cpu
