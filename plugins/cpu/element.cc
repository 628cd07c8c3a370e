#include "element.h"

#include <cmath>
#include <limits>
#include <utility>

#include "convert.h"

namespace tn::cpu {

void store_number(void* element, DType dtype, const tn_value& number) {
  const tn_tag tag = static_cast<tn_tag>(number.tag);
  if (tag == TN_TAG_COMPLEX) {
    convert_function(dtype, TN_C128)(element, 0, number.u.floats, 0, 1);
  } else if (tag != TN_TAG_FLOAT) {
    convert_function(dtype, TN_I64)(element, 0, &number.u.i, 0, 1);
  } else if (std::isinf(number.u.f) && is_integral(dtype)) {
    const bool up = number.u.f > 0;
    [&]<int... d>(std::integer_sequence<int, d...>) {
      const auto store = [&]<class T>(T*) {
        if constexpr (std::is_integral_v<T>)
          *static_cast<T*>(element) =
              up ? std::numeric_limits<T>::max() : std::numeric_limits<T>::lowest();
      };
      ((d == dtype ? store(static_cast<Element<d>*>(nullptr)) : void()), ...);
    }
    (std::make_integer_sequence<int, kDtypes>());
  } else {
    convert_function(dtype, TN_F64)(element, 0, &number.u.f, 0, 1);
  }
}

}  // namespace tn::cpu
