// What happens to a call once it has passed all layers: a kernel is chosen and run on outputs that
// fit.
#pragma once

#include "core/frame.h"

namespace tenon {

// Runs the call on frame.device, by the operator's kind.
tn_status execute(Frame& frame, const tn_value* args, uint32_t nargs, tn_value* rets,
                  uint32_t nrets);

// Runs the operator's decomposition in the frame's form.
tn_status execute_decomposition(Frame& frame, const tn_value* args, uint32_t nargs, tn_value* rets,
                                uint32_t nrets);

// By kind (pointwise.cc, reduction.cc, structured.cc).
tn_status execute_pointwise(Frame& frame, const Cell& cell, const tn_value* args, uint32_t nargs,
                            tn_value* rets, uint32_t nrets);
tn_status execute_reduction(Frame& frame, const Cell& cell, const tn_value* args, uint32_t nargs,
                            tn_value* rets, uint32_t nrets);
tn_status execute_structured(Frame& frame, const Cell& cell, const tn_value* args, uint32_t nargs,
                             tn_value* rets, uint32_t nrets);

// No kernel takes the call: the decomposition, the configured fallback, or an error that says who
// could.
tn_status execute_without_kernel(Frame& frame, const Cell& cell, const tn_value* args,
                                 uint32_t nargs, tn_value* rets, uint32_t nrets);

// Runs a kernel on outputs that are ready.
tn_status run_kernel(Frame& frame, const Kernel& kernel, const tn_value* args, uint32_t nargs,
                     tn_value* rets, uint32_t nrets);

}  // namespace tenon
