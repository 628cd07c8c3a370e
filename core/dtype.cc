#include "core/dtype.h"

namespace tenon {
namespace {

tn_dtype wider(tn_dtype a, tn_dtype b) {
  return dtype_facts(a).rank > dtype_facts(b).rank ? a : b;
}

// Two different dtypes of one category.
tn_dtype promote_within(Category category, tn_dtype a, tn_dtype b) {
  if (dtype_facts(a).rank != dtype_facts(b).rank) return wider(a, b);
  // u8 with i8, f16 with bf16: the smallest that holds both.
  return category == Category::integer ? TN_I16 : TN_F32;
}

}  // namespace

tn_dtype dtype_from_dlpack(uint8_t code, uint8_t bits) {
  for (int d = 0; d < kDtypeCount; ++d)
    if (dtype_facts(d).dlpack_code == code && dtype_size(d) * 8 == bits)
      return static_cast<tn_dtype>(d);
  return TN_DTYPE_NONE;
}

// ---- the C functions, declared in the ABI's headers
// -----------------------------------------------

extern "C" {

TN_API uint32_t tn_dtype_size(tn_dtype dtype) {
  return dtype_size(dtype);
}

TN_API const char* tn_dtype_name(tn_dtype dtype) {
  return dtype_facts(dtype).name;
}

TN_API tn_dtype tn_dtype_promote(tn_dtype a, tn_dtype b) {
  const Category ca = dtype_category(a), cb = dtype_category(b);
  if (ca == Category::none || cb == Category::none) return TN_DTYPE_NONE;
  if (a == b) return a;
  if (dtype_facts(a).rank == kStoredOnly || dtype_facts(b).rank == kStoredOnly)
    return TN_DTYPE_NONE;
  if (ca == cb) return promote_within(ca, a, b);
  const tn_dtype higher = ca > cb ? a : b, lower = ca > cb ? b : a;
  // A float beside a complex number widens it as it would widen another float.
  if (dtype_category(higher) == Category::complex && lower == TN_F64) return TN_C128;
  return higher;
}

TN_API int32_t tn_dtype_can_cast(tn_dtype from, tn_dtype to) {
  const Category cf = dtype_category(from), ct = dtype_category(to);
  return cf != Category::none && ct != Category::none && cf <= ct;
}

}  // extern "C"

}  // namespace tenon
