// Which dtype a call computes in: PyTorch's promotion of tensors, 0-dim tensors and numbers.
#pragma once

#include <tenon/operator.h>

#include "core/dtype.h"

namespace tenon {

// Collects the inputs of a call; `result` answers their common dtype. Within a category only
// tensors with dimensions widen; 0-dim tensors and numbers matter when their category is higher.
class Promotion {
 public:
  void add(const tn_tensor* t) {
    const auto dtype = static_cast<tn_dtype>(t->dtype);
    tn_dtype& kind = t->flags & TN_TENSOR_WRAPPED ? numbers_
                     : t->dl.ndim > 0             ? dimensioned_
                                                  : zero_dim_;
    kind = kind == TN_DTYPE_NONE || kind == dtype ? dtype : tn_dtype_promote(kind, dtype);
    mixed_ |= kind == TN_DTYPE_NONE;
  }
  void add(const tn_value& number);

  // TN_DTYPE_NONE when the inputs have no common dtype.
  tn_dtype result() const;

 private:
  tn_dtype dimensioned_ = TN_DTYPE_NONE, zero_dim_ = TN_DTYPE_NONE, numbers_ = TN_DTYPE_NONE;
  bool mixed_ = false;
};

// The dtype that float operators compute integers in: the thread's default.
tn_dtype default_float();

// The dtype of the results of a call that computes in `compute`.
constexpr tn_dtype promoted_result(uint32_t promotion, tn_dtype compute) {
  if (promotion == TN_PROMOTE_BOOL) return TN_BOOL;
  if (promotion == TN_PROMOTE_INDEX) return TN_I64;
  return promotion == TN_PROMOTE_REAL ? dtype_real(compute) : compute;
}

}  // namespace tenon
