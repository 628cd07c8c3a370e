// Outputs of a call: made for the functional form, checked and resized for the others.
#pragma once

#include <cstring>

#include "core/frame.h"
#include "core/tensor.h"

namespace tenon {

// The error for a given output `index` that is no tensor.
tn_status output_no_tensor(const Operator& op, tn_form form, uint32_t index);
// Of several given outputs no two are one tensor, which could not take the sizes of both.
tn_status outputs_check_distinct(const Operator& op, const tn_value* rets, uint32_t nrets);

// The outputs that layers and kernels see: given ones, or none so far.
[[gnu::always_inline]] inline tn_status outputs_begin(const tn_op* op, const tn_value* args,
                                                      tn_value* rets, uint32_t nrets) {
  if (__builtin_expect(op->form == TN_FUNCTIONAL, 1)) {
    if (nrets) rets[0] = tn_value{};  // mostly there is one: no loop, which would become a memset
    if (nrets > 1) std::memset(rets + 1, 0, (nrets - 1) * sizeof(tn_value));
    return nullptr;
  }
  const bool in_place = op->form == TN_INPLACE;
  for (uint32_t i = 0; i < nrets; ++i) {
    const tn_value& given = in_place ? args[0] : rets[i];
    if (given.tag != TN_TAG_TENSOR) return output_no_tensor(*op->entry, op->form, i);
    rets[i] = given;
  }
  return in_place || nrets < 2 ? nullptr : outputs_check_distinct(*op->entry, rets, nrets);
}
// A functional call failed: drops what it has filled.
inline void outputs_drop(const tn_op* op, tn_value* rets, uint32_t nrets) {
  if (op->form == TN_FUNCTIONAL)
    for (uint32_t i = 0; i < nrets; ++i) tn_value_drop(&rets[i]);
}

// Makes rets[index] what `meta` says. Functional: a new tensor (owned by rets). Out: the given
// tensor, resized when its sizes differ. In-place: the given tensor, whose sizes must be the same.
// Both check device and dtype. `meta` is completed.
tn_status output_prepare(Frame& frame, tn_meta& meta, tn_value* rets, uint32_t index);

// Puts results that were made into the tensors that the caller gave: first all of them are found to
// take their result, so that none is written where another is refused. On `device`, or each
// result's.
tn_status outputs_take(Frame& frame, const tn_value* made, tn_value* rets, uint32_t nrets,
                       const tn_device* device = nullptr);

// An output that was resized is no argument that is still to be read.
tn_status resized_check_arguments(const Frame& frame, const tn_value* args, uint32_t nargs);
inline tn_status outputs_check_arguments(const Frame& frame, const tn_value* args, uint32_t nargs) {
  return frame.resized ? resized_check_arguments(frame, args, nargs) : nullptr;
}

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
    if (rets[i].tag == TN_TAG_TENSOR) tensor_bump_version(rets[i].u.tensor);
}

}  // namespace tenon
