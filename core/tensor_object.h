// Making tensor objects, inlined into what every call that makes a tensor goes through.
#pragma once

#include "core/memory.h"
#include "core/tensor.h"

namespace tenon {

// The shape and stride arrays of a tensor of more than TN_INLINE_DIMS dimensions.
inline size_t extents_bytes(int32_t ndim) {
  return 2 * static_cast<size_t>(ndim) * sizeof(int64_t);
}

// As tensor_object, with the dtype in both forms and the cache that blocks may be taken from.
[[gnu::always_inline]] inline Tensor* tensor_object_inline(Storage* storage, tn_dtype dtype,
                                                           tn_dldtype dldtype, int32_t ndim,
                                                           ThreadCache* cache) {
  void* block = memory_allocate(sizeof(Tensor), cache);
  if (__builtin_expect(!block, 0)) return nullptr;
  Tensor* t = static_cast<Tensor*>(block);
  t->counts = kOneStrong;
  t->dl.device = storage->device;
  t->dl.ndim = ndim;
  t->dl.dtype = dldtype;
  t->dl.shape = t->inline_shape;
  t->dl.strides = t->inline_strides;
  t->dl.byte_offset = 0;
  if (__builtin_expect(ndim > TN_INLINE_DIMS, 0)) {
    auto* extents = static_cast<int64_t*>(memory_allocate(extents_bytes(ndim)));
    if (!extents) {
      memory_free(block, sizeof(Tensor));
      return nullptr;
    }
    t->dl.shape = extents;
    t->dl.strides = extents + ndim;
  }
  t->flags = 0;
  t->layout = TN_STRIDED;
  t->dtype = static_cast<uint16_t>(dtype);
  t->layers = 0;
  t->storage = face(storage);
  t->version = &storage->version;
  t->root = nullptr;
  t->slots.store(Slots(), std::memory_order_relaxed);
  if (__builtin_expect(!cache, 0)) cache = thread_cache();
  if (cache) count(cache->tensors, 1);
  return t;
}

}  // namespace tenon
