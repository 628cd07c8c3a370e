// Reductions: which dimensions go, what is left, and the plan.
#include <cstring>

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

tn_status add_dim(const Operator& op, const tn_tensor* t, int64_t dim, uint64_t* mask) {
  const int64_t n = t->dl.ndim ? t->dl.ndim : 1;  // a 0-dim tensor accepts 0 and -1
  if (dim < -n || dim >= n)
    return TN_ERROR(TN_INDEX_ERROR, "%s: dimension %lld is outside [%lld, %lld) of %s", op.name(),
                    static_cast<long long>(dim), static_cast<long long>(-n),
                    static_cast<long long>(n), TensorText(t).c_str());
  const uint64_t bit = uint64_t{1} << (dim < 0 ? dim + n : dim);
  if (*mask & bit)
    return TN_ERROR(TN_INVALID_ARGUMENT, "%s: dimension %lld is named twice", op.name(),
                    static_cast<long long>(dim));
  *mask |= bit;
  return nullptr;
}

tn_status reduced_dims(const Operator& op, const tn_value* args, const tn_tensor* t,
                       uint64_t* mask) {
  *mask = 0;
  const uint64_t all = t->dl.ndim == 64 ? ~uint64_t{0} : (uint64_t{1} << t->dl.ndim) - 1;
  const tn_value* dim = op.positions.dim >= 0 ? &args[op.positions.dim] : nullptr;
  if (!dim || dim->tag == TN_TAG_NONE || (dim->tag == TN_TAG_INTS && dim->len == 0))
    return *mask = all, nullptr;
  if (dim->tag == TN_TAG_INT) {
    if (tn_status s = add_dim(op, t, dim->u.i, mask)) return s;
  } else {
    for (uint32_t i = 0; i < dim->len; ++i)
      if (tn_status s = add_dim(op, t, dim->u.ints[i], mask)) return s;
  }
  *mask &= all;
  return nullptr;
}

void find_dtypes(const Operator& op, const tn_value* args, const tn_tensor* t, tn_dtype* compute,
                 tn_dtype* result) {
  const auto own = static_cast<tn_dtype>(t->dtype);
  const bool integral = dtype_category(own) <= Category::integer;
  *compute = own;
  switch (static_cast<tn_promotion>(op.desc.promotion)) {
    case TN_PROMOTE_SUM:
      if (integral) *compute = TN_I64;
      break;
    case TN_PROMOTE_FLOAT:
      if (integral) *compute = default_float();
      break;
    default:
      break;
  }
  if (op.positions.dtype >= 0 && args[op.positions.dtype].tag == TN_TAG_DTYPE)
    *compute = static_cast<tn_dtype>(args[op.positions.dtype].u.i);
  *result = promoted_result(op.desc.promotion, *compute);
}

// Sizes of the outputs, and for each input dimension the output dimension it becomes (-1 for one
// that goes).
void output_sizes(const tn_tensor* t, uint64_t mask, bool keepdim, tn_meta& meta, int* becomes) {
  meta.ndim = 0;
  for (int d = 0; d < t->dl.ndim; ++d) {
    const bool reduced = mask >> d & 1;
    becomes[d] = reduced ? -1 : meta.ndim;
    if (reduced && !keepdim) continue;
    meta.sizes[meta.ndim++] = reduced ? 1 : t->dl.shape[d];
  }
}

}  // namespace

tn_status reduction_compute_dtype(const Frame& frame, const tn_value* args, tn_dtype* out) {
  const Operator& op = *frame.entry;
  const tn_tensor* input = args[op.tensor_args[0]].u.tensor;
  uint64_t mask = 0;
  tn_dtype result;
  find_dtypes(op, args, input, out, &result);
  return reduced_dims(op, args, input, &mask);
}

tn_status execute_reduction(Frame& frame, const Cell& cell, const tn_value* args, uint32_t nargs,
                            tn_value* rets, uint32_t nrets) {
  const Operator& op = *frame.entry;
  const tn_tensor* input = args[op.tensor_args[0]].u.tensor;
  uint64_t mask = 0;
  if (tn_status s = reduced_dims(op, args, input, &mask)) return s;
  tn_dtype compute, result;
  find_dtypes(op, args, input, &compute, &result);
  if (tn_status s = check_arguments(frame, compute, args, nargs)) return s;
  const Kernel* kernel = nullptr;
  if (cell.has_data) {
    kernel = planned_kernel(frame, cell, compute, args, nargs);
    if (!kernel) return execute_without_kernel(frame, cell, args, nargs, rets, nrets);
  }

  const bool keepdim = op.positions.keepdim >= 0 && args[op.positions.keepdim].u.i != 0;
  int becomes[TN_MAX_DIMS];
  tn_meta meta;
  meta.device = frame.device;
  meta.dtype = static_cast<uint16_t>(result);
  meta.layout = TN_STRIDED;
  meta.flags = 0;
  meta.has_strides = 0;
  meta.memory_format = TN_CONTIGUOUS;
  output_sizes(input, mask, keepdim, meta, becomes);
  for (uint32_t i = 0; i < nrets; ++i) {
    if (tn_status s = output_prepare(frame, meta, rets, i)) return s;
    meta.has_strides = 0;
    if (frame.form == TN_OUT && overlap_of(rets[i].u.tensor, input) != Overlap::none)
      return TN_ERROR(TN_RUNTIME_ERROR,
                      "%s: the output %s shares memory with the input; clone the input first",
                      op.name(), TensorText(rets[i].u.tensor).c_str());
  }
  if (kernel && rets[0].u.tensor->numel) {
    PlanBuffer plan;
    int64_t strides[TN_PLAN_MAX_OPERANDS][TN_MAX_DIMS];
    const int64_t* output_strides[TN_PLAN_MAX_OPERANDS];
    plan_begin(plan, compute);
    plan.noutputs = static_cast<uint16_t>(nrets);
    for (uint32_t i = 0; i < nrets; ++i) {
      const tn_tensor* out = rets[i].u.tensor;
      plan_add_tensor(plan, out);
      for (int d = 0; d < input->dl.ndim; ++d)
        strides[i][d] = becomes[d] < 0 ? 0 : out->dl.strides[becomes[d]];
      output_strides[i] = strides[i];
    }
    plan_add_tensor(plan, input);
    plan_reduction(plan, input, output_strides, mask);
    frame.plan = &plan;
    tn_status status = run_kernel(frame, *kernel, args, nargs, rets, nrets);
    frame.plan = nullptr;
    if (status) return status;
  }
  outputs_written(frame, rets, nrets);
  return nullptr;
}

}  // namespace tenon
