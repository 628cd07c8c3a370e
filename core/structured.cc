// Structured calls: infer says what the outputs are, a kernel fills them.
#include <cstring>

#include "core/choose.h"
#include "core/device.h"
#include "core/error.h"
#include "core/execute.h"
#include "core/outputs.h"
#include "core/restricted.h"
#include "core/tensor.h"
#include "core/text.h"

namespace tenon {
namespace {

constexpr uint32_t kMaxResults = 8;

// Whether an output is the memory of an input that the kernel must not see in both places.
bool shares_memory(const tn_value* args, uint32_t nargs, const tn_tensor* out) {
  for (uint32_t i = 0; i < nargs; ++i)
    if (args[i].tag == TN_TAG_TENSOR && overlap_of(out, args[i].u.tensor) != Overlap::none)
      return true;
  return false;
}

// Runs on temporaries where given outputs are inputs too and the kernel cannot bear that.
tn_status run_apart(Frame& frame, const Kernel& kernel, const tn_value* args, uint32_t nargs,
                    tn_meta* metas, tn_value* rets, uint32_t nrets) {
  tn_value apart[kMaxResults] = {};
  OwnedValues owned;
  const uint32_t form = frame.form;
  frame.form = TN_FUNCTIONAL;
  tn_status status = nullptr;
  for (uint32_t i = 0; i < nrets && !status; ++i) {
    if (metas[i].dtype == TN_DTYPE_NONE) continue;
    status = output_prepare(frame, metas[i], apart, i);
    if (!status) owned.add(apart[i].u.tensor);
  }
  frame.form = form;
  // What updates self starts from it here as well.
  if (!status && frame.entry->desc.flags & TN_OP_UPDATES_SELF)
    status = tn_tensor_copy(apart[0].u.tensor, args[0].u.tensor);
  if (!status) status = run_kernel(frame, kernel, args, nargs, apart, nrets);
  for (uint32_t i = 0; i < nrets; ++i)
    if (metas[i].dtype == TN_DTYPE_NONE) rets[i] = apart[i];  // made by the kernel, or none
  for (uint32_t i = 0; i < nrets && !status; ++i)
    if (metas[i].dtype != TN_DTYPE_NONE)
      status = tn_tensor_copy(rets[i].u.tensor, apart[i].u.tensor);
  return status;
}

// A result that a provider defines is made by its kernel, which no given tensor can stand for.
tn_status check_provider_defined(const Frame& frame, uint32_t index) {
  if (frame.form == TN_FUNCTIONAL) return nullptr;
  return TN_ERROR(TN_NOT_IMPLEMENTED,
                  "%s: result %u is made by the kernel's provider, so only the functional form "
                  "exists",
                  frame.entry->name(), index + 1);
}

void mark_provider_defined(const Kernel& kernel, const tn_meta* metas, const tn_value* rets,
                           uint32_t nrets) {
  for (uint32_t i = 0; i < nrets; ++i)
    if (metas[i].flags & TN_META_PROVIDER_DEFINED && rets[i].tag == TN_TAG_TENSOR)
      restrict_to_provider(rets[i].u.tensor, kernel);
}

}  // namespace

tn_status structured_infer(Frame& frame, const tn_value* args, uint32_t nargs, tn_meta* metas,
                           uint32_t nrets) {
  for (uint32_t i = 0; i < nrets; ++i) {
    metas[i].device = frame.device;
    metas[i].dtype = TN_DTYPE_NONE;
    metas[i].layout = TN_STRIDED;
    metas[i].memory_format = TN_CONTIGUOUS;
    metas[i].has_strides = 0;
    metas[i].ndim = 0;
    metas[i].flags = 0;
  }
  const tn_op_desc& desc = frame.entry->desc;
  return desc.infer(&frame, desc.state, args, nargs, metas, nrets);
}

tn_status execute_structured(Frame& frame, const Cell& cell, const tn_value* args, uint32_t nargs,
                             tn_value* rets, uint32_t nrets) {
  if (nrets > kMaxResults)
    return TN_ERROR(TN_NOT_IMPLEMENTED, "%s: more than %u results", frame.entry->name(),
                    kMaxResults);
  tn_meta metas[kMaxResults];
  if (tn_status s = structured_infer(frame, args, nargs, metas, nrets)) return s;
  Fitting fitting = Fitting::none;
  const Kernel* kernel = nullptr;
  if (cell.has_data) {
    kernel = cell.first_takes_all;
    if (!kernel || frame.flags & TN_THREAD_DETERMINISTIC)
      kernel = choose_for_tensors(frame, cell, args, nargs, &fitting);
    // Arguments that are written cannot be replaced by copies.
    if (!kernel || (fitting != Fitting::none && frame.entry->writes_arguments))
      return execute_without_kernel(frame, cell, args, nargs, rets, nrets);
  }

  bool provider_defined = false;
  for (uint32_t i = 0; i < nrets; ++i) {
    if (metas[i].dtype == TN_DTYPE_NONE) {  // a result that this call does not have, or not yet
      if (metas[i].flags & TN_META_PROVIDER_DEFINED) {
        if (tn_status s = check_provider_defined(frame, i)) return s;
        provider_defined = true;
      }
      rets[i] = tn_value{};
      continue;
    }
    if (tn_status s = output_prepare(frame, metas[i], rets, i)) return s;
  }
  if (tn_status s = outputs_check_arguments(frame, args, nargs)) return s;
  if (!kernel) {
    outputs_written(frame, rets, nrets);
    return nullptr;
  }
  const bool updates_self = frame.entry->desc.flags & TN_OP_UPDATES_SELF;
  // The output of a row that updates self starts as self. A given one does so apart: the kernel may
  // still refuse, for an index that is out of range, and nothing has changed then.
  const bool starts_apart =
      updates_self && frame.form == TN_OUT && rets[0].u.tensor != args[0].u.tensor;
  if (updates_self && frame.form == TN_FUNCTIONAL)
    if (tn_status s = tn_tensor_copy(rets[0].u.tensor, args[0].u.tensor)) return s;

  const tn_value* used = args;
  tn_value fitted[64];
  OwnedValues copies;
  if (fitting != Fitting::none) {
    std::memcpy(fitted, args, nargs * sizeof(tn_value));
    if (tn_status s = fit_arguments(*kernel, fitting, fitted, nargs, copies)) return s;
    used = fitted;
  }
  // A kernel that was given wider inputs writes wider outputs, which are narrowed afterwards.
  const bool widened = fitting == Fitting::widened;
  if (widened)
    if (tn_status s = structured_infer(frame, used, nargs, metas, nrets)) return s;
  bool apart = widened || starts_apart;
  if (frame.form != TN_FUNCTIONAL) {
    const bool alias_safe = kernel->caps.flags & TN_CAP_ALIAS_SAFE || updates_self;
    for (uint32_t i = 0; i < nrets; ++i) {
      if (rets[i].tag != TN_TAG_TENSOR) continue;
      // A widened or contiguous-only kernel writes its own dtype and order, which a given output
      // may not have.
      apart |= metas[i].dtype != rets[i].u.tensor->dtype ||
               (kernel->caps.flags & TN_CAP_CONTIGUOUS &&
                !(rets[i].u.tensor->flags & TN_TENSOR_CONTIGUOUS)) ||
               (!alias_safe && shares_memory(used, nargs, rets[i].u.tensor));
    }
  }
  tn_status status = apart ? run_apart(frame, *kernel, used, nargs, metas, rets, nrets)
                           : run_kernel(frame, *kernel, used, nargs, rets, nrets);
  if (status) return status;
  if (provider_defined) mark_provider_defined(*kernel, metas, rets, nrets);
  outputs_written(frame, rets, nrets);
  return nullptr;
}

}  // namespace tenon
