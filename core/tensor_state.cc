// Views, shallow copies and what may change in a tensor after it was made.
#include <cstring>

#include "core/device.h"
#include "core/dtype.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/tensor.h"
#include "core/text.h"

namespace tenon {
namespace {

tn_status outside(const Tensor* base, int32_t ndim, const int64_t* sizes, const int64_t* strides,
                  int64_t offset) {
  return TN_ERROR(TN_INVALID_ARGUMENT,
                  "sizes %s with strides %s and storage offset %lld reach outside the storage of "
                  "%zu bytes of %s, or are negative",
                  SizesText(ndim, sizes).c_str(), SizesText(ndim, strides).c_str(),
                  static_cast<long long>(offset), core(base->storage)->nbytes,
                  TensorText(base).c_str());
}

// Whether the geometry lies inside the storage. `offset` in elements of `dtype` from the start.
tn_status check_inside(const Tensor* base, int32_t ndim, const int64_t* sizes,
                       const int64_t* strides, int64_t offset, tn_dtype dtype) {
  const int64_t element = dtype_size(dtype);
  if (element == 0) return TN_ERROR(TN_TYPE_ERROR, "dtype number %d does not exist", dtype);
  if (ndim < 0 || ndim > TN_MAX_DIMS)
    return TN_ERROR(TN_INVALID_ARGUMENT, "a tensor of rank %d; at most %d are possible", ndim,
                    TN_MAX_DIMS);
  const auto available = static_cast<int64_t>(core(base->storage)->nbytes) / element;
  int64_t last = offset, negative = offset;
  bool inside = offset <= available, empty = false;
  for (int d = 0; d < ndim; ++d) {
    negative |= sizes[d] | strides[d];
    empty |= sizes[d] == 0;
    int64_t reach = 0;
    // Within `available` so far, so the sum cannot overflow.
    inside &= !__builtin_mul_overflow(sizes[d] - 1, strides[d], &reach) && reach <= available;
    if (inside) last += reach;
    inside &= last <= available;
  }
  // An empty view may stand anywhere: x[1:1, 1:] of a row x starts behind its storage.
  const bool fits = empty ? offset <= INT64_MAX / element : inside && last < available;
  if (negative < 0 || !fits) return outside(base, ndim, sizes, strides, offset);
  return nullptr;
}

void set_geometry(Tensor* t, const int64_t* sizes, const int64_t* strides, int64_t offset) {
  for (int d = 0; d < t->dl.ndim; ++d) {
    t->dl.shape[d] = sizes[d];
    t->dl.strides[d] = strides[d];
  }
  char* start = static_cast<char*>(core(t->storage)->data);
  t->dl.data = start ? start + offset * static_cast<int64_t>(dtype_size(t->dtype)) : nullptr;
  tensor_update(t);
}

// Room for `ndim` extents; the old values are lost.
tn_status set_rank(Tensor* t, int32_t ndim) {
  if (ndim == t->dl.ndim) return nullptr;
  int64_t* shape = t->inline_shape;
  int64_t* strides = t->inline_strides;
  if (ndim > TN_INLINE_DIMS) {
    shape = static_cast<int64_t*>(memory_allocate(2 * static_cast<size_t>(ndim) * sizeof(int64_t)));
    if (!shape) return tn_status_out_of_memory();
    strides = shape + ndim;
  }
  if (t->dl.shape != t->inline_shape)
    memory_free(t->dl.shape, 2 * static_cast<size_t>(t->dl.ndim) * sizeof(int64_t));
  t->dl.shape = shape;
  t->dl.strides = strides;
  t->dl.ndim = ndim;
  return nullptr;
}

// Another tensor over the same storage and version, with the given geometry.
Tensor* sibling(Tensor* base, tn_dtype dtype, int32_t ndim, const int64_t* sizes,
                const int64_t* strides, int64_t offset) {
  Storage* storage = core(base->storage);
  Tensor* t = tensor_object(storage, dtype, ndim);
  if (!t) return nullptr;
  storage_retain(storage);
  t->version = base->version;
  if (t->version != &storage->version)
    t->version->references.fetch_add(1, std::memory_order_relaxed);
  set_geometry(t, sizes, strides, offset);
  t->flags |= base->flags & TN_TENSOR_INFERENCE;
  return t;
}

}  // namespace
// ---- the C functions, declared in the ABI's headers
// -----------------------------------------------

extern "C" {

TN_API int64_t tn_tensor_storage_offset(const tn_tensor* tensor) {
  const char* start = static_cast<const char*>(core(tensor->storage)->data);
  if (!start) return 0;
  return (static_cast<const char*>(tensor->dl.data) - start) / dtype_size(tensor->dtype);
}

TN_API uint64_t tn_tensor_version(const tn_tensor* tensor) {
  return core(tensor)->version->writes.load(std::memory_order_relaxed);
}

TN_API void tn_tensor_bump_version(tn_tensor* tensor) {
  core(tensor)->version->writes.fetch_add(1, std::memory_order_relaxed);
}

TN_API tn_tensor* tn_tensor_root(const tn_tensor* tensor) {
  return core(tensor)->root;
}

TN_API uint32_t tn_tensor_alias_flags(const tn_tensor* tensor) {
  return tensor->flags >> kAliasShift;
}

TN_API tn_status tn_tensor_view(tn_tensor* base, int32_t ndim, const int64_t* sizes,
                                const int64_t* strides, int64_t storage_offset, tn_dtype dtype,
                                uint32_t alias_flags, tn_tensor** out) {
  Tensor* b = core(base);
  if (tn_status s = check_inside(b, ndim, sizes, strides, storage_offset, dtype)) return s;
  Tensor* t = sibling(b, dtype, ndim, sizes, strides, storage_offset);
  if (!t) return tn_status_out_of_memory();
  if (thread_block.state.flags & TN_THREAD_NO_GRAD) alias_flags |= TN_ALIAS_NO_GRAD;
  // What a view of a restricted view may do is restricted too.
  // Tracked from the start: a write through the root or another view may bring gradients at any
  // time.
  t->flags |= TN_TENSOR_VIEW | TN_TENSOR_TRACKED | alias_flags << kAliasShift |
              (b->flags >> kAliasShift << kAliasShift);
  t->root = b->root ? b->root : b;
  tensor_retain(t->root);
  *out = t;
  return nullptr;
}

TN_API tn_status tn_tensor_shallow(tn_tensor* tensor, tn_tensor** out) {
  Tensor* t = core(tensor);
  Tensor* made = sibling(t, static_cast<tn_dtype>(t->dtype), t->dl.ndim, t->dl.shape, t->dl.strides,
                         tn_tensor_storage_offset(t));
  if (!made) return tn_status_out_of_memory();
  *out = made;
  return nullptr;
}

TN_API tn_status tn_tensor_restride(tn_tensor* tensor, int32_t ndim, const int64_t* sizes,
                                    const int64_t* strides, int64_t storage_offset) {
  Tensor* t = core(tensor);
  if (tn_status s =
          check_inside(t, ndim, sizes, strides, storage_offset, static_cast<tn_dtype>(t->dtype)))
    return s;
  int64_t new_sizes[TN_MAX_DIMS],
      new_strides[TN_MAX_DIMS];  // the arguments may be the tensor's own arrays
  std::memcpy(new_sizes, sizes, static_cast<size_t>(ndim) * sizeof(int64_t));
  std::memcpy(new_strides, strides, static_cast<size_t>(ndim) * sizeof(int64_t));
  if (tn_status s = set_rank(t, ndim)) return s;
  set_geometry(t, new_sizes, new_strides, storage_offset);
  return nullptr;
}

TN_API tn_status tn_tensor_resize(tn_tensor* tensor, int32_t ndim, const int64_t* sizes) {
  Tensor* t = core(tensor);
  tn_meta meta;
  meta.dtype = t->dtype;
  meta.ndim = ndim;
  meta.has_strides = 0;
  meta.memory_format = TN_CONTIGUOUS;
  if (ndim >= 0 && ndim <= TN_MAX_DIMS)
    std::memcpy(meta.sizes, sizes, static_cast<size_t>(ndim) * sizeof(int64_t));
  size_t nbytes = 0;
  if (tn_status s = meta_complete(&meta, &nbytes)) return s;
  const int64_t offset = tn_tensor_storage_offset(t);
  const size_t end = static_cast<size_t>(offset) * dtype_size(t->dtype) + nbytes;
  Storage* storage = core(t->storage);
  if (end > storage->nbytes) {
    if (storage->references.load(std::memory_order_relaxed) > 1)
      return TN_ERROR(TN_RUNTIME_ERROR,
                      "cannot resize %s to %s: its memory is shared with other tensors and too "
                      "small; clone it first",
                      TensorText(t).c_str(), SizesText(ndim, sizes).c_str());
    if (tn_status s = storage_grow(storage, end)) return s;
  }
  if (tn_status s = set_rank(t, ndim)) return s;
  set_geometry(t, meta.sizes, meta.strides, offset);
  return nullptr;
}

TN_API tn_status tn_tensor_set_data(tn_tensor* tensor, tn_tensor* source) {
  Tensor *t = core(tensor), *s = core(source);
  auto* version = static_cast<Version*>(memory_allocate(sizeof(Version)));
  if (!version) return tn_status_out_of_memory();
  new (version) Version;
  version->references.store(1, std::memory_order_relaxed);
  int64_t sizes[TN_MAX_DIMS], strides[TN_MAX_DIMS];
  std::memcpy(sizes, s->dl.shape, static_cast<size_t>(s->dl.ndim) * sizeof(int64_t));
  std::memcpy(strides, s->dl.strides, static_cast<size_t>(s->dl.ndim) * sizeof(int64_t));
  const int64_t offset = tn_tensor_storage_offset(s);
  if (tn_status status = set_rank(t, s->dl.ndim)) {
    memory_free(version, sizeof(Version));
    return status;
  }
  Storage *old_storage = core(t->storage), *storage = core(s->storage);
  Version* old_version = t->version;
  storage_retain(storage);
  t->storage = face(storage);
  t->version = version;
  t->dtype = s->dtype;
  t->layout = s->layout;
  t->dl.dtype = s->dl.dtype;
  t->dl.device = s->dl.device;
  set_geometry(t, sizes, strides, offset);
  tn_tensor_set_root(t, nullptr, 0);
  if (old_version != &old_storage->version &&
      old_version->references.fetch_sub(1, std::memory_order_acq_rel) == 1)
    memory_free(old_version, sizeof(Version));
  storage_release(old_storage);
  return nullptr;
}

TN_API void tn_tensor_set_layers(tn_tensor* tensor, uint64_t layers, int32_t on) {
  tensor->layers = on ? tensor->layers | layers : tensor->layers & ~layers;
}

TN_API void tn_tensor_set_flags(tn_tensor* tensor, uint32_t flags, int32_t on) {
  flags &= TN_TENSOR_TRACKED | TN_TENSOR_WRAPPED | TN_TENSOR_INFERENCE;
  tensor->flags = on ? tensor->flags | flags : tensor->flags & ~flags;
}

TN_API tn_status tn_tensor_set_root(tn_tensor* view, tn_tensor* root, uint32_t alias_flags) {
  Tensor* t = core(view);
  Tensor* r = root ? core(root) : nullptr;
  if (r && r->root) r = r->root;
  if (r == t)
    return TN_ERROR(TN_INVALID_ARGUMENT, "%s cannot be a view of itself", TensorText(t).c_str());
  if (r) tensor_retain(r);
  Tensor* old = t->root;
  t->root = r;
  t->flags &= ((uint32_t{1} << kAliasShift) - 1) & ~(TN_TENSOR_VIEW | TN_TENSOR_TRACKED);
  if (r) t->flags |= TN_TENSOR_VIEW | TN_TENSOR_TRACKED | alias_flags << kAliasShift;
  if (old) tensor_release(old);
  return nullptr;
}

}  // extern "C"

}  // namespace tenon
