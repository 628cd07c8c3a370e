// Operators that show where a call runs, who serves it and what its results may be.
#include <cstring>

#include "fake_plugin.h"

namespace fake {
namespace {

constexpr uint64_t kF32 = TN_DTYPE_BIT(TN_F32);

tn_status wrong(tn_frame* frame, const char* what) {
  return frame->host->status_make(TN_INTERNAL, "fake", 0, "", 0, "%s", what);
}

float* floats(const tn_value& v) {
  return static_cast<float*>(v.u.tensor->dl.data);
}

// fake::sized(size, device): ones.
tn_status sized_infer(tn_frame*, void*, const tn_value* args, uint32_t, tn_meta* out, uint32_t) {
  out->dtype = TN_F32;
  out->ndim = static_cast<int32_t>(args[0].len);
  for (uint32_t d = 0; d < args[0].len; ++d) {
    const tn::dim size = args[0].u.ints[d];
    out->sizes[d] = size;
  }
  return nullptr;
}
tn_status sized(tn_frame* frame, void*, const tn_value*, uint32_t, tn_value* rets, uint32_t) {
  if (tn_status s = begin(frame, tn::api->device_name(frame->device.type))) return s;
  for (int64_t i = 0; i < rets[0].u.tensor->numel; ++i) floats(rets[0])[i] = 1;
  return nullptr;
}

// fake::pick(self, index) = self[index], on self's device.
tn_status pick_infer(tn_frame*, void*, const tn_value*, uint32_t, tn_meta* out, uint32_t) {
  out->dtype = TN_F32;
  return nullptr;
}
tn_status pick(tn_frame* frame, void*, const tn_value* args, uint32_t, tn_value* rets, uint32_t) {
  if (tn_status s = begin(frame, tn::api->device_name(frame->device.type))) return s;
  if (args[1].u.tensor->dl.device.type != frame->device.type)
    return wrong(frame, "the index lives elsewhere");
  floats(rets[0])[0] = floats(args[0])[*static_cast<const int64_t*>(args[1].u.tensor->dl.data)];
  return nullptr;
}

// fake::anywhere(x, y): the device type of the call. Tensors may live anywhere.
tn_status anywhere(tn_frame* frame, void*, const tn_value*, uint32_t, tn_value* rets, uint32_t) {
  rets[0].tag = TN_TAG_INT;
  rets[0].u.i = frame->device.type;
  return nullptr;
}

// fake::choosy(x): x, by whoever takes it.
tn_status choosy(tn_frame* frame, void* state, const tn_value* args, uint32_t, tn_value* rets,
                 uint32_t) {
  if (tn_status s = begin(frame, static_cast<const char*>(state))) return s;
  return frame->host->tensor_copy(rets[0].u.tensor, args[0].u.tensor);
}

// fake::positive(x): as many elements as are above zero.
tn_status positive(tn_frame* frame, void*, const tn_value* args, uint32_t, tn_value* rets,
                   uint32_t) {
  tn_meta meta{};
  meta.device = frame->device;
  meta.dtype = TN_F32;
  meta.ndim = 1;
  for (int64_t i = 0; i < args[0].u.tensor->numel; ++i) meta.sizes[0] += floats(args[0])[i] > 0;
  rets[0].tag = TN_TAG_TENSOR;
  if (tn_status s = frame->host->tensor_empty(&meta, &rets[0].u.tensor)) {
    rets[0].tag = TN_TAG_NONE;
    return s;
  }
  int64_t at = 0;
  for (int64_t i = 0; i < args[0].u.tensor->numel; ++i)
    if (floats(args[0])[i] > 0) floats(rets[0])[at++] = floats(args[0])[i];
  return nullptr;
}

// fake::composed(x) = 4x: a decomposition, and a provider who knows better.
tn_status composed(tn_frame* frame, void*, const tn_value* args, uint32_t, tn_value* rets,
                   uint32_t) {
  if (tn_status s = begin(frame, "composed")) return s;
  tn_meta meta{};
  meta.device = frame->device;
  meta.dtype = TN_F32;
  meta.ndim = 1;
  meta.sizes[0] = args[0].u.tensor->numel;
  if (tn_status s = frame->host->tensor_empty(&meta, &rets[0].u.tensor)) return s;
  rets[0].tag = TN_TAG_TENSOR;
  for (int64_t i = 0; i < meta.sizes[0]; ++i) floats(rets[0])[i] = 4 * floats(args[0])[i];
  return nullptr;
}

// fake::versioned(x): 1 from here, 2 from the plugin "late".
tn_status versioned(tn_frame* frame, void*, const tn_value*, uint32_t, tn_value* rets, uint32_t) {
  if (control.load_late)
    if (tn_status s = frame->host->plugin_load("late")) return s;
  if (tn_status s = begin(frame, "fake")) return s;
  floats(rets[0])[0] = 1;
  return nullptr;
}

}  // namespace

void register_placed(tn_plugin* plugin) {
  const auto structured = TN_KIND_STRUCTURED;
  const auto common = TN_PROMOTE_COMMON;
  op(plugin, "fake::sized(int[] size, *, Device? device=None) -> Tensor", structured, common, 0,
     sized_infer, nullptr, TN_DEVICE_ARGUMENT);
  op(plugin, "fake::pick(Tensor self, Tensor index) -> Tensor", structured, common, 0, pick_infer,
     nullptr, TN_DEVICE_OF_FIRST);
  for (const char* device : {"fakehost", "fakedev"}) {
    kernel(plugin, "fake::sized", device, sized, 0, 0);
    kernel(plugin, "fake::pick", device, pick, TN_CAP_CONTIGUOUS, 0);
  }
  op(plugin, "fake::anywhere(Tensor x, Tensor y) -> int", TN_KIND_DIRECT, common, TN_OP_NO_OUT,
     nullptr, nullptr, TN_DEVICE_ANY);
  kernel(plugin, "fake::anywhere", TN_ANY_DEVICE, anywhere, 0, 0);
  op(plugin, "fake::choosy(Tensor self) -> Tensor", structured, common, 0, same_infer);
  kernel(plugin, "fake::choosy", "fakehost", choosy, TN_CAP_CONTIGUOUS, kF32, "packed");
  kernel(plugin, "fake::choosy", "fakehost", choosy, 0, kF32, "strided");
  op(plugin, "fake::positive(Tensor self) -> Tensor", TN_KIND_DIRECT, common,
     TN_OP_NO_OUT | TN_OP_DATA_DEPENDENT);
  kernel(plugin, "fake::positive", "fakehost", positive, TN_CAP_CONTIGUOUS, kF32);
  op(plugin, "fake::composed(Tensor self) -> Tensor", TN_KIND_COMPOSITE, common, TN_OP_NO_OUT,
     nullptr, quadruple);
  kernel(plugin, "fake::composed", "fakehost", composed, TN_CAP_CONTIGUOUS, kF32);
  op(plugin, "fake::composed_recorded(Tensor self) -> Tensor", TN_KIND_COMPOSITE, common,
     TN_OP_NO_OUT, nullptr, quadruple);
  kernel(plugin, "fake::composed_recorded", "fakehost", composed, TN_CAP_CONTIGUOUS, kF32);
  // Facts of an operator, for all devices and for one.
  static const int general = 0, special = 0, newer = 0;
  for (auto [name, device, version, data] :
       {std::tuple{"fake.fact", (const char*)nullptr, 1u, &general},
        std::tuple{"fake.fact", "fakedev", 1u, &special},
        std::tuple{"fake.fact", (const char*)nullptr, 2u, &newer},
        std::tuple{TN_DERIVATIVE_ATTRIBUTE, "fakehost", 1u, &special}})
    tn::check(tn::api->register_attribute(plugin, "fake::composed_recorded", name, device, version,
                                          data));
  op(plugin, "fake::versioned(Tensor self) -> Tensor", structured, common, 0, same_infer);
  kernel(plugin, "fake::versioned", "fakehost", versioned, TN_CAP_CONTIGUOUS, kF32);
}

}  // namespace fake
