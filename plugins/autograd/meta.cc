#include "meta.h"

#include "hooks.h"
#include "leaf.h"
#include "view.h"

namespace tn::graph {

namespace {

void destroy_meta(void* value) {
  delete static_cast<Meta*>(value);
}

constexpr tn_slot_type kSlot = {sizeof(tn_slot_type), 0, "autograd", destroy_meta, nullptr};

}  // namespace

Meta::~Meta() {
  release(grad_fn);
  if (grad) api->tensor_release(grad);
  for (Hook* hook : hooks) release(hook);
  free_leaf(leaf);
}

void register_slot() {
  if (registration.slot == 0 && registration.layer == 0)
    check(api->slot_register(&kSlot, &registration.slot));
}

Meta& need_meta(tn_tensor* tensor) {
  if (Meta* meta = find_meta(tensor)) return *meta;
  auto meta = std::make_unique<Meta>();
  check(api->tensor_set_slot(tensor, registration.slot, meta.get()));
  return *meta.release();
}

Edge gradient_edge(tn_tensor* tensor) {
  if (tensor->flags & TN_TENSOR_TRACKED) refresh_view(tensor);
  if (!carries_layer(tensor)) return {};
  const Meta* meta = find_meta(tensor);
  if (!meta) return {};
  if (meta->grad_fn) return {meta->grad_fn, meta->output};
  if (meta->requires_grad) return {leaf_node(meta->leaf), 0};
  return {};
}

void set_history(tn_tensor* tensor, Node* node, uint32_t output) {
  NodeRef owned(node);
  Meta& meta = need_meta(tensor);
  NodeRef previous(meta.grad_fn);
  if (meta.retains_grad) move_retained(tensor, previous.get(), *node, output);
  meta.grad_fn = owned.give();
  meta.output = output;
  api->tensor_set_layers(tensor, registration.layer, 1);
}

}  // namespace tn::graph
