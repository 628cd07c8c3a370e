// Element-wise calls: promotion, broadcasting, outputs and plan in one pass over the arguments.
#include <cstring>

#include <tenon/thread.h>

#include "core/choose.h"
#include "core/dtype.h"
#include "core/error.h"
#include "core/execute.h"
#include "core/number.h"
#include "core/outputs.h"
#include "core/plan.h"
#include "core/promote.h"
#include "core/tensor.h"
#include "core/text.h"

namespace tenon {
namespace {

// The inputs of one call, in the schema's order.
struct Inputs {
  const tn_tensor* tensors[TN_PLAN_MAX_OPERANDS];  // null: a number
  const tn_value* values[TN_PLAN_MAX_OPERANDS];
  int count = 0;
  int32_t ndim = 0;
  int64_t sizes[TN_MAX_DIMS];
  tn_dtype compute = TN_DTYPE_NONE;
};

// Collects the inputs.
tn_status collect(const Frame& frame, const tn_value* args, Inputs& in) {
  const Operator& op = *frame.entry;
  // In place only, the first argument is the output alone.
  const bool skip_first = op.desc.flags & TN_OP_INPLACE_ONLY;
  const int limit = TN_PLAN_MAX_OPERANDS - static_cast<int>(op.nrets);
  for (const uint8_t at : op.tensor_args) {
    const tn_value& v = args[at];
    if ((skip_first && at == 0) || v.tag == TN_TAG_NONE) continue;
    if (in.count == limit)
      return TN_ERROR(TN_NOT_IMPLEMENTED, "%s: more than %d operands", op.name(),
                      TN_PLAN_MAX_OPERANDS);
    in.values[in.count] = &v;
    in.tensors[in.count++] = v.tag == TN_TAG_TENSOR ? v.u.tensor : nullptr;
  }
  return nullptr;
}

tn_status no_common_dtype(const Operator& op, const Inputs& in) {
  ShortText came;
  for (int i = 0; i < in.count; ++i) {
    if (i) came.append(", ");
    append_value(came, *in.values[i]);
  }
  return TN_ERROR(TN_TYPE_ERROR, "%s: %s have no common dtype; convert with to(dtype)", op.name(),
                  came.c_str());
}

// No u8 is -1 or above 300: questions about integers are answered as numbers are, not as those
// that fit into the dtype would be.
void widen_for_numbers(Inputs& in) {
  for (int i = 0; i < in.count; ++i) {
    int64_t element;
    if (in.tensors[i]) continue;
    if (tn_status s = number_store(*in.values[i], in.compute, &element)) {
      tn_status_release(s);
      in.compute = TN_I64;
    }
  }
}

tn_status find_compute_dtype(const Frame& frame, const tn_value* args, Inputs& in) {
  const Operator& op = *frame.entry;
  const auto rule = static_cast<tn_promotion>(op.desc.promotion);
  if (rule == TN_PROMOTE_FIRST) {
    const uint8_t first = op.tensor_args[0];
    if (args[first].tag != TN_TAG_TENSOR)
      return TN_ERROR(TN_TYPE_ERROR, "%s: argument %u (%s) must be a tensor", op.name(), first + 1u,
                      op.schema->args[first].name);
    in.compute = static_cast<tn_dtype>(args[first].u.tensor->dtype);
    return nullptr;
  }
  Promotion promotion;
  const int first = rule == TN_PROMOTE_SECOND ? 1 : 0;
  if (first && in.tensors[0] && in.tensors[0]->dtype != TN_BOOL)
    return TN_ERROR(TN_TYPE_ERROR, "%s: the condition is %s; it must be bool", op.name(),
                    TensorText(in.tensors[0]).c_str());
  for (int i = first; i < in.count; ++i) {
    if (in.tensors[i])
      promotion.add(in.tensors[i]);
    else
      promotion.add(*in.values[i]);
  }
  in.compute = promotion.result();
  if (in.compute == TN_DTYPE_NONE) return no_common_dtype(op, in);
  if (rule == TN_PROMOTE_FLOAT && dtype_category(in.compute) <= Category::integer)
    in.compute = default_float();
  if (rule == TN_PROMOTE_BOOL && dtype_category(in.compute) == Category::integer)
    widen_for_numbers(in);
  return nullptr;
}

// Numbers become elements of the dtype that the call computes in, also where no plan holds them.
tn_status check_numbers(const Inputs& in) {
  char element[16];
  for (int i = 0; i < in.count; ++i)
    if (!in.tensors[i])
      if (tn_status s = number_store(*in.values[i], in.compute, element)) return s;
  return nullptr;
}

tn_status cannot_broadcast(const Operator& op, const tn_tensor* t, const Inputs& in) {
  return TN_ERROR(
      TN_INVALID_ARGUMENT,
      "%s: sizes %s and %s do not broadcast: from the last dimension on, sizes must be equal or 1",
      op.name(), SizesText(in.ndim, in.sizes).c_str(), SizesText(t->dl.ndim, t->dl.shape).c_str());
}

// Widens in.sizes by one tensor's.
tn_status broadcast(const Operator& op, Inputs& in, const tn_tensor* t) {
  if (t->dl.ndim > in.ndim) {
    const int grow = t->dl.ndim - in.ndim;
    std::memmove(in.sizes + grow, in.sizes, static_cast<size_t>(in.ndim) * sizeof(int64_t));
    for (int d = 0; d < grow; ++d) in.sizes[d] = 1;
    in.ndim = t->dl.ndim;
  }
  const int shift = in.ndim - t->dl.ndim;
  for (int d = 0; d < t->dl.ndim; ++d) {
    int64_t& size = in.sizes[d + shift];
    if (size == t->dl.shape[d] || t->dl.shape[d] == 1) continue;
    if (size != 1) return cannot_broadcast(op, t, in);
    size = t->dl.shape[d];
  }
  return nullptr;
}

bool has_sizes(const tn_tensor* t, const Inputs& in) {
  return t->dl.ndim == in.ndim &&
         std::memcmp(t->dl.shape, in.sizes, static_cast<size_t>(in.ndim) * sizeof(int64_t)) == 0;
}

tn_status find_sizes(const Frame& frame, const tn_value* args, Inputs& in) {
  const Operator& op = *frame.entry;
  if (op.desc.flags & TN_OP_INPLACE_ONLY) {  // inputs broadcast to the tensor written
    const tn_tensor* self = args[0].u.tensor;
    in.ndim = self->dl.ndim;
    std::memcpy(in.sizes, self->dl.shape, static_cast<size_t>(in.ndim) * sizeof(int64_t));
  }
  bool first = !(op.desc.flags & TN_OP_INPLACE_ONLY);
  for (int i = 0; i < in.count; ++i) {
    const tn_tensor* t = in.tensors[i];
    if (!t) continue;
    if (first) {
      first = false;
      in.ndim = t->dl.ndim;
      std::memcpy(in.sizes, t->dl.shape, static_cast<size_t>(in.ndim) * sizeof(int64_t));
    } else if (!has_sizes(t, in)) {
      if (tn_status s = broadcast(op, in, t)) return s;
    }
  }
  return nullptr;
}

// A new output keeps the order of dimensions of the first input that has all of them densely.
void choose_strides(const Inputs& in, tn_meta& meta) {
  meta.has_strides = 0;
  meta.memory_format = TN_CONTIGUOUS;
  for (int i = 0; i < in.count; ++i) {
    const tn_tensor* t = in.tensors[i];
    if (!t || !(t->flags & TN_TENSOR_DENSE) || !has_sizes(t, in)) continue;
    if (!(t->flags & TN_TENSOR_CONTIGUOUS)) {
      meta.has_strides = 1;
      std::memcpy(meta.strides, t->dl.strides, static_cast<size_t>(in.ndim) * sizeof(int64_t));
    }
    return;
  }
}

tn_status prepare_outputs(Frame& frame, const Inputs& in, tn_dtype dtype, tn_value* rets,
                          uint32_t nrets) {
  tn_meta meta;
  meta.device = frame.device;
  meta.dtype = static_cast<uint16_t>(dtype);
  meta.layout = TN_STRIDED;
  meta.flags = 0;
  meta.ndim = in.ndim;
  std::memcpy(meta.sizes, in.sizes, static_cast<size_t>(in.ndim) * sizeof(int64_t));
  choose_strides(in, meta);
  for (uint32_t i = 0; i < nrets; ++i) {
    if (tn_status s = output_prepare(frame, meta, rets, i)) return s;
    if (frame.form == TN_FUNCTIONAL) continue;
    for (int k = 0; k < in.count; ++k)
      if (in.tensors[k])
        if (tn_status s = check_no_partial_overlap(frame, rets[i].u.tensor, in.tensors[k]))
          return s;
  }
  return nullptr;
}

tn_status run_plan(Frame& frame, PlanBuffer& plan, const Kernel& kernel, const tn_value* args,
                   uint32_t nargs, tn_value* rets, uint32_t nrets) {
  if (plan.numel == 0) return nullptr;
  frame.plan = &plan;
  tn_status status = run_kernel(frame, kernel, args, nargs, rets, nrets);
  frame.plan = nullptr;
  return status;
}

// Operands of a plan: outputs, then inputs.
tn_status add_operands(PlanBuffer& plan, const Inputs& in, const tn_value* rets, uint32_t nrets) {
  for (uint32_t i = 0; i < nrets; ++i) plan_add_tensor(plan, rets[i].u.tensor);
  plan.noutputs = static_cast<uint16_t>(nrets);
  for (int i = 0; i < in.count; ++i) {
    if (in.tensors[i])
      plan_add_tensor(plan, in.tensors[i]);
    else if (tn_status s = plan_add_number(plan, *in.values[i]))
      return s;
  }
  return nullptr;
}

}  // namespace

tn_status pointwise_compute_dtype(const Frame& frame, const tn_value* args, tn_dtype* out) {
  Inputs in;
  if (tn_status s = collect(frame, args, in)) return s;
  if (tn_status s = find_compute_dtype(frame, args, in)) return s;
  *out = in.compute;
  return nullptr;
}

tn_status execute_carefully(Frame& frame, const Cell& cell, const tn_value* args, uint32_t nargs,
                            tn_value* rets, uint32_t nrets) {
  Inputs in;
  if (tn_status s = collect(frame, args, in)) return s;
  if (tn_status s = find_compute_dtype(frame, args, in)) return s;
  if (tn_status s = check_numbers(in)) return s;
  if (tn_status s = check_arguments(frame, in.compute, args, nargs)) return s;
  const Kernel* kernel = nullptr;
  if (cell.has_data) {
    kernel = planned_kernel(frame, cell, in.compute, args, nargs);
    if (!kernel) return execute_without_kernel(frame, cell, args, nargs, rets, nrets);
  }
  if (tn_status s = find_sizes(frame, args, in)) return s;
  const tn_dtype result = promoted_result(frame.entry->desc.promotion, in.compute);
  if (tn_status s = prepare_outputs(frame, in, result, rets, nrets)) return s;
  if (tn_status s = outputs_check_arguments(frame, args, nargs)) return s;
  if (kernel) {
    PlanBuffer plan;
    const tn_tensor* tensors[TN_PLAN_MAX_OPERANDS];
    for (uint32_t i = 0; i < nrets; ++i) tensors[i] = rets[i].u.tensor;
    for (int i = 0; i < in.count; ++i) tensors[nrets + static_cast<uint32_t>(i)] = in.tensors[i];
    plan_begin(plan, in.compute);
    if (tn_status s = add_operands(plan, in, rets, nrets)) return s;
    plan_pointwise(plan, tensors, in.ndim, in.sizes);
    if (tn_status s = run_plan(frame, plan, *kernel, args, nargs, rets, nrets)) return s;
  }
  outputs_written(frame, rets, nrets);
  return nullptr;
}

}  // namespace tenon
