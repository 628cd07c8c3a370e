// What may change in a tensor after it was made.
#include <algorithm>
#include <cstring>

#include "core/device.h"
#include "core/dtype.h"
#include "core/error.h"
#include "core/geometry.h"
#include "core/restricted.h"
#include "core/tensor_object.h"
#include "core/text.h"

namespace tenon {
namespace {

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
    shape = static_cast<int64_t*>(memory_allocate(extents_bytes(ndim)));
    if (!shape) return tn_status_out_of_memory();
    strides = shape + ndim;
  }
  if (t->dl.shape != t->inline_shape) memory_free(t->dl.shape, extents_bytes(t->dl.ndim));
  t->dl.shape = shape;
  t->dl.strides = strides;
  t->dl.ndim = ndim;
  return nullptr;
}

}  // namespace
// ---- the C functions, declared in the ABI's headers
// -----------------------------------------------

extern "C" {

TN_API int64_t tn_tensor_storage_offset(const tn_tensor* tensor) {
  const char* start = static_cast<const char*>(core(tensor->storage)->data);
  if (!start) return 0;
  // Element sizes are powers of two.
  return (static_cast<const char*>(tensor->dl.data) - start) >>
         (__builtin_ctz(tensor->dl.dtype.bits) - 3);
}

TN_API uint64_t tn_tensor_version(const tn_tensor* tensor) {
  return core(tensor)->version->writes.load(std::memory_order_relaxed);
}

TN_API void tn_tensor_bump_version(tn_tensor* tensor) {
  tensor_bump_version(tensor);
}

TN_API tn_tensor* tn_tensor_root(const tn_tensor* tensor) {
  return core(tensor)->root;
}

TN_API uint32_t tn_tensor_alias_flags(const tn_tensor* tensor) {
  return tensor->flags >> kAliasShift;
}

TN_API tn_status tn_tensor_restride(tn_tensor* tensor, int32_t ndim, const int64_t* sizes,
                                    const int64_t* strides, int64_t storage_offset) {
  Tensor* t = core(tensor);
  if (tn_status s = require_unrestricted("restride", t)) return s;
  if (ndim < 0 || ndim > TN_MAX_DIMS)
    return TN_ERROR(TN_INVALID_ARGUMENT, "a tensor of rank %d; at most %d are possible", ndim,
                    TN_MAX_DIMS);
  // Copies, since the arguments may be the tensor's own arrays.
  int64_t new_sizes[TN_MAX_DIMS], new_strides[TN_MAX_DIMS];
  const Geometry g = geometry_copy(ndim, sizes, strides, storage_offset, core(t->storage)->nbytes,
                                   __builtin_ctz(t->dl.dtype.bits) - 3, new_sizes, new_strides);
  if (!g.inside) return geometry_outside(t, ndim, sizes, strides, storage_offset);
  if (tn_status s = set_rank(t, ndim)) return s;
  set_geometry(t, new_sizes, new_strides, storage_offset);
  return nullptr;
}

TN_API tn_status tn_tensor_resize(tn_tensor* tensor, int32_t ndim, const int64_t* sizes) {
  Tensor* t = core(tensor);
  if (tn_status s = require_unrestricted("resize", t)) return s;
  tn_meta meta;
  meta.dtype = t->dtype;
  meta.ndim = ndim;
  meta.has_strides = 0;
  meta.memory_format = TN_CONTIGUOUS;
  if (ndim >= 0 && ndim <= TN_MAX_DIMS)
    std::copy_n(sizes, ndim, meta.sizes);  // of none, `sizes` may be null
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
  t->dl.dtype = s->dl.dtype;
  t->dl.device = s->dl.device;
  set_geometry(t, sizes, strides, offset);
  restrict_alike(t, s);
  tn_tensor_set_root(t, nullptr, 0);
  if (old_version != &old_storage->version &&
      old_version->references.fetch_sub(1, std::memory_order_acq_rel) == 1)
    memory_free(old_version, sizeof(Version));
  storage_release(old_storage);
  return nullptr;
}

TN_API void tn_tensor_set_layers(tn_tensor* tensor, uint64_t layers, int32_t on) {
  layers &= ~kRestrictedBit;  // the core's own
  const uint64_t changed = on ? tensor->layers | layers : tensor->layers & ~layers;
  __atomic_store_n(&tensor->layers, changed, __ATOMIC_RELAXED);  // see tensor_layers
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
