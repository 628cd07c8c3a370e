// Choosing among the kernels that providers offer for a call.
#pragma once

#include <tenon/thread.h>

#include "core/frame.h"

namespace tenon {

// The first kernel with a plan that computes in `compute` and wants the call; null when there is
// none.
const Kernel* choose_for_dtype(const Frame& frame, const Cell& cell, tn_dtype compute,
                               const tn_value* args, uint32_t nargs);

// The same from what is known beforehand, where that is enough.
inline const Kernel* planned_kernel(const Frame& frame, const Cell& cell, tn_dtype compute,
                                    const tn_value* args, uint32_t nargs) {
  const Kernel* kernel = cell.planned[compute];
  return kernel && !(frame.flags & TN_THREAD_DETERMINISTIC)
             ? kernel
             : choose_for_dtype(frame, cell, compute, args, nargs);
}

// What must be done to the arguments for a kernel to take them.
enum class Fitting {
  none,
  contiguous,
  widened
};

// The first kernel that takes the tensors as they are; else the first that takes contiguous copies;
// else the first that takes them widened within their category. Null when there is none.
const Kernel* choose_for_tensors(const Frame& frame, const Cell& cell, const tn_value* args,
                                 uint32_t nargs, Fitting* fitting);

// Copies of tensor arguments in the form that `kernel` takes; owned by `copies`.
tn_status fit_arguments(const Kernel& kernel, Fitting fitting, tn_value* args, uint32_t nargs,
                        OwnedValues& copies);

// Why no kernel was chosen: one line per kernel.
void explain_choice(const Frame& frame, const Cell& cell, const tn_value* args, uint32_t nargs,
                    struct Text& text);

// Why a kernel does not take the arguments as they are; nothing when it does. `compute` is the
// dtype of the call's plan, NONE for calls without one.
void explain_refusal(const Frame& frame, const Kernel& kernel, tn_dtype compute,
                     const tn_value* args, uint32_t nargs, struct Text& text);

// The dtype in which `kernel` is given a tensor; NONE when there is none.
tn_dtype fitted_dtype(const Kernel& kernel, Fitting fitting, const tn_tensor* tensor);
// Whether it is given a row-major copy of it.
bool wants_contiguous(const Kernel& kernel, const tn_tensor* tensor);

}  // namespace tenon
