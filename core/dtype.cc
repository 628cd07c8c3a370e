#include "core/dtype.h"

namespace tenon {
namespace {

struct Facts {
  const char* name;
  uint8_t size;
  Category category;
  uint8_t
      rank;  // width order within the category; equal ranks of different dtypes widen to the next
  uint8_t dlpack_code;
};

// Indexed by tn_dtype.
constexpr Facts kFacts[kDtypeCount] = {
    {"bool", 1, Category::boolean, 0, 6},     {"u8", 1, Category::integer, 0, 1},
    {"i8", 1, Category::integer, 0, 0},       {"i16", 2, Category::integer, 1, 0},
    {"i32", 4, Category::integer, 2, 0},      {"i64", 8, Category::integer, 3, 0},
    {"u16", 2, Category::integer, 9, 1},      {"u32", 4, Category::integer, 9, 1},
    {"u64", 8, Category::integer, 9, 1},      {"f16", 2, Category::floating, 0, 2},
    {"bf16", 2, Category::floating, 0, 4},    {"f32", 4, Category::floating, 1, 2},
    {"f64", 8, Category::floating, 2, 2},     {"c64", 8, Category::complex, 1, 5},
    {"c128", 16, Category::complex, 2, 5},    {"f8e4m3", 1, Category::floating, 9, 10},
    {"f8e5m2", 1, Category::floating, 9, 12},
};
constexpr uint8_t kStoredOnly = 9;  // rank of dtypes that only convert

bool known(int dtype) {
  return dtype >= 0 && dtype < kDtypeCount;
}

tn_dtype promote_integers(tn_dtype a, tn_dtype b) {
  if (kFacts[a].rank != kFacts[b].rank) return kFacts[a].rank > kFacts[b].rank ? a : b;
  return TN_I16;  // u8 with i8: the smallest that holds both
}

tn_dtype promote_floats(tn_dtype a, tn_dtype b) {
  if (kFacts[a].rank != kFacts[b].rank) return kFacts[a].rank > kFacts[b].rank ? a : b;
  return TN_F32;  // f16 with bf16
}

}  // namespace

Category dtype_category(tn_dtype dtype) {
  return known(dtype) ? kFacts[dtype].category : Category::none;
}

tn_dtype dtype_real(tn_dtype dtype) {
  if (dtype == TN_C64) return TN_F32;
  if (dtype == TN_C128) return TN_F64;
  return dtype;
}

uint8_t dtype_dlpack_code(tn_dtype dtype) {
  return kFacts[dtype].dlpack_code;
}

tn_dtype dtype_from_dlpack(uint8_t code, uint8_t bits) {
  for (int d = 0; d < kDtypeCount; ++d)
    if (kFacts[d].dlpack_code == code && kFacts[d].size * 8 == bits)
      return static_cast<tn_dtype>(d);
  return TN_DTYPE_NONE;
}

}  // namespace tenon

using namespace tenon;  // the C functions below are this file's face

uint32_t tn_dtype_size(tn_dtype dtype) {
  return known(dtype) ? kFacts[dtype].size : 0;
}

const char* tn_dtype_name(tn_dtype dtype) {
  return known(dtype) ? kFacts[dtype].name : "?";
}

tn_dtype tn_dtype_promote(tn_dtype a, tn_dtype b) {
  if (!known(a) || !known(b)) return TN_DTYPE_NONE;
  if (a == b) return a;
  if (kFacts[a].rank == kStoredOnly || kFacts[b].rank == kStoredOnly) return TN_DTYPE_NONE;
  const Category ca = kFacts[a].category, cb = kFacts[b].category;
  if (ca != cb) {
    const tn_dtype higher = ca > cb ? a : b, lower = ca > cb ? b : a;
    // A float beside a complex number widens it as it would widen another float.
    if (dtype_category(higher) == Category::complex && lower == TN_F64) return TN_C128;
    return higher;
  }
  switch (ca) {
    case Category::integer:
      return promote_integers(a, b);
    case Category::floating:
      return promote_floats(a, b);
    default:
      return kFacts[a].rank > kFacts[b].rank ? a : b;
  }
}

int32_t tn_dtype_can_cast(tn_dtype from, tn_dtype to) {
  return known(from) && known(to) && dtype_category(from) <= dtype_category(to);
}
