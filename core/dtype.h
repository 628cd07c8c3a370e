// Facts about dtypes that the core itself computes with.
#pragma once

#include <tenon/tensor.h>

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

struct DtypeFacts {
  const char* name = "?";
  uint8_t size = 0;
  Category category = Category::none;
  uint8_t rank = 0;         // order of width within the category
  uint8_t dlpack_code = 0;  // kDLInt 0, kDLUInt 1, kDLFloat 2, kDLBfloat 4, kDLComplex 5, kDLBool 6
};

// The rank of dtypes that only convert: they have no common dtype with others.
inline constexpr uint8_t kStoredOnly = 9;

// Indexed by tn_dtype; the rest are numbers that are no dtype.
inline constexpr DtypeFacts kDtypeFacts[64] = {
    {"bool", 1, Category::boolean, 0, 6},
    {"u8", 1, Category::integer, 0, 1},
    {"i8", 1, Category::integer, 0, 0},
    {"i16", 2, Category::integer, 1, 0},
    {"i32", 4, Category::integer, 2, 0},
    {"i64", 8, Category::integer, 3, 0},
    {"u16", 2, Category::integer, kStoredOnly, 1},
    {"u32", 4, Category::integer, kStoredOnly, 1},
    {"u64", 8, Category::integer, kStoredOnly, 1},
    {"f16", 2, Category::floating, 0, 2},
    {"bf16", 2, Category::floating, 0, 4},
    {"f32", 4, Category::floating, 1, 2},
    {"f64", 8, Category::floating, 2, 2},
    {"c64", 8, Category::complex, 1, 5},
    {"c128", 16, Category::complex, 2, 5},
    {"f8e4m3", 1, Category::floating, kStoredOnly, 10},
    {"f8e5m2", 1, Category::floating, kStoredOnly, 12},
};

inline const DtypeFacts& dtype_facts(int dtype) {
  return kDtypeFacts[dtype >= 0 && dtype < 64 ? dtype : TN_DTYPE_NONE];
}
inline Category dtype_category(int dtype) {
  return dtype_facts(dtype).category;
}
inline uint32_t dtype_size(int dtype) {
  return dtype_facts(dtype).size;
}
inline tn_dldtype dtype_dlpack(int dtype) {
  const DtypeFacts& f = dtype_facts(dtype);
  return {f.dlpack_code, static_cast<uint8_t>(f.size * 8), 1};
}

// The dtype of a complex dtype's parts; any other dtype itself.
constexpr tn_dtype dtype_real(tn_dtype dtype) {
  if (dtype == TN_C64) return TN_F32;
  if (dtype == TN_C128) return TN_F64;
  return dtype;
}

// The dtype with DLPack's type code and bits; TN_DTYPE_NONE for a pair that Tenon lacks.
tn_dtype dtype_from_dlpack(uint8_t code, uint8_t bits);

}  // namespace tenon
