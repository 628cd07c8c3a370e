// Conversions that the core itself needs: through the operator bound to the role "copy", and raw
// bytes between devices.
#include <cstring>

#include "core/device.h"
#include "core/dtype.h"
#include "core/error.h"
#include "core/number.h"
#include "core/registry.h"
#include "core/restricted.h"
#include "core/tensor.h"
#include "core/text.h"
#include "core/thread.h"

namespace tenon {
namespace {

// Calls made here are the core's own business: no layer sees them.
class BelowLayers {
 public:
  BelowLayers() : level_(thread_block.state.level) { thread_block.state.level = kRestrictedBit; }
  ~BelowLayers() { thread_block.state.level = level_; }

 private:
  uint64_t level_;
};

void like(const tn_tensor* t, tn_dtype dtype, tn_device device, tn_memory_format format,
          tn_meta& meta) {
  meta.device = device;
  meta.dtype = static_cast<uint16_t>(dtype);
  meta.layout = t->layout;
  meta.ndim = t->dl.ndim;
  meta.flags = 0;
  meta.memory_format = static_cast<uint16_t>(format);
  std::memcpy(meta.sizes, t->dl.shape, static_cast<size_t>(meta.ndim) * sizeof(int64_t));
  meta.has_strides = format == TN_PRESERVE && t->flags & TN_TENSOR_DENSE;
  if (meta.has_strides)
    std::memcpy(meta.strides, t->dl.strides, static_cast<size_t>(meta.ndim) * sizeof(int64_t));
}

// The copy operator, on one device, below all layers.
tn_status copy_on_device(tn_tensor* target, tn_tensor* source) {
  const tn_op* op = nullptr;
  if (tn_status s = role_op(Role::copy, &op)) return s;
  tn_value args[2] = {};
  args[0].tag = args[1].tag = TN_TAG_TENSOR;
  args[0].u.tensor = target;
  args[1].u.tensor = source;
  BelowLayers scope;
  return tn_call(op, args, 2, nullptr, 0);
}

bool same_order(const tn_tensor* a, const tn_tensor* b) {
  return a->dl.ndim == b->dl.ndim &&
         std::memcmp(a->dl.shape, b->dl.shape, static_cast<size_t>(a->dl.ndim) * sizeof(int64_t)) ==
             0 &&
         std::memcmp(a->dl.strides, b->dl.strides,
                     static_cast<size_t>(a->dl.ndim) * sizeof(int64_t)) == 0;
}

// Bytes move between devices only between dense tensors of one dtype and order; the rest happens on
// either side.
tn_status copy_between(tn_tensor* target, tn_tensor* source) {
  for (const tn_tensor* t : {target, source})
    if (tn_status s = require_unrestricted("copy to another device", t)) return s;
  const size_t nbytes = static_cast<size_t>(source->numel) * dtype_size(source->dtype);
  if (target->dtype == source->dtype && same_order(target, source) &&
      source->flags & TN_TENSOR_DENSE) {
    tn_status s =
        device_copy(target->dl.device, target->dl.data, source->dl.device, source->dl.data, nbytes);
    if (!s) tn_tensor_bump_version(target);
    return s;
  }
  tn_tensor *dense = nullptr, *arrived = nullptr;
  if (tn_status s = tn_tensor_contiguous(source, TN_CONTIGUOUS, &dense)) return s;
  tn_meta meta;
  like(dense, static_cast<tn_dtype>(dense->dtype), target->dl.device, TN_CONTIGUOUS, meta);
  tn_status status = tn_tensor_empty(&meta, &arrived);
  if (!status)
    status =
        device_copy(arrived->dl.device, arrived->dl.data, dense->dl.device, dense->dl.data, nbytes);
  if (!status) status = copy_on_device(target, arrived);
  tn_tensor_release(arrived);
  tn_tensor_release(dense);
  return status;
}

tn_status converted(tn_tensor* t, const tn_meta& meta, tn_tensor** out) {
  tn_tensor* made = nullptr;
  if (tn_status s = tn_tensor_empty(&meta, &made)) return s;
  if (tn_status s = tn_tensor_copy(made, t)) {
    tn_tensor_release(made);
    return s;
  }
  *out = made;
  return nullptr;
}

tn_status itself(tn_tensor* t, tn_tensor** out) {
  tensor_retain(t);
  *out = t;
  return nullptr;
}

// A dense host tensor with t's elements, for reading.
tn_status on_host(tn_tensor* t, tn_tensor** out) {
  tn_device host;
  if (tn_status s = tn_device_host(&host)) return s;
  tn_tensor* there = nullptr;
  if (tn_status s = tn_tensor_to(t, host, static_cast<tn_dtype>(t->dtype), &there)) return s;
  tn_status status = tn_tensor_contiguous(there, TN_CONTIGUOUS, out);
  tn_tensor_release(there);
  return status;
}

tn_status check_bytes(const char* what, const tn_tensor* t, size_t nbytes) {
  const size_t needed = static_cast<size_t>(t->numel) * dtype_size(t->dtype);
  if (needed == nbytes) return nullptr;
  return TN_ERROR(TN_INVALID_ARGUMENT, "%s: %s has %zu bytes, the buffer %zu", what,
                  TensorText(t).c_str(), needed, nbytes);
}

bool read_directly(tn_dtype dtype) {
  return dtype != TN_F16 && dtype != TN_BF16 && dtype != TN_F8E4M3 && dtype != TN_F8E5M2;
}

}  // namespace
// ---- the C functions, declared in the ABI's headers
// -----------------------------------------------

extern "C" {

TN_API tn_status tn_tensor_contiguous(tn_tensor* tensor, tn_memory_format format, tn_tensor** out) {
  if (format < TN_CONTIGUOUS || format > TN_PRESERVE)
    return TN_ERROR(TN_INVALID_ARGUMENT,
                    "tn_tensor_contiguous: memory format %d is none of contiguous (0), channels "
                    "last (1) and preserve (2)",
                    static_cast<int>(format));
  const bool already = format == TN_PRESERVE ||
                       (format == TN_CONTIGUOUS && tensor->flags & TN_TENSOR_CONTIGUOUS) ||
                       (format == TN_CHANNELS_LAST && tensor->flags & TN_TENSOR_CHANNELS_LAST);
  if (already) return itself(tensor, out);
  tn_meta meta;
  like(tensor, static_cast<tn_dtype>(tensor->dtype), tensor->dl.device, format, meta);
  return converted(tensor, meta, out);
}

TN_API tn_status tn_tensor_cast(tn_tensor* tensor, tn_dtype dtype, tn_tensor** out) {
  return tn_tensor_to(tensor, tensor->dl.device, dtype, out);
}

TN_API tn_status tn_tensor_to(tn_tensor* tensor, tn_device device, tn_dtype dtype,
                              tn_tensor** out) {
  if (dtype_category(dtype) == Category::none)
    return TN_ERROR(TN_TYPE_ERROR, "dtype number %d does not exist", static_cast<int>(dtype));
  if (device.type == TN_DEVICE_NONE) device = tensor->dl.device;
  if (tn_status s = device_resolve(&device)) return s;
  if (device_same(device, tensor->dl.device) && dtype == tensor->dtype) return itself(tensor, out);
  tn_meta meta;
  like(tensor, dtype, device, TN_PRESERVE, meta);
  return converted(tensor, meta, out);
}

TN_API tn_status tn_tensor_copy(tn_tensor* target, tn_tensor* source) {
  return device_same(target->dl.device, source->dl.device) ? copy_on_device(target, source)
                                                           : copy_between(target, source);
}

TN_API tn_status tn_tensor_item(tn_tensor* tensor, tn_value* out) {
  if (tensor->numel != 1)
    return TN_ERROR(TN_RUNTIME_ERROR,
                    "item: %s has %lld elements; only a tensor with one element is a number",
                    TensorText(tensor).c_str(), static_cast<long long>(tensor->numel));
  if (tn_status s = require_unrestricted("number of one element", tensor)) return s;
  const auto dtype = static_cast<tn_dtype>(tensor->dtype);
  const bool host = tn_device_flags(tensor->dl.device.type) & TN_DEVICE_HOST;
  if (host && read_directly(dtype)) return number_load(tensor->dl.data, dtype, out);
  tn_tensor* there = nullptr;
  tn_device device;
  if (tn_status s = tn_device_host(&device)) return s;
  if (tn_status s = tn_tensor_to(tensor, device, read_directly(dtype) ? dtype : TN_F32, &there))
    return s;
  tn_status status = number_load(there->dl.data, static_cast<tn_dtype>(there->dtype), out);
  tn_tensor_release(there);
  return status;
}

TN_API tn_status tn_tensor_read(tn_tensor* tensor, void* buffer, size_t nbytes) {
  if (tn_status s = check_bytes("read", tensor, nbytes)) return s;
  if (tn_status s = require_unrestricted("read", tensor)) return s;
  tn_tensor* dense = nullptr;
  if (tn_status s = on_host(tensor, &dense)) return s;
  if (nbytes) std::memcpy(buffer, dense->dl.data, nbytes);
  tn_tensor_release(dense);
  return nullptr;
}

TN_API tn_status tn_tensor_write(tn_tensor* tensor, const void* buffer, size_t nbytes) {
  if (tn_status s = check_bytes("write", tensor, nbytes)) return s;
  if (tn_status s = require_unrestricted("write", tensor)) return s;
  const bool host = tn_device_flags(tensor->dl.device.type) & TN_DEVICE_HOST;
  if (host && tensor->flags & TN_TENSOR_CONTIGUOUS) {
    if (nbytes) std::memcpy(tensor->dl.data, buffer, nbytes);
    tn_tensor_bump_version(tensor);
    return nullptr;
  }
  tn_meta meta;
  tn_device device;
  if (tn_status s = tn_device_host(&device)) return s;
  like(tensor, static_cast<tn_dtype>(tensor->dtype), device, TN_CONTIGUOUS, meta);
  tn_tensor* source = nullptr;
  if (tn_status s = tn_tensor_from_memory(&meta, const_cast<void*>(buffer), nbytes, nullptr,
                                          nullptr, &source))
    return s;
  tn_status status = tn_tensor_copy(tensor, source);
  tn_tensor_release(source);
  return status;
}

}  // extern "C"

}  // namespace tenon
