// Tensors: the private half behind tn_tensor's public prefix.
#pragma once

#include <new>

#include <tenon/tensor.h>

#include "core/slots.h"
#include "core/storage.h"

namespace tenon {

// tn_tensor.flags above the public bits.
inline constexpr uint32_t kAliasShift = 24;  // TN_ALIAS_* of the alias record live here

// The alias record is `root` plus the tensor's own geometry: a view's geometry is what as_strided
// would replay.
struct Tensor : tn_tensor {
  int64_t inline_shape[TN_INLINE_DIMS];
  int64_t inline_strides[TN_INLINE_DIMS];
  Version* version;
  Tensor* root;  // owned; null when the tensor is no view
  std::atomic<Slots> slots;
};
static_assert(sizeof(Tensor) == 192, "three cache lines");

inline Tensor* core(tn_tensor* t) {
  return static_cast<Tensor*>(t);
}
inline const Tensor* core(const tn_tensor* t) {
  return static_cast<const Tensor*>(t);
}

inline constexpr uint64_t kOneStrong = 1;
inline constexpr uint64_t kOneWeak = uint64_t{1} << 32;

inline void tensor_retain(tn_tensor* t) {
  __atomic_fetch_add(&t->counts, kOneStrong, __ATOMIC_RELAXED);
}
void tensor_release_last(Tensor* t);
inline void tensor_release(tn_tensor* t) {
  // Held once and not weakly, nobody can take another reference: no locked decrement is needed.
  uint64_t seen = __atomic_load_n(&t->counts, __ATOMIC_ACQUIRE);
  while ((seen & (kOneWeak - 1)) > kOneStrong)
    if (__atomic_compare_exchange_n(&t->counts, &seen, seen - kOneStrong, true, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
      return;
  tensor_release_last(core(t));
}

// A tensor object over `storage`, whose reference it takes on success, with shape arrays of `ndim`
// entries to be filled and then finished by tensor_update. Null without memory.
Tensor* tensor_object(Storage* storage, tn_dtype dtype, int32_t ndim);

// Recomputes numel and the layout flags from shape and strides.
void tensor_update(Tensor* t);
// The layout flags alone, once it is known whether the strides are row-major.
void tensor_set_layout(Tensor* t, bool contiguous);

// Row-major strides; returns the product of the sizes (0 when one is 0).
int64_t contiguous_strides(int32_t ndim, const int64_t* sizes, int64_t* strides);
void channels_last_strides(const int64_t* sizes, int64_t* strides);

// Checks sizes, fills strides for a meta without them, and counts the bytes from the first element
// on.
tn_status meta_complete(tn_meta* meta, size_t* nbytes);

// As tn_tensor_empty, for a meta that is already complete.
tn_status tensor_allocate(const tn_meta& meta, size_t nbytes, Tensor** out);

// A new tensor with the sizes and strides of `t`, which is dense, but another dtype and device; put
// into `out`, which is empty.
tn_status tensor_allocate_like(const tn_tensor* t, tn_dtype dtype, tn_device device, tn_value* out);

inline void tensor_bump_version(tn_tensor* t) {
  core(t)->version->writes.fetch_add(1, std::memory_order_relaxed);
}

// Extent in elements that a geometry spans, first to last element inclusive; 0 when empty.
int64_t geometry_span(int32_t ndim, const int64_t* sizes, const int64_t* strides);

// What a call sees of the layers. A tracked view's own may be put on by another thread's call,
// which brings its history up to date; its root has them already, so either value is right.
inline uint64_t tensor_layers(const tn_tensor* t) {
  const uint64_t own = __atomic_load_n(&t->layers, __ATOMIC_RELAXED);
  return __builtin_expect(t->flags & TN_TENSOR_TRACKED, 0) && core(t)->root
             ? own | core(t)->root->layers
             : own;
}

}  // namespace tenon
