// Tensors that not every kernel may see: opaque ones, and a workspace that its provider defines.
#include <cstring>

#include "fake_plugin.h"

namespace fake {
namespace {

constexpr uint64_t kF32 = TN_DTYPE_BIT(TN_F32), kF64 = TN_DTYPE_BIT(TN_F64);
constexpr uint32_t kOpaque = 1u << TN_OPAQUE;

uint32_t slot;
const tn_slot_type kSlot = [] {
  tn_slot_type type = TN_INIT(tn_slot_type);
  type.name = "fake.contents";
  type.destroy = [](void* tensor) { tn::api->tensor_release(static_cast<tn_tensor*>(tensor)); };
  return type;
}();

tn_value tensor_value(tn_tensor* t) {
  tn_value v{};
  v.tag = TN_TAG_TENSOR;
  v.u.tensor = t;
  return v;
}

// An opaque tensor with the sizes of `contents`, whose reference it takes.
tn_status wrapped(tn_tensor* contents, tn_value* out) {
  tn_meta meta{};
  meta.device = contents->dl.device;
  meta.dtype = contents->dtype;
  meta.layout = TN_OPAQUE;
  meta.ndim = contents->dl.ndim;
  std::memcpy(meta.sizes, contents->dl.shape, static_cast<size_t>(meta.ndim) * sizeof(int64_t));
  tn_tensor* made = nullptr;
  tn_status status = tn::api->tensor_empty(&meta, &made);
  if (!status) status = tn::api->tensor_set_slot(made, slot, contents);
  if (status) {
    tn::api->tensor_release(contents);
    tn::api->tensor_release(made);
    return status;
  }
  *out = tensor_value(made);
  return nullptr;
}
tn_tensor* contents(const tn_value& v) {
  return static_cast<tn_tensor*>(tn::api->tensor_slot(v.u.tensor, slot));
}

tn_status wrap(tn_frame*, void*, const tn_value* args, uint32_t, tn_value* rets, uint32_t) {
  return wrapped(tn::api->tensor_retain(args[0].u.tensor), rets);
}
tn_status unwrap(tn_frame*, void*, const tn_value* args, uint32_t, tn_value* rets, uint32_t) {
  rets[0] = tensor_value(tn::api->tensor_retain(contents(args[0])));
  return nullptr;
}

// fake::negate(x), on ordinary tensors and on opaque ones.
tn_status negate(tn_frame* frame, void*, const tn_value* args, uint32_t, tn_value* rets, uint32_t) {
  if (tn_status s = begin(frame, "strided")) return s;
  const tn_tensor *x = args[0].u.tensor, *y = rets[0].u.tensor;
  for (int64_t i = 0; i < x->numel; ++i)
    static_cast<float*>(y->dl.data)[i] = -static_cast<const float*>(x->dl.data)[i];
  return nullptr;
}
tn_status negate_opaque(tn_frame* frame, void*, const tn_value* args, uint32_t, tn_value* rets,
                        uint32_t) {
  if (tn_status s = begin(frame, "opaque")) return s;
  const tn_value inside = tensor_value(contents(args[0]));
  tn_value result{};
  if (tn_status s = frame->host->call(frame->op, &inside, 1, &result, 1)) return s;
  return wrapped(result.u.tensor, rets);
}

// fake::forward(x) = x and a workspace; each provider writes its own number there.
tn_status forward_infer(tn_frame* frame, void*, const tn_value* args, uint32_t nargs, tn_meta* out,
                        uint32_t n) {
  tn::MetaOut(out + 1).provider_defined();
  return same_infer(frame, nullptr, args, nargs, out, n);
}
template <class T>
tn_status forward(tn_frame* frame, void* state, const tn_value* args, uint32_t, tn_value* rets,
                  uint32_t) {
  if (tn_status s = begin(frame, static_cast<const char*>(state))) return s;
  const tn_tensor* x = args[0].u.tensor;
  std::memcpy(rets[0].u.tensor->dl.data, x->dl.data, static_cast<size_t>(x->numel) * sizeof(T));
  tn_meta meta{};
  meta.device = frame->device;
  meta.dtype = TN_F32;
  meta.ndim = 1;
  meta.sizes[0] = 1;
  tn_tensor* workspace = nullptr;
  if (tn_status s = frame->host->tensor_empty(&meta, &workspace)) return s;
  *static_cast<float*>(workspace->dl.data) = static_cast<const char*>(state)[0];
  rets[1] = tensor_value(workspace);
  if (control.fail_late) return frame->host->status_make(TN_RUNTIME_ERROR, "", 0, "", 0, "late");
  return nullptr;
}

// fake::backward(grad, workspace) = grad, if the workspace is its own.
tn_status backward(tn_frame* frame, void* state, const tn_value* args, uint32_t, tn_value* rets,
                   uint32_t) {
  if (tn_status s = begin(frame, static_cast<const char*>(state))) return s;
  if (*static_cast<const float*>(args[1].u.tensor->dl.data) != static_cast<const char*>(state)[0])
    return frame->host->status_make(TN_INTERNAL, "", 0, "", 0, "another provider's workspace");
  std::memcpy(rets[0].u.tensor->dl.data, args[0].u.tensor->dl.data,
              static_cast<size_t>(args[0].u.tensor->numel) * sizeof(float));
  return nullptr;
}

}  // namespace

void register_restricted(tn_plugin* plugin) {
  tn::check(tn::api->slot_register(&kSlot, &slot));
  const auto common = TN_PROMOTE_COMMON;
  op(plugin, "fake::wrap(Tensor self) -> Tensor", TN_KIND_DIRECT, common, TN_OP_NO_OUT);
  kernel(plugin, "fake::wrap", "fakehost", wrap, 0, 0);
  op(plugin, "fake::unwrap(Tensor self) -> Tensor", TN_KIND_DIRECT, common, TN_OP_NO_OUT);
  kernel(plugin, "fake::unwrap", "fakehost", unwrap, 0, 0, nullptr, nullptr, 0, kOpaque);
  op(plugin, "fake::negate(Tensor self) -> Tensor", TN_KIND_STRUCTURED, common, TN_OP_INPLACE,
     same_infer);
  // Before the other, so that what a kernel names counts and not the order.
  kernel(plugin, "fake::negate", "fakehost", negate_opaque, 0, kF32, "opaque", nullptr, 0, kOpaque);
  kernel(plugin, "fake::negate", "fakehost", negate, TN_CAP_CONTIGUOUS, kF32);

  op(plugin, "fake::forward(Tensor self) -> (Tensor, Tensor workspace)", TN_KIND_STRUCTURED, common,
     0, forward_infer);
  kernel(plugin, "fake::forward", "fakehost", forward<float>, TN_CAP_CONTIGUOUS, kF32, "first",
         may_decline);
  kernel(plugin, "fake::forward", "fakehost", forward<double>, TN_CAP_CONTIGUOUS, kF64, "second");
  op(plugin, "fake::backward(Tensor grad, Tensor workspace) -> Tensor", TN_KIND_STRUCTURED, common,
     0, same_infer);
  op(plugin, "fake::backward_of_first(Tensor grad, Tensor workspace) -> Tensor", TN_KIND_STRUCTURED,
     common, 0, same_infer);
  kernel(plugin, "fake::backward", "fakehost", backward, TN_CAP_CONTIGUOUS, kF32, "first");
  kernel(plugin, "fake::backward", "fakehost", backward, TN_CAP_CONTIGUOUS, kF32, "second");
  kernel(plugin, "fake::backward_of_first", "fakehost", backward, TN_CAP_CONTIGUOUS, kF32, "first");
}

}  // namespace fake
