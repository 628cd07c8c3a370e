#include "core/tensor.h"

#include <cstring>

#include "core/device.h"
#include "core/dtype.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/restricted.h"
#include "core/tensor_object.h"
#include "core/text.h"

namespace tenon {
namespace {

void free_object(Tensor* t) {
  if (ThreadCache* cache = thread_cache()) count(cache->tensors, -1);
  memory_free(t, sizeof(Tensor));
}

inline void version_release(Version* v) {
  if (__builtin_expect(v->references.load(std::memory_order_relaxed) == 0, 1))
    return;  // the storage's own
  if (v->references.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    v->~Version();
    memory_free(v, sizeof(Version));
  }
}

[[gnu::always_inline]] inline void release_parts(Tensor* t, ThreadCache* cache) {
  if (t->root) tensor_release(t->root);
  version_release(t->version);
  storage_release(core(t->storage), cache);
  if (__builtin_expect(t->dl.shape != t->inline_shape, 0))
    memory_free(t->dl.shape, extents_bytes(t->dl.ndim));
}

// Tears down what a dead tensor held. Tensors with slots that die by it are queued, not recursed
// into.
void destroy_contents(Tensor* t) {
  if (const Slots slots = t->slots.load(std::memory_order_acquire); !slots.empty())
    slots_destroy(slots);
  release_parts(t, memory_cache_to_give());
  if (__atomic_sub_fetch(&t->counts, kOneWeak, __ATOMIC_ACQ_REL) == 0) free_object(t);
}

// The last strong reference goes of a tensor that others hold weakly, or that has slots.
[[gnu::noinline]] void release_watched(Tensor* t) {
  if (const Slots slots = t->slots.load(std::memory_order_acquire); !slots.empty()) {
    if (slots_resurrect(slots, t)) {  // whoever kept it has its own reference; ours goes
      __atomic_fetch_sub(&t->counts, kOneStrong, __ATOMIC_ACQ_REL);
      return;
    }
  }
  // The strong reference becomes a weak one that keeps the object while its contents go.
  uint64_t seen = __atomic_load_n(&t->counts, __ATOMIC_ACQUIRE);
  for (;;) {
    if ((seen & (kOneWeak - 1)) > kOneStrong) {  // locked by a weak holder meanwhile
      if (__atomic_compare_exchange_n(&t->counts, &seen, seen - kOneStrong, true, __ATOMIC_ACQ_REL,
                                      __ATOMIC_ACQUIRE))
        return;
    } else if (seen == kOneStrong) {
      __atomic_store_n(&t->counts, kOneWeak, __ATOMIC_RELAXED);
      break;
    } else if (__atomic_compare_exchange_n(&t->counts, &seen, seen - kOneStrong + kOneWeak, true,
                                           __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
      break;
    }
  }
  if (t->slots.load(std::memory_order_acquire).empty())
    return destroy_contents(t);  // nothing that could release tensors without end
  // A chain of tensors that hold each other must not become a chain of stack frames.
  ThreadBlock& thread = thread_block;
  t->numel = static_cast<int64_t>(
      reinterpret_cast<intptr_t>(thread.dying));  // the metadata is not needed any more
  thread.dying = t;
  if (thread.releasing) return;
  thread.releasing = 1;
  while (Tensor* next = thread.dying) {
    thread.dying = reinterpret_cast<Tensor*>(static_cast<intptr_t>(next->numel));
    destroy_contents(next);
  }
  thread.releasing = 0;
}

// Contiguity of the dimensions in `order` (innermost last), ignoring those of size 1.
bool dense_in_order(const Tensor* t, const int* order) {
  int64_t expected = 1;
  for (int i = t->dl.ndim - 1; i >= 0; --i) {
    const int d = order ? order[i] : i;
    if (t->dl.shape[d] == 1) continue;
    if (t->dl.strides[d] != expected) return false;
    expected *= t->dl.shape[d];
  }
  return true;
}

bool dense_in_some_order(const Tensor* t) {
  int order[TN_MAX_DIMS];
  order[0] = 0;
  const int n = t->dl.ndim;
  for (int i = 1; i < n; ++i) {  // insertion sort by stride, largest first
    int at = i;
    for (; at > 0 && t->dl.strides[order[at - 1]] < t->dl.strides[i]; --at)
      order[at] = order[at - 1];
    order[at] = i;
  }
  return dense_in_order(t, order);
}

tn_status too_large(const tn_meta& meta) {
  return TN_ERROR(TN_INVALID_ARGUMENT, "sizes %s of %s need more bytes than 63 bits can count",
                  SizesText(meta.ndim, meta.sizes).c_str(),
                  tn_dtype_name(static_cast<tn_dtype>(meta.dtype)));
}

}  // namespace

Tensor* tensor_object(Storage* storage, tn_dtype dtype, int32_t ndim) {
  return tensor_object_inline(storage, dtype, dtype_dlpack(dtype), ndim, memory_cache_to_take());
}

void tensor_set_layout(Tensor* t, bool contiguous) {
  uint32_t flags = t->flags & ~(TN_TENSOR_CONTIGUOUS | TN_TENSOR_CHANNELS_LAST | TN_TENSOR_DENSE);
  if (contiguous || t->numel == 0)
    flags |= TN_TENSOR_CONTIGUOUS | TN_TENSOR_DENSE;
  else if (dense_in_some_order(t))
    flags |= TN_TENSOR_DENSE;
  if (t->dl.ndim == 4 && flags & TN_TENSOR_DENSE) {
    static constexpr int kNhwc[] = {0, 2, 3, 1};
    if (dense_in_order(t, kNhwc)) flags |= TN_TENSOR_CHANNELS_LAST;
  }
  t->flags = flags;
}

void tensor_update(Tensor* t) {
  int64_t numel = 1, expected = 1;
  bool contiguous = true;
  for (int d = t->dl.ndim - 1; d >= 0; --d) {
    const int64_t size = t->dl.shape[d];
    numel *= size;
    if (size == 1) continue;
    contiguous &= t->dl.strides[d] == expected;
    expected *= size;
  }
  t->numel = numel;
  tensor_set_layout(t, contiguous);
}

void tensor_release_last(Tensor* t) {
  // Most tensors die alone: nobody else holds them, and nothing is to be called.
  if (__builtin_expect(__atomic_load_n(&t->counts, __ATOMIC_ACQUIRE) != kOneStrong ||
                           !t->slots.load(std::memory_order_acquire).empty(),
                       0))
    return release_watched(t);
  ThreadCache* cache = memory_cache_to_give();
  release_parts(t, cache);  // a root among them is no view, so this goes no deeper than one level
  if (__builtin_expect(!cache, 0)) return free_object(t);
  count(cache->tensors, -1);
  memory_free(t, sizeof(Tensor), cache);
}

int64_t contiguous_strides(int32_t ndim, const int64_t* sizes, int64_t* strides) {
  int64_t step = 1, numel = 1;
  for (int d = ndim - 1; d >= 0; --d) {
    strides[d] = step;
    step *= sizes[d] > 1 ? sizes[d] : 1;
    numel *= sizes[d];
  }
  return numel;
}

void channels_last_strides(const int64_t* sizes, int64_t* strides) {
  int64_t step = 1;
  for (int d : {1, 3, 2, 0}) {
    strides[d] = step;
    step *= sizes[d] > 1 ? sizes[d] : 1;
  }
}

int64_t geometry_span(int32_t ndim, const int64_t* sizes, const int64_t* strides) {
  int64_t last = 0;
  for (int d = 0; d < ndim; ++d) {
    if (sizes[d] == 0) return 0;
    last += (sizes[d] - 1) * strides[d];
  }
  return last + 1;
}

tn_status meta_complete(tn_meta* meta, size_t* nbytes) {
  const uint32_t element = dtype_size(meta->dtype);
  if (element == 0) return TN_ERROR(TN_TYPE_ERROR, "dtype number %u does not exist", meta->dtype);
  if (meta->ndim < 0 || meta->ndim > TN_MAX_DIMS)
    return TN_ERROR(TN_INVALID_ARGUMENT, "a tensor of rank %d; at most %d are possible", meta->ndim,
                    TN_MAX_DIMS);
  // A size of 0 counts as 1: whoever multiplies sizes in any order, or strides without looking for
  // a 0, stays in range.
  int64_t numel = 1;
  bool overflow = false, empty = false;
  for (int d = 0; d < meta->ndim; ++d) {
    const int64_t size = meta->sizes[d];
    if (size < 0)
      return TN_ERROR(TN_INVALID_ARGUMENT, "negative size %lld in dimension %d of %s",
                      static_cast<long long>(size), d, SizesText(meta->ndim, meta->sizes).c_str());
    empty |= size == 0;
    if (size > 1) overflow |= __builtin_mul_overflow(numel, size, &numel);
  }
  if (overflow) return too_large(*meta);
  int64_t span = numel;
  if (!meta->has_strides) {
    if (meta->memory_format == TN_CHANNELS_LAST && meta->ndim == 4)
      channels_last_strides(meta->sizes, meta->strides);
    else
      contiguous_strides(meta->ndim, meta->sizes, meta->strides);
    meta->has_strides = 1;
  } else {
    int64_t last = 0;
    for (int d = 0; d < meta->ndim; ++d) {
      if (meta->strides[d] < 0)
        return TN_ERROR(TN_INVALID_ARGUMENT,
                        "negative stride %lld in dimension %d; strides are at least 0",
                        static_cast<long long>(meta->strides[d]), d);
      int64_t reach = 0;
      if (meta->sizes[d] > 1)
        overflow |= __builtin_mul_overflow(meta->sizes[d] - 1, meta->strides[d], &reach);
      overflow |= __builtin_add_overflow(last, reach, &last);
    }
    overflow |= __builtin_add_overflow(last, 1, &span);
  }
  if (empty) {
    *nbytes = 0;
    return nullptr;
  }
  int64_t bytes = 0;
  if (overflow || __builtin_mul_overflow(span, static_cast<int64_t>(element), &bytes))
    return too_large(*meta);
  *nbytes = static_cast<size_t>(bytes);
  return nullptr;
}

tn_status tensor_allocate(const tn_meta& meta, size_t nbytes, Tensor** out) {
  Storage* storage = nullptr;
  if (tn_status s = storage_create(meta.device, nbytes, &storage)) return s;
  Tensor* t = tensor_object(storage, static_cast<tn_dtype>(meta.dtype), meta.ndim);
  if (!t) {
    storage_release(storage);
    return tn_status_out_of_memory();
  }
  for (int d = 0; d < meta.ndim; ++d) {
    t->dl.shape[d] = meta.sizes[d];
    t->dl.strides[d] = meta.strides[d];
  }
  t->dl.data = storage->data;
  tensor_update(t);
  if (thread_block.state.flags & TN_THREAD_INFERENCE) t->flags |= TN_TENSOR_INFERENCE;
  *out = t;
  return nullptr;
}

tn_status tensor_allocate_like(const tn_tensor* like, tn_dtype dtype, tn_device device,
                               tn_value* out) {
  const tn_dldtype dldtype = dtype == like->dtype ? like->dl.dtype : dtype_dlpack(dtype);
  const size_t nbytes = static_cast<size_t>(like->numel) * (dldtype.bits / 8u);
  ThreadCache* cache = memory_cache_to_take();
  Storage* storage = storage_create_quickly(device, nbytes, cache);
  if (__builtin_expect(!storage, 0)) {
    Storage* made = nullptr;
    if (tn_status s = storage_create(device, nbytes, &made)) return s;
    storage = made;
  }
  Tensor* t = tensor_object_inline(storage, dtype, dldtype, like->dl.ndim, cache);
  if (__builtin_expect(!t, 0)) {
    storage_release(storage);
    return tn_status_out_of_memory();
  }
  if (__builtin_expect(like->dl.ndim <= TN_INLINE_DIMS, 1)) {  // side by side: no loop
    std::memcpy(t->inline_shape, core(like)->inline_shape, 2 * sizeof t->inline_shape);
  } else {
    std::memcpy(t->dl.shape, like->dl.shape, extents_bytes(like->dl.ndim));
  }
  t->dl.data = storage->data;
  t->numel = like->numel;
  t->flags = like->flags & (TN_TENSOR_CONTIGUOUS | TN_TENSOR_CHANNELS_LAST | TN_TENSOR_DENSE);
  if (thread_block.state.flags & TN_THREAD_INFERENCE) t->flags |= TN_TENSOR_INFERENCE;
  out->tag = TN_TAG_TENSOR;
  out->u.tensor = t;
  return nullptr;
}

// ---- the C functions, declared in the ABI's headers
// -----------------------------------------------

extern "C" {

TN_API tn_tensor* tn_tensor_retain(tn_tensor* tensor) {
  tensor_retain(tensor);
  return tensor;
}

TN_API void tn_tensor_release(tn_tensor* tensor) {
  if (tensor) tensor_release(tensor);
}

TN_API uint32_t tn_tensor_use_count(const tn_tensor* tensor) {
  return static_cast<uint32_t>(__atomic_load_n(&tensor->counts, __ATOMIC_RELAXED));
}

TN_API void tn_tensor_weak_retain(tn_tensor* tensor) {
  __atomic_fetch_add(&tensor->counts, kOneWeak, __ATOMIC_RELAXED);
}

TN_API void tn_tensor_weak_release(tn_tensor* tensor) {
  if (__atomic_sub_fetch(&tensor->counts, kOneWeak, __ATOMIC_ACQ_REL) == 0)
    free_object(core(tensor));
}

TN_API tn_tensor* tn_tensor_lock(tn_tensor* tensor) {
  uint64_t seen = __atomic_load_n(&tensor->counts, __ATOMIC_RELAXED);
  while ((seen & (kOneWeak - 1)) != 0)
    if (__atomic_compare_exchange_n(&tensor->counts, &seen, seen + kOneStrong, true,
                                    __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
      return tensor;
  return nullptr;
}

TN_API tn_status tn_tensor_empty(const tn_meta* meta, tn_tensor** out) {
  tn_meta full = *meta;
  size_t nbytes = 0;
  if (full.device.type == TN_DEVICE_NONE) {
    if (tn_status s = device_default(&full.device)) return s;
  } else if (tn_status s = device_resolve(&full.device)) {
    return s;
  }
  if (__builtin_expect(full.layout != TN_STRIDED, 0)) return tensor_without_memory(full, out);
  if (tn_status s = meta_complete(&full, &nbytes)) return s;
  Tensor* made = nullptr;
  if (tn_status s = tensor_allocate(full, nbytes, &made)) return s;
  *out = made;
  return nullptr;
}

TN_API tn_status tn_tensor_from_memory(const tn_meta* meta, void* data, size_t nbytes,
                                       void (*release)(void* context), void* context,
                                       tn_tensor** out) {
  tn_meta full = *meta;
  size_t needed = 0;
  if (full.device.type == TN_DEVICE_NONE) {
    if (tn_status s = tn_device_host(&full.device)) return s;
  } else if (tn_status s = device_resolve(&full.device)) {
    return s;
  }
  if (full.layout != TN_STRIDED)
    return TN_ERROR(TN_INVALID_ARGUMENT, "memory holds strided tensors, not layout %u",
                    full.layout);
  if (tn_status s = meta_complete(&full, &needed)) return s;
  if (needed > nbytes)
    return TN_ERROR(TN_INVALID_ARGUMENT, "%s%s needs %zu bytes, but the memory given has %zu",
                    tn_dtype_name(static_cast<tn_dtype>(full.dtype)),
                    SizesText(full.ndim, full.sizes).c_str(), needed, nbytes);
  if (needed && !data && !(tn_device_flags(full.device.type) & TN_DEVICE_NO_DATA))
    return TN_ERROR(TN_INVALID_ARGUMENT, "%s%s needs %zu bytes, but the memory given is null",
                    tn_dtype_name(static_cast<tn_dtype>(full.dtype)),
                    SizesText(full.ndim, full.sizes).c_str(), needed);
  Storage* storage = nullptr;
  if (tn_status s = storage_adopt(full.device, data, nbytes, nullptr, nullptr, &storage)) return s;
  Tensor* t = tensor_object(storage, static_cast<tn_dtype>(full.dtype), full.ndim);
  if (!t) {
    storage_release(storage);
    return tn_status_out_of_memory();
  }
  if (release) {  // from here on nothing fails, so the memory is ours to give back
    storage->release = release;
    storage->context = context;
  }
  std::memcpy(t->dl.shape, full.sizes, static_cast<size_t>(full.ndim) * sizeof(int64_t));
  std::memcpy(t->dl.strides, full.strides, static_cast<size_t>(full.ndim) * sizeof(int64_t));
  t->dl.data = data;
  tensor_update(t);
  *out = t;
  return nullptr;
}

}  // extern "C"

}  // namespace tenon
