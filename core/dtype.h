// Facts about dtypes that the core itself computes with.
#pragma once

#include <tenon/base.h>

namespace tenon {

inline constexpr int kDtypeCount = 17;

// Position of a dtype in bool < integer < float < complex.
enum class Category : uint8_t {
  boolean,
  integer,
  floating,
  complex,
  none
};

Category dtype_category(tn_dtype dtype);

// The dtype of a complex dtype's parts; any other dtype itself.
tn_dtype dtype_real(tn_dtype dtype);

// DLPack's type code (kDLInt 0, kDLUInt 1, kDLFloat 2, kDLBfloat 4, kDLComplex 5, kDLBool 6, f8: 10
// and 12).
uint8_t dtype_dlpack_code(tn_dtype dtype);

// The reverse; TN_DTYPE_NONE for a pair that Tenon lacks.
tn_dtype dtype_from_dlpack(uint8_t code, uint8_t bits);

}  // namespace tenon
