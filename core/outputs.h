// Outputs of a call: made for the functional form, checked and resized for the others.
#pragma once

#include "core/frame.h"

namespace tenon {

// Makes rets[index] what `meta` says. Functional: a new tensor (owned by rets). Out: the given
// tensor, resized when its sizes differ. In-place: the given tensor, whose sizes must be the same.
// Both check device and dtype. `meta` is completed.
tn_status output_prepare(Frame& frame, tn_meta& meta, tn_value* rets, uint32_t index);

// The call is over: gives outputs that it resized their old form back when it failed, and forgets
// them.
void outputs_settle(Frame& frame, bool failed);

// A written tensor must not refer to one memory location twice.
tn_status check_no_internal_overlap(const Frame& frame, const tn_tensor* written);

// How a written tensor's memory meets an input's.
enum class Overlap {
  none,
  same,
  partial,
  unknown
};
Overlap overlap_of(const tn_tensor* written, const tn_tensor* input);
tn_status check_no_partial_overlap(const Frame& frame, const tn_tensor* written,
                                   const tn_tensor* input);

// One more write, for each output that the caller gave.
inline void outputs_written(const Frame& frame, tn_value* rets, uint32_t nrets) {
  if (frame.form == TN_FUNCTIONAL) return;
  for (uint32_t i = 0; i < nrets; ++i)
    if (rets[i].tag == TN_TAG_TENSOR) tn_tensor_bump_version(rets[i].u.tensor);
}

}  // namespace tenon
