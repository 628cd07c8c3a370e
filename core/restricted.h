// Restricted tensors: those that not every kernel of their device may see, since they have another
// layout than strided, or contents that one provider defined.
//
// They carry the lowest layer bit, which no layer ever gets. A call without one goes its way as if
// there was nothing to know about; a call with one arrives, below all layers, at
// execute_restricted.
#pragma once

#include <vector>

#include "core/frame.h"
#include "core/tensor.h"

namespace tenon {

inline constexpr uint64_t kRestrictedBit = 1;

// tn_tensor.flags from here to kAliasShift: the number of the provider that defined the contents.
inline constexpr uint32_t kProviderShift = 8;
inline constexpr uint32_t kProviderMask = 0xffffu << kProviderShift;

inline bool restricted(const tn_tensor* t) {
  return t->layout != TN_STRIDED || t->flags & kProviderMask;
}

// A tensor with sizes and no memory, of a layout other than strided.
tn_status tensor_without_memory(const tn_meta& meta, tn_tensor** out);

// From now on only this provider's kernels see the tensor.
void restrict_to_provider(tn_tensor* t, const Kernel& kernel);

// `t`, which has taken over the contents of `from`, is restricted as that is.
void restrict_alike(Tensor* t, const Tensor* from);

// Error for what needs to know where the elements lie; `what` is the function's name.
tn_status require_unrestricted(const char* what, const tn_tensor* t);

bool all_strided(const tn_value* values, uint32_t count);

// The kernels of a cell that may see all tensors among the values, in their order.
std::vector<const Kernel*> kernels_that_may_see(const Cell& cell, const tn_value* values,
                                                uint32_t count);

// The kernel of the restricted bit (dispatch.cc), and what execute is to other calls.
tn_status run_restricted(tn_frame* frame, void* state, const tn_value* args, uint32_t nargs,
                         tn_value* rets, uint32_t nrets);
tn_status execute_restricted(Frame& frame, const tn_value* args, uint32_t nargs, tn_value* rets,
                             uint32_t nrets);

}  // namespace tenon
