#include "core/outputs.h"

#include <algorithm>
#include <cstring>

#include "core/call_tensors.h"
#include "core/error.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/tensor.h"
#include "core/text.h"

namespace tenon {
namespace {

bool same_sizes(const tn_tensor* t, const tn_meta& meta) {
  return t->dl.ndim == meta.ndim &&
         std::memcmp(t->dl.shape, meta.sizes, static_cast<size_t>(meta.ndim) * sizeof(int64_t)) ==
             0;
}

tn_status check_given(const Frame& frame, const tn_meta& meta, const tn_tensor* t) {
  const char* name = frame.entry->name();
  if (!device_same(t->dl.device, meta.device))
    return TN_ERROR(TN_RUNTIME_ERROR, "%s: the output %s is not on %s, where the call runs", name,
                    TensorText(t).c_str(), tn_device_name(meta.device.type));
  const auto from = static_cast<tn_dtype>(meta.dtype), to = static_cast<tn_dtype>(t->dtype);
  if (!tn_dtype_can_cast(from, to))
    return TN_ERROR(TN_TYPE_ERROR,
                    "%s: a result of dtype %s cannot be stored as %s, which is of a lower category",
                    name, tn_dtype_name(from), tn_dtype_name(to));
  return nullptr;
}

tn_status resize_given(Frame& frame, const tn_meta& meta, tn_tensor* t) {
  if (t->numel != 0)
    log_warning(
        "%s: the output %s is resized to %s; pass an empty tensor to say that this is wanted",
        frame.entry->name(), TensorText(t).c_str(), SizesText(meta.ndim, meta.sizes).c_str());
  auto* old = static_cast<Resized*>(memory_allocate(sizeof(Resized)));
  if (!old) return tn_status_out_of_memory();
  old->tensor = t;
  old->offset = tn_tensor_storage_offset(t);
  old->ndim = t->dl.ndim;
  std::copy_n(t->dl.shape, t->dl.ndim, old->sizes);
  std::copy_n(t->dl.strides, t->dl.ndim, old->strides);
  old->next = frame.resized;
  frame.resized = old;
  return tn_tensor_resize(t, meta.ndim, meta.sizes);
}

}  // namespace

tn_status output_no_tensor(const Operator& op, tn_form form, uint32_t index) {
  // A number may stand for a tensor that is read, not for the one written.
  if (form == TN_INPLACE)
    return TN_ERROR(TN_TYPE_ERROR,
                    "%s: the in-place form writes argument 1 (%s), which is no tensor", op.name(),
                    op.schema->args[0].name);
  return TN_ERROR(TN_TYPE_ERROR, "%s: out %u is no tensor", op.name(), index + 1);
}

tn_status outputs_check_distinct(const Operator& op, const tn_value* rets, uint32_t nrets) {
  for (uint32_t i = 1; i < nrets; ++i)
    for (uint32_t k = 0; k < i; ++k)
      if (rets[k].u.tensor == rets[i].u.tensor)
        return TN_ERROR(TN_INVALID_ARGUMENT, "%s: out %u and out %u are one tensor; give two",
                        op.name(), k + 1, i + 1);
  return nullptr;
}

tn_status output_prepare(Frame& frame, tn_meta& meta, tn_value* rets, uint32_t index) {
  tn_value& ret = rets[index];
  if (frame.form == TN_FUNCTIONAL) {
    size_t nbytes = 0;
    Tensor* made = nullptr;
    if (tn_status s = meta_complete(&meta, &nbytes)) return s;
    if (tn_status s = tensor_allocate(meta, nbytes, &made)) return s;
    ret = tn_value{};
    ret.tag = TN_TAG_TENSOR;
    ret.u.tensor = made;
    return nullptr;
  }
  tn_tensor* t = ret.u.tensor;
  if (tn_status s = check_given(frame, meta, t)) return s;
  if (!same_sizes(t, meta)) {
    if (frame.form == TN_INPLACE)
      return TN_ERROR(TN_INVALID_ARGUMENT,
                      "%s: the tensor written has sizes %s, but the result has %s",
                      frame.entry->name(), SizesText(t->dl.ndim, t->dl.shape).c_str(),
                      SizesText(meta.ndim, meta.sizes).c_str());
    if (tn_status s = resize_given(frame, meta, t)) return s;
  }
  return check_no_internal_overlap(frame, t);
}

tn_status outputs_take(Frame& frame, const tn_value* made, tn_value* rets, uint32_t nrets,
                       const tn_device* device) {
  const auto both = [&](uint32_t i) {
    return made[i].tag == TN_TAG_TENSOR && rets[i].tag == TN_TAG_TENSOR;
  };
  for (uint32_t i = 0; i < nrets; ++i) {
    if (!both(i)) continue;
    const tn_tensor* result = made[i].u.tensor;
    tn_meta meta;
    meta.device = device ? *device : result->dl.device;
    meta.dtype = result->dtype;
    meta.ndim = result->dl.ndim;
    std::memcpy(meta.sizes, result->dl.shape, static_cast<size_t>(meta.ndim) * sizeof(int64_t));
    if (tn_status s = output_prepare(frame, meta, rets, i)) return s;
  }
  for (uint32_t i = 0; i < nrets; ++i)
    if (both(i))
      if (tn_status s = tn_tensor_copy(rets[i].u.tensor, made[i].u.tensor)) return s;
  return nullptr;
}

tn_status resized_check_arguments(const Frame& frame, const tn_value* args, uint32_t nargs) {
  for (const Resized* old = frame.resized; old; old = old->next) {
    const auto other = [&](const tn_tensor* t, uint32_t) { return t != old->tensor; };
    if (all_tensors(args, nargs, other)) continue;
    return TN_ERROR(TN_INVALID_ARGUMENT,
                    "%s: the output, of sizes %s, is an argument too, so it cannot become %s; give "
                    "another tensor",
                    frame.entry->name(), SizesText(old->ndim, old->sizes).c_str(),
                    TensorText(old->tensor).c_str());
  }
  return nullptr;
}

void outputs_settle(Frame& frame, bool failed) {
  while (Resized* old = frame.resized) {
    frame.resized = old->next;
    // Memory only grew, so the old form fits. Without memory for its extents the new one stays.
    if (failed)
      tn_status_release(
          tn_tensor_restride(old->tensor, old->ndim, old->sizes, old->strides, old->offset));
    memory_free(old, sizeof(Resized));
  }
}

tn_status check_no_internal_overlap(const Frame& frame, const tn_tensor* t) {
  if (t->flags & TN_TENSOR_DENSE) return nullptr;
  for (int d = 0; d < t->dl.ndim; ++d)
    if (t->dl.shape[d] > 1 && t->dl.strides[d] == 0 && t->layout == TN_STRIDED)
      return TN_ERROR(TN_RUNTIME_ERROR,
                      "%s: elements of the tensor written, %s, share memory (it was expanded in "
                      "dimension %d); clone it "
                      "first",
                      frame.entry->name(), TensorText(t).c_str(), d);
  return nullptr;
}

Overlap overlap_of(const tn_tensor* a, const tn_tensor* b) {
  if (a == b) return Overlap::same;
  if (a->numel == 0 || b->numel == 0 || a->storage != b->storage) return Overlap::none;
  if (!a->dl.data) return Overlap::none;  // on a device without data
  const bool same_geometry =
      a->dl.data == b->dl.data && a->dtype == b->dtype && a->dl.ndim == b->dl.ndim &&
      std::memcmp(a->dl.shape, b->dl.shape, static_cast<size_t>(a->dl.ndim) * sizeof(int64_t)) ==
          0 &&
      std::memcmp(a->dl.strides, b->dl.strides,
                  static_cast<size_t>(a->dl.ndim) * sizeof(int64_t)) == 0;
  if (same_geometry) return Overlap::same;
  auto range = [](const tn_tensor* t, const char** begin, const char** end) {
    *begin = static_cast<const char*>(t->dl.data);
    *end = *begin + geometry_span(t->dl.ndim, t->dl.shape, t->dl.strides) * (t->dl.dtype.bits / 8);
  };
  const char *a0, *a1, *b0, *b1;
  range(a, &a0, &a1);
  range(b, &b0, &b1);
  if (a1 <= b0 || b1 <= a0) return Overlap::none;
  return a->flags & b->flags & TN_TENSOR_DENSE ? Overlap::partial : Overlap::unknown;
}

tn_status check_no_partial_overlap(const Frame& frame, const tn_tensor* written,
                                   const tn_tensor* input) {
  if (overlap_of(written, input) != Overlap::partial) return nullptr;
  return TN_ERROR(TN_RUNTIME_ERROR,
                  "%s: the tensor written, %s, and the input %s share part of their memory; clone "
                  "the input first",
                  frame.entry->name(), TensorText(written).c_str(), TensorText(input).c_str());
}

}  // namespace tenon
