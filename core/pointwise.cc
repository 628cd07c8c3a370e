// Element-wise calls: promotion, broadcasting, outputs and plan in one pass over the arguments.
#include <cstring>

#include <tenon/thread.h>

#include "core/choose.h"
#include "core/dtype.h"
#include "core/error.h"
#include "core/execute.h"
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
  bool uniform = false;
  bool has_numbers = false;
  const tn_tensor* like = nullptr;  // the first tensor
  int32_t ndim = 0;
  int64_t sizes[TN_MAX_DIMS];
  tn_dtype compute = TN_DTYPE_NONE;
};

// Whether a number leaves the dtype of its fellow inputs as it is.
bool keeps_dtype(const tn_value& number, Category category) {
  if (number.tag == TN_TAG_FLOAT) return category >= Category::floating;
  if (number.tag == TN_TAG_INT) return category >= Category::integer;
  return number.tag == TN_TAG_BOOL;
}

bool same_form(const tn_tensor* a, const tn_tensor* b) {
  bool same = a->dtype == b->dtype && a->dl.ndim == b->dl.ndim;
  for (int d = 0; same && d < a->dl.ndim; ++d) same = a->dl.shape[d] == b->dl.shape[d];
  return same;
}

// Collects the inputs, and finds out on the way whether they are uniform: contiguous tensors of one
// dtype and size, and numbers that change neither. Then `like` is the first tensor.
tn_status collect(const Frame& frame, const tn_value* args, Inputs& in) {
  const Operator& op = *frame.entry;
  // In place only, the first argument is the output alone.
  const bool skip_first = op.desc.flags & TN_OP_INPLACE_ONLY;
  const int limit = TN_PLAN_MAX_OPERANDS - static_cast<int>(op.nrets);
  bool uniform = !skip_first;
  for (const uint8_t at : op.tensor_args) {
    const tn_value& v = args[at];
    if ((skip_first && at == 0) || v.tag == TN_TAG_NONE) continue;
    if (in.count == limit)
      return TN_ERROR(TN_NOT_IMPLEMENTED, "%s: more than %d operands", op.name(),
                      TN_PLAN_MAX_OPERANDS);
    const tn_tensor* t = v.tag == TN_TAG_TENSOR ? v.u.tensor : nullptr;
    in.values[in.count] = &v;
    in.tensors[in.count++] = t;
    if (!t) {
      in.has_numbers = true;
    } else {
      uniform &= (t->flags & (TN_TENSOR_CONTIGUOUS | TN_TENSOR_WRAPPED)) == TN_TENSOR_CONTIGUOUS;
      if (!in.like)
        in.like = t;
      else
        uniform = uniform && same_form(t, in.like);
    }
  }
  if (in.has_numbers && in.like)
    for (int i = 0; i < in.count; ++i)
      if (!in.tensors[i]) uniform &= keeps_dtype(*in.values[i], dtype_category(in.like->dtype));
  in.uniform = uniform && in.like;
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

tn_status find_compute_dtype(const Frame& frame, const tn_value* args, Inputs& in) {
  const Operator& op = *frame.entry;
  const auto rule = static_cast<tn_promotion>(op.desc.promotion);
  if (rule == TN_PROMOTE_FIRST) {
    in.compute = static_cast<tn_dtype>(args[op.tensor_args[0]].u.tensor->dtype);
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

// A given output that a uniform call may write as it is.
bool takes_uniform(const Frame& frame, const Inputs& in, const tn_tensor* like, tn_dtype dtype,
                   const tn_tensor* out) {
  if (out->dtype != dtype || !(out->flags & TN_TENSOR_CONTIGUOUS) ||
      out->dl.ndim != like->dl.ndim || !device_same(out->dl.device, frame.device))
    return false;
  for (int d = 0; d < like->dl.ndim; ++d)
    if (out->dl.shape[d] != like->dl.shape[d]) return false;
  // The same memory, or other memory; what lies between is for the careful way.
  for (int i = 0; i < in.count; ++i)
    if (in.tensors[i] && in.tensors[i]->storage == out->storage &&
        in.tensors[i]->dl.data != out->dl.data)
      return false;
  return true;
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

// Everything for a uniform call; sets *done to false, having changed nothing, when an output needs
// the careful way.
tn_status execute_uniform(Frame& frame, const Inputs& in, tn_dtype result, const Kernel* kernel,
                          const tn_value* args, uint32_t nargs, tn_value* rets, uint32_t nrets,
                          bool* done) {
  *done = true;
  for (uint32_t i = 0; i < nrets; ++i) {
    if (frame.form == TN_FUNCTIONAL) {
      Tensor* made = nullptr;
      if (tn_status s = tensor_allocate_like(in.like, result, frame.device, &made)) return s;
      rets[i].tag = TN_TAG_TENSOR;
      rets[i].u.tensor = made;
    } else if (!takes_uniform(frame, in, in.like, result, rets[i].u.tensor)) {
      *done = false;
      return nullptr;
    }
  }
  if (kernel) {
    PlanBuffer plan;
    plan_begin_linear(plan, in.compute, in.like->numel);
    if (tn_status s = add_operands(plan, in, rets, nrets)) return s;
    const int outputs = static_cast<int>(nrets);
    for (int i = 0; i < outputs; ++i) plan_linear_operand(plan, i, false);
    for (int i = 0; i < in.count; ++i) plan_linear_operand(plan, outputs + i, !in.tensors[i]);
    if (tn_status s = run_plan(frame, plan, *kernel, args, nargs, rets, nrets)) return s;
  }
  outputs_written(frame, rets, nrets);
  return nullptr;
}

tn_dtype result_dtype(tn_promotion rule, tn_dtype compute) {
  if (rule == TN_PROMOTE_BOOL) return TN_BOOL;
  return rule == TN_PROMOTE_REAL ? dtype_real(compute) : compute;
}

}  // namespace

tn_status execute_pointwise(Frame& frame, const Cell& cell, const tn_value* args, uint32_t nargs,
                            tn_value* rets, uint32_t nrets) {
  const Operator& op = *frame.entry;
  Inputs in;
  if (tn_status s = collect(frame, args, in)) return s;
  const auto rule = static_cast<tn_promotion>(op.desc.promotion);
  bool fast = in.uniform && rule <= TN_PROMOTE_REAL &&
              (rule != TN_PROMOTE_FLOAT || dtype_category(in.like->dtype) > Category::integer);
  if (fast)
    in.compute = static_cast<tn_dtype>(in.like->dtype);
  else if (tn_status s = find_compute_dtype(frame, args, in))
    return s;
  const tn_dtype result = result_dtype(rule, in.compute);
  const bool has_data = !(device_table(frame.device.type)->flags & TN_DEVICE_NO_DATA);
  const Kernel* kernel = nullptr;
  if (has_data) {
    kernel = cell.planned[in.compute];
    if (!kernel || frame.flags & TN_THREAD_DETERMINISTIC)
      kernel = choose_for_dtype(frame, cell, in.compute, args, nargs);
  }
  if (has_data && !kernel) return execute_without_kernel(frame, cell, args, nargs, rets, nrets);
  if (fast) {
    tn_status status = execute_uniform(frame, in, result, kernel, args, nargs, rets, nrets, &fast);
    if (status || fast) return status;
  }
  if (tn_status s = find_sizes(frame, args, in)) return s;
  if (tn_status s = prepare_outputs(frame, in, result, rets, nrets)) return s;
  if (has_data) {
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
