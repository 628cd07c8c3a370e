#include "core/promote.h"

#include "core/dtype.h"
#include "core/thread.h"

namespace tenon {
namespace {

tn_dtype complex_of(tn_dtype real) {
  return real == TN_F64 ? TN_C128 : TN_C64;
}

tn_dtype promote_known(tn_dtype a, tn_dtype b) {
  if (a == TN_DTYPE_NONE) return b;
  if (b == TN_DTYPE_NONE) return a;
  return tn_dtype_promote(a, b);
}

// `lower` counts only where its category is above that of `higher`.
tn_dtype combine(tn_dtype higher, tn_dtype lower) {
  const Category h = dtype_category(higher), l = dtype_category(lower);
  if (higher == TN_DTYPE_NONE) return lower;
  if (h == Category::complex || l == Category::none) return higher;
  if (h == Category::floating) return l == Category::complex ? complex_of(higher) : higher;
  if (h == Category::boolean || l > Category::integer) return promote_known(higher, lower);
  return higher;
}

}  // namespace

void Promotion::add(const tn_value& number) {
  tn_dtype dtype = TN_I64;
  if (number.tag == TN_TAG_BOOL) dtype = TN_BOOL;
  if (number.tag == TN_TAG_FLOAT) dtype = default_float();
  if (number.tag == TN_TAG_COMPLEX) dtype = complex_of(default_float());
  numbers_ = promote_known(numbers_, dtype);
}

tn_dtype Promotion::result() const {
  return mixed_ ? TN_DTYPE_NONE : combine(combine(dimensioned_, zero_dim_), numbers_);
}

tn_dtype default_float() {
  return static_cast<tn_dtype>(thread_block.state.default_dtype);
}

}  // namespace tenon
