// What happens to a call once it has passed all layers: a kernel is chosen and run on outputs that
// fit.
#pragma once

#include "core/frame.h"

namespace tenon {

// What runs the calls of a kind of row.
Executor executor(tn_op_kind kind, bool writes_arguments);

// Runs the call on frame.device. The first call on a device builds its cell.
tn_status execute_first(Frame& frame, const tn_value* args, uint32_t nargs, tn_value* rets,
                        uint32_t nrets);
inline tn_status execute(Frame& frame, const tn_value* args, uint32_t nargs, tn_value* rets,
                         uint32_t nrets) {
  const Operator& op = *frame.entry;
  const Cell* cell = cell_if_built(op, frame.device.type);
  if (__builtin_expect(!cell, 0)) return execute_first(frame, args, nargs, rets, nrets);
  return op.execute(frame, *cell, args, nargs, rets, nrets);
}

// Runs the operator's decomposition in the frame's form.
tn_status execute_decomposition(Frame& frame, const tn_value* args, uint32_t nargs, tn_value* rets,
                                uint32_t nrets);

// A call whose arguments have their number and that no layer wants: element-wise, on tensors that
// are alike (uniform.cc). What is not so goes on as a general call (dispatch.cc); `varies` says
// that its tensors were found not to be alike.
tn_status call_uniform(const tn_op* op, const tn_value* args, uint32_t nargs, tn_value* rets,
                       uint32_t nrets);
tn_status call_general(const tn_op* op, const tn_value* args, uint32_t nargs, tn_value* rets,
                       uint32_t nrets, bool varies);

// By kind (uniform.cc, reduction.cc, structured.cc).
tn_status execute_pointwise(Frame& frame, const Cell& cell, const tn_value* args, uint32_t nargs,
                            tn_value* rets, uint32_t nrets);
tn_status execute_reduction(Frame& frame, const Cell& cell, const tn_value* args, uint32_t nargs,
                            tn_value* rets, uint32_t nrets);
tn_status execute_structured(Frame& frame, const Cell& cell, const tn_value* args, uint32_t nargs,
                             tn_value* rets, uint32_t nrets);

// Element-wise calls whose arguments differ: promotion, broadcasting, any strides (pointwise.cc).
tn_status execute_carefully(Frame& frame, const Cell& cell, const tn_value* args, uint32_t nargs,
                            tn_value* rets, uint32_t nrets);
// For the quick way, the dtype of results by the dtype of inputs under a promotion rule
// (TN_DTYPE_NONE: they are to be converted first); null when the rule always needs care.
const uint8_t* uniform_results(uint32_t promotion);

// The dtype that a call computes in, for the two kinds whose kernels get a plan.
tn_status pointwise_compute_dtype(const Frame& frame, const tn_value* args, tn_dtype* out);
tn_status reduction_compute_dtype(const Frame& frame, const tn_value* args, tn_dtype* out);

// What the row itself has against a call of those two kinds.
inline tn_status check_arguments(Frame& frame, tn_dtype compute, const tn_value* args,
                                 uint32_t nargs) {
  const tn_op_desc& desc = frame.entry->desc;
  return desc.check ? desc.check(&frame, desc.state, compute, args, nargs) : nullptr;
}

// What the outputs of a structured call look like.
tn_status structured_infer(Frame& frame, const tn_value* args, uint32_t nargs, tn_meta* metas,
                           uint32_t nrets);

// No kernel takes the call: the decomposition, the configured fallback, or an error that says who
// could.
tn_status execute_without_kernel(Frame& frame, const Cell& cell, const tn_value* args,
                                 uint32_t nargs, tn_value* rets, uint32_t nrets);

// Runs a kernel on outputs that are ready.
inline tn_status run_kernel(Frame& frame, const Kernel& kernel, const tn_value* args,
                            uint32_t nargs, tn_value* rets, uint32_t nrets) {
  Scratch* const scratch = frame.scratch;
  const uint32_t known = nargs < kernel.nargs ? nargs : kernel.nargs;
  tn_status status = kernel.fn(&frame, kernel.state, args, known, rets, nrets);
  if (__builtin_expect(frame.scratch != scratch, 0)) scratch_release(frame, scratch);
  return status;
}

}  // namespace tenon
