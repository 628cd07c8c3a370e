// Tensors that show the memory of another one: views, which remember it, and shallow copies, which
// do not.
#include <cstring>

#include "core/dtype.h"
#include "core/error.h"
#include "core/geometry.h"
#include "core/restricted.h"
#include "core/tensor_object.h"
#include "core/text.h"

namespace tenon {
namespace {

// Another tensor over the storage and version of `base`, without a geometry yet.
inline Tensor* sibling(Tensor* base, tn_dtype dtype, tn_dldtype dldtype, int32_t ndim) {
  Storage* storage = core(base->storage);
  Tensor* t = tensor_object_inline(storage, dtype, dldtype, ndim, memory_cache_to_take());
  if (__builtin_expect(!t, 0)) return nullptr;
  storage_retain(storage);
  if (__builtin_expect(base->version != &storage->version, 0)) {
    t->version = base->version;
    t->version->references.fetch_add(1, std::memory_order_relaxed);
  }
  t->flags = base->flags & (TN_TENSOR_INFERENCE | kProviderMask);
  return t;
}

tn_status bad_view(tn_dtype dtype, int32_t ndim) {
  if (dtype_size(dtype) == 0)
    return TN_ERROR(TN_TYPE_ERROR, "dtype number %d does not exist", dtype);
  return TN_ERROR(TN_INVALID_ARGUMENT, "a tensor of rank %d; at most %d are possible", ndim,
                  TN_MAX_DIMS);
}

}  // namespace

tn_status geometry_outside(const Tensor* base, int32_t ndim, const int64_t* sizes,
                           const int64_t* strides, int64_t offset) {
  return TN_ERROR(TN_INVALID_ARGUMENT,
                  "sizes %s with strides %s and storage offset %lld reach outside the storage of "
                  "%zu bytes of %s, are negative, or count more elements than 63 bits can",
                  SizesText(ndim, sizes).c_str(), SizesText(ndim, strides).c_str(),
                  static_cast<long long>(offset), core(base->storage)->nbytes,
                  TensorText(base).c_str());
}

// ---- the C functions, declared in the ABI's headers
// -----------------------------------------------

extern "C" {

TN_API tn_status tn_tensor_view(tn_tensor* base, int32_t ndim, const int64_t* sizes,
                                const int64_t* strides, int64_t storage_offset, tn_dtype dtype,
                                uint32_t alias_flags, tn_tensor** out) {
  Tensor* b = core(base);
  const tn_dldtype dldtype = dtype == b->dtype ? b->dl.dtype : dtype_dlpack(dtype);
  if (__builtin_expect(dldtype.bits == 0 || ndim < 0 || ndim > TN_MAX_DIMS, 0))
    return bad_view(dtype, ndim);
  Tensor* t = sibling(b, dtype, dldtype, ndim);
  if (__builtin_expect(!t, 0)) return tn_status_out_of_memory();
  const Storage* storage = core(b->storage);
  const int log2_element = __builtin_ctz(dldtype.bits) - 3;
  const Geometry g = geometry_copy(ndim, sizes, strides, storage_offset, storage->nbytes,
                                   log2_element, t->dl.shape, t->dl.strides);
  if (__builtin_expect(!g.inside, 0)) {
    tn_status status = geometry_outside(b, ndim, sizes, strides, storage_offset);
    tensor_release(t);
    return status;
  }
  char* start = static_cast<char*>(storage->data);
  t->dl.data = start ? start + (storage_offset << log2_element) : nullptr;
  t->numel = g.numel;
  if (__builtin_expect(g.contiguous && ndim != 4, 1))
    t->flags |= TN_TENSOR_CONTIGUOUS | TN_TENSOR_DENSE;
  else
    tensor_set_layout(t, g.contiguous);
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
  Tensor* s = core(tensor);
  const int32_t ndim = s->dl.ndim;
  Tensor* t = sibling(s, static_cast<tn_dtype>(s->dtype), s->dl.dtype, ndim);
  if (!t) return tn_status_out_of_memory();
  for (int d = 0; d < ndim; ++d) {
    t->dl.shape[d] = s->dl.shape[d];
    t->dl.strides[d] = s->dl.strides[d];
  }
  t->dl.data = s->dl.data;
  t->numel = s->numel;
  t->flags |= s->flags & (TN_TENSOR_CONTIGUOUS | TN_TENSOR_CHANNELS_LAST | TN_TENSOR_DENSE);
  if (__builtin_expect(s->layers & kRestrictedBit, 0)) restrict_alike(t, s);
  *out = t;
  return nullptr;
}

}  // extern "C"

}  // namespace tenon
