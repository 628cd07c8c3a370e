#include "core/restricted.h"

#include <cstring>

#include "core/call_tensors.h"
#include "core/error.h"
#include "core/execute.h"
#include "core/guard.h"
#include "core/text.h"
#include "core/thread.h"

namespace tenon {
namespace {

uint32_t provider_of(const tn_tensor* t) {
  return (t->flags & kProviderMask) >> kProviderShift;
}

bool may_see(const Kernel& k, const tn_tensor* t) {
  return k.caps.layouts >> t->layout & 1 &&
         (!provider_of(t) || provider_of(t) == k.provider_number);
}

// Tensors that only some kernels may see are not for others to write.
tn_status check_outputs(const Frame& frame, const tn_value* rets, uint32_t nrets) {
  tn_status status = nullptr;
  if (frame.form == TN_OUT)
    all_tensors(rets, nrets, [&](const tn_tensor* t, uint32_t) {
      return !(status = require_unrestricted("the output", t));
    });
  return status;
}

// Names the first restricted argument. Null when there is none: a view may be ordinary while its
// root is not.
tn_status no_kernel_may_see(const Frame& frame, const tn_value* args, uint32_t nargs) {
  const Operator& op = *frame.entry;
  const tn_tensor* which = nullptr;
  uint32_t at = 0;
  all_tensors(args, nargs, [&](const tn_tensor* t, uint32_t i) {
    if (restricted(t)) which = t, at = i;
    return !which;
  });
  if (!which) return nullptr;
  const char* device = tn_device_name(frame.device.type);
  const char* name = op.schema->args[at].name;
  if (which->layout != TN_STRIDED)
    return TN_ERROR(TN_NOT_IMPLEMENTED,
                    "%s: %s is %s, and no kernel on %s takes that layout with these arguments",
                    op.name(), name, TensorText(which).c_str(), device);
  const std::string provider = provider_name(provider_of(which));
  return TN_ERROR(
      TN_NOT_IMPLEMENTED,
      "%s: the contents of %s, %s, are known to provider %s alone, which has no kernel "
      "for this call on %s; make it with the provider that shall use it ([providers] in "
      "tenon.toml)",
      op.name(), name, TensorText(which).c_str(), provider.c_str(), device);
}

// Results are made by the kernel, so only rows that write their arguments have another form.
tn_status check_form(const Frame& frame) {
  if (frame.form == TN_FUNCTIONAL || frame.entry->desc.flags & TN_OP_INPLACE_ONLY) return nullptr;
  return TN_ERROR(TN_NOT_IMPLEMENTED,
                  "%s: with a tensor that is not strided only the functional form exists",
                  frame.entry->name());
}

}  // namespace

tn_status tensor_without_memory(const tn_meta& meta, tn_tensor** out) {
  if (meta.layout >= 32)
    return TN_ERROR(TN_INVALID_ARGUMENT, "layout number %u does not exist", meta.layout);
  tn_meta full = meta;
  size_t nbytes = 0;
  full.has_strides = 0;
  if (tn_status s = meta_complete(&full, &nbytes)) return s;
  Storage* storage = nullptr;
  if (tn_status s = storage_adopt(meta.device, nullptr, 0, nullptr, nullptr, &storage)) return s;
  Tensor* t = tensor_object(storage, static_cast<tn_dtype>(meta.dtype), meta.ndim);
  if (!t) {
    storage_release(storage);
    return tn_status_out_of_memory();
  }
  t->dl.data = nullptr;
  t->numel = 1;
  for (int d = 0; d < meta.ndim; ++d) {
    t->dl.shape[d] = meta.sizes[d];
    t->dl.strides[d] = 0;
    t->numel *= meta.sizes[d];
  }
  t->layout = meta.layout;
  t->layers = kRestrictedBit;
  if (thread_block.state.flags & TN_THREAD_INFERENCE) t->flags |= TN_TENSOR_INFERENCE;
  *out = t;
  return nullptr;
}

void restrict_to_provider(tn_tensor* t, const Kernel& kernel) {
  t->flags = (t->flags & ~kProviderMask) | kernel.provider_number << kProviderShift;
  t->layers |= kRestrictedBit;
}

void restrict_alike(Tensor* t, const Tensor* from) {
  t->layers = (t->layers & ~kRestrictedBit) | (restricted(from) ? kRestrictedBit : 0);
  t->flags = (t->flags & ~kProviderMask) | (from->flags & kProviderMask);
  t->layout = from->layout;
  if (t->layout != TN_STRIDED)
    t->flags &= ~(TN_TENSOR_CONTIGUOUS | TN_TENSOR_CHANNELS_LAST | TN_TENSOR_DENSE);
}

tn_status require_unrestricted(const char* what, const tn_tensor* t) {
  if (!restricted(t)) return nullptr;
  const std::string who =
      t->layout != TN_STRIDED ? "its maker" : "provider " + provider_name(provider_of(t));
  return TN_ERROR(TN_NOT_IMPLEMENTED, "%s: the contents of %s are known to %s alone", what,
                  TensorText(t).c_str(), who.c_str());
}

bool all_strided(const tn_value* values, uint32_t count) {
  return all_tensors(values, count,
                     [](const tn_tensor* t, uint32_t) { return t->layout == TN_STRIDED; });
}

std::vector<const Kernel*> kernels_that_may_see(const Cell& cell, const tn_value* values,
                                                uint32_t count) {
  std::vector<const Kernel*> kernels;
  for (const Kernel* k : cell.all)
    if (all_tensors(values, count, [&](const tn_tensor* t, uint32_t) { return may_see(*k, t); }))
      kernels.push_back(k);
  return kernels;
}

tn_status execute_restricted(Frame& frame, const tn_value* args, uint32_t nargs, tn_value* rets,
                             uint32_t nrets) {
  return guard([&]() -> tn_status {
    Operator& op = *frame.entry;
    const tn_device_vtable* table = nullptr;
    const Cell* whole = nullptr;
    if (tn_status s = device_require(frame.device.type, &table)) return s;
    if (tn_status s = cell_for(op, frame.device.type, &whole)) return s;
    if (tn_status s = check_outputs(frame, rets, nrets)) return s;
    Cell cell;
    cell.has_data = whole->has_data;
    cell.candidates = kernels_that_may_see(*whole, args, nargs);
    if (cell.candidates.empty()) {
      if (op.desc.decomposition) return execute_decomposition(frame, args, nargs, rets, nrets);
      if (tn_status s = no_kernel_may_see(frame, args, nargs)) return s;
    }
    if (tn_status s = check_tie(op, cell, tn_device_name(frame.device.type))) return s;
    uint32_t kind = op.desc.kind;
    if (!all_strided(args, nargs)) {
      if (tn_status s = check_form(frame)) return s;
      kind = TN_KIND_DIRECT;
    }
    const Executor run = executor(static_cast<tn_op_kind>(kind), op.writes_arguments);
    return run(frame, cell, args, nargs, rets, nrets);
  });
}

}  // namespace tenon
