// Making iteration plans.
#pragma once

#include <tenon/operator.h>

namespace tenon {

// A plan with the arrays that it points to. Lives on the stack of the call; only what is used is
// written.
struct PlanBuffer : tn_plan {
  int64_t shape_[TN_MAX_DIMS];
  int64_t strides_[TN_PLAN_MAX_OPERANDS][TN_MAX_DIMS];
  alignas(16) char numbers_[TN_PLAN_MAX_OPERANDS][16];
};

// Starts a plan without operands.
inline void plan_begin(tn_plan& plan, tn_dtype compute_dtype) {
  plan.size = sizeof(tn_plan);
  plan.flags = 0;
  plan.ndim = 0;
  plan.noutputs = 0;
  plan.noperands = 0;
  plan.compute_dtype = static_cast<uint16_t>(compute_dtype);
  plan.reserved = 0;
  plan.reserved2 = 0;
  plan.numel = 0;
  plan.reduced = 0;
  plan.reduced_numel = 1;
}

// Adds operands, outputs first. A number is converted to the compute dtype.
inline void plan_add_tensor(PlanBuffer& plan, const tn_tensor* t) {
  tn_plan_operand& o = plan.operands[plan.noperands++];
  o.data = t->dl.data;
  o.dtype = t->dtype;
  o.flags = 0;
  o.element_size = t->dl.dtype.bits / 8u;
}
tn_status plan_add_number(PlanBuffer& plan, const tn_value& number);

// The loop nest of an element-wise call over `sizes`; `tensors[i]` is operand i, null for a number.
// Inputs broadcast.
void plan_pointwise(PlanBuffer& plan, const tn_tensor* const* tensors, int32_t ndim,
                    const int64_t* sizes);

// The loop nest of a reduction of operand `noutputs` (the input) over the dimensions in `mask`;
// outputs have the input's rank, with size 1 (and any stride) in reduced dimensions.
void plan_reduction(PlanBuffer& plan, const tn_tensor* input, const int64_t* const* output_strides,
                    uint64_t mask);

}  // namespace tenon
