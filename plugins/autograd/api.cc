#include "api.h"

#include "engine.h"
#include "hooks.h"
#include "leaf.h"
#include "meta.h"

namespace tn::graph {

namespace {

std::string text(tn_tensor* tensor) {
  return Tensor::share(tensor).describe();
}

bool has_history(tn_tensor* tensor) {
  gradient_edge(tensor);
  const Meta* meta = find_meta(tensor);
  return meta && meta->grad_fn;
}

void require_grad(tn_tensor* tensor) {
  if (!differentiable(tensor->dtype))
    fail(TN_RUNTIME_ERROR,
         "only Tensors of floating point and complex dtype can require gradients; this one is %s",
         text(tensor).c_str());
  if (tensor->flags & TN_TENSOR_INFERENCE)
    fail(TN_RUNTIME_ERROR,
         "%s was made in inference mode and cannot require gradients. Clone it outside inference "
         "mode to get a normal tensor",
         text(tensor).c_str());
  if (has_history(tensor)) return;
  Meta& meta = need_meta(tensor);
  if (!meta.leaf) meta.leaf = make_leaf(tensor);
  meta.requires_grad = true;
  api->tensor_set_layers(tensor, registration.layer, 1);
}

void require_no_grad(tn_tensor* tensor) {
  if (has_history(tensor))
    fail(TN_RUNTIME_ERROR,
         "you can only change requires_grad flags of leaf variables, and %s was computed. To use "
         "it in a part that needs no "
         "gradients, detach() it",
         text(tensor).c_str());
  Meta* meta = find_meta(tensor);
  if (!meta) return;
  meta->requires_grad = false;
  api->tensor_set_layers(tensor, registration.layer, 0);
}

tn_status set_requires_grad(tn_tensor* tensor, int32_t on) {
  return guard([&] { on ? require_grad(tensor) : require_no_grad(tensor); });
}

// Reading cannot fail but for lack of memory for a view's new history; without it the answer is the
// old one.
int32_t requires_grad(tn_tensor* tensor) {
  bool answer = false;
  if (tn_status status = guard([&] { answer = gradient_edge(tensor).node; }))
    api->status_release(status);
  return answer;
}

int32_t is_leaf(tn_tensor* tensor) {
  bool answer = true;
  if (tn_status status = guard([&] { answer = !has_history(tensor); })) api->status_release(status);
  return answer;
}

const char* grad_fn_name(tn_tensor* tensor) {
  if (is_leaf(tensor)) return nullptr;
  const Node* node = find_meta(tensor)->grad_fn;
  return node->type->name(*node);
}

tn_tensor* grad(tn_tensor* tensor) {
  const Meta* meta = find_meta(tensor);
  return meta ? meta->grad : nullptr;
}

tn_status set_grad(tn_tensor* tensor, tn_tensor* grad) {
  return guard([&] {
    if (!grad && !find_meta(tensor)) return;
    if (grad == tensor)
      fail(TN_INVALID_ARGUMENT, "%s cannot be its own gradient", text(tensor).c_str());
    const Tensor target = Tensor::share(tensor), value = Tensor::share(grad);
    if (grad && (value.sizes() != target.sizes() || value.dtype() != target.dtype() ||
                 value.device() != target.device()))
      fail(TN_RUNTIME_ERROR,
           "the gradient of %s cannot be %s; shape, dtype and device must be the same",
           target.describe().c_str(), value.describe().c_str());
    Meta& meta = need_meta(tensor);
    const Tensor previous = Tensor::own(std::exchange(meta.grad, Tensor(value).release()));
  });
}

tn_status retain_grad(tn_tensor* tensor) {
  return guard([&] {
    const Edge edge = gradient_edge(tensor);
    if (!edge.node)
      fail(TN_RUNTIME_ERROR, "can't retain_grad on a Tensor that has requires_grad=False: %s",
           text(tensor).c_str());
    Meta& meta = need_meta(tensor);
    if (!meta.grad_fn || meta.retains_grad) return;
    retain_gradient(tensor, *edge.node, edge.index);
    meta.retains_grad = true;
  });
}

tn_status backward_entry(tn_tensor* const* tensors, tn_tensor* const* grads, uint32_t count,
                         uint32_t flags) {
  return guard([&] { backward(tensors, grads, count, flags); });
}

tn_status grad_of_entry(tn_tensor* const* outputs, tn_tensor* const* grads, uint32_t noutputs,
                        tn_tensor* const* inputs, uint32_t ninputs, uint32_t flags,
                        tn_tensor** results) {
  return guard([&] { gradients_of(outputs, grads, noutputs, inputs, ninputs, flags, results); });
}

tn_status add_hook_entry(tn_tensor* tensor, tn_grad_hook_fn fn, void* context,
                         void (*destroy)(void*), uint64_t* id) {
  return guard([&] { *id = add_hook(tensor, fn, context, destroy); });
}

tn_status remove_hook_entry(tn_tensor* tensor, uint64_t id) {
  return guard([&] { remove_hook(tensor, id); });
}

}  // namespace

const tn_autograd interface_table = {sizeof(tn_autograd),
                                     0,
                                     set_requires_grad,
                                     requires_grad,
                                     is_leaf,
                                     grad_fn_name,
                                     grad,
                                     set_grad,
                                     retain_grad,
                                     backward_entry,
                                     grad_of_entry,
                                     add_hook_entry,
                                     remove_hook_entry};

}  // namespace tn::graph
