// Exchange with other frameworks through DLPack 1.x.
#include <cstring>
#include <memory>

#include "core/dtype.h"
#include "core/error.h"
#include "core/guard.h"
#include "core/restricted.h"
#include "core/tensor.h"
#include "core/text.h"

namespace tenon {
namespace {

// DLPack's structs under our own names: layout as in dlpack.h, version 1.
struct DlManagedTensor {
  uint32_t major, minor;
  void* manager_context;
  void (*deleter)(DlManagedTensor* self);
  uint64_t flags;
  tn_dltensor tensor;
};

void release_export(DlManagedTensor* managed) {
  tn_tensor_release(static_cast<tn_tensor*>(managed->manager_context));
  delete managed;
}

void release_import(void* context) {
  auto* managed = static_cast<DlManagedTensor*>(context);
  if (managed->deleter) managed->deleter(managed);
}

}  // namespace
// ---- the C functions, declared in the ABI's headers
// -----------------------------------------------

extern "C" {

TN_API tn_status tn_tensor_to_dlpack(tn_tensor* tensor, void** managed) {
  return guard([&]() -> tn_status {
    if (tn_status s = require_unrestricted("to_dlpack", tensor)) return s;
    if (tensor->dl.device.type >= TN_DEVICE_TYPE_FIRST)
      return TN_ERROR(TN_NOT_IMPLEMENTED,
                      "to_dlpack: %s is on a device that DLPack has no number for; move it with "
                      "to(device)",
                      TensorText(tensor).c_str());
    auto made = std::make_unique<DlManagedTensor>();
    made->major = 1;
    made->minor = 0;
    made->manager_context = tensor;
    made->deleter = release_export;
    made->flags = 0;
    made->tensor = tensor->dl;
    tensor_retain(tensor);
    *managed = made.release();
    return nullptr;
  });
}

TN_API tn_status tn_tensor_from_dlpack(void* pointer, tn_tensor** out) {
  auto* managed = static_cast<DlManagedTensor*>(pointer);
  if (managed->major != 1)
    return TN_ERROR(TN_INCOMPATIBLE, "a DLPack tensor of version %u.%u; this release reads 1.x",
                    managed->major, managed->minor);
  const tn_dltensor& dl = managed->tensor;
  const tn_dtype dtype = dtype_from_dlpack(dl.dtype.code, dl.dtype.bits);
  if (dtype == TN_DTYPE_NONE || dl.dtype.lanes != 1)
    return TN_ERROR(TN_TYPE_ERROR,
                    "a DLPack tensor of type code %u with %u bits and %u lanes has no dtype here",
                    dl.dtype.code, dl.dtype.bits, dl.dtype.lanes);
  if (dl.ndim < 0 || dl.ndim > TN_MAX_DIMS)
    return TN_ERROR(TN_INVALID_ARGUMENT, "a DLPack tensor of rank %d; at most %d are possible",
                    dl.ndim, TN_MAX_DIMS);
  if (dl.ndim > 0 && !dl.shape)
    return TN_ERROR(TN_INVALID_ARGUMENT, "a DLPack tensor of rank %d without a shape", dl.ndim);
  // What stands for the host elsewhere, or for a device that only this process knows.
  if (dl.device.type == TN_DEVICE_NONE || dl.device.type >= TN_DEVICE_TYPE_FIRST)
    return TN_ERROR(TN_INVALID_ARGUMENT, "a DLPack tensor of device type %d, which DLPack has not",
                    dl.device.type);
  tn_meta meta;
  meta.device = dl.device;
  meta.dtype = static_cast<uint16_t>(dtype);
  meta.layout = TN_STRIDED;
  meta.memory_format = TN_CONTIGUOUS;
  meta.flags = 0;
  meta.ndim = dl.ndim;
  meta.has_strides = dl.strides != nullptr;
  for (int d = 0; d < dl.ndim; ++d) {
    meta.sizes[d] = dl.shape[d];
    if (dl.strides) meta.strides[d] = dl.strides[d];
  }
  size_t nbytes = 0;
  if (tn_status s = meta_complete(&meta, &nbytes)) return s;
  // Without elements it may come without memory.
  char* data = dl.data ? static_cast<char*>(dl.data) + dl.byte_offset : nullptr;
  const uint32_t alignment = dtype_size(dtype_real(dtype));
  if (nbytes && reinterpret_cast<uintptr_t>(data) % alignment)
    return TN_ERROR(TN_INVALID_ARGUMENT,
                    "a DLPack tensor of %s whose data are not aligned to %u bytes; copy it first",
                    tn_dtype_name(dtype), alignment);
  return tn_tensor_from_memory(&meta, data, nbytes, release_import, managed, out);
}

}  // extern "C"

}  // namespace tenon
