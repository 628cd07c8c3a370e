#include "view.h"

#include <cstdlib>
#include <mutex>
#include <new>

#include <tenon/sdk/fork.h>

#include "operators.h"

namespace tn::graph {

namespace {

struct ViewNode : Node {
  const char* operation;
  Geometry base;
  Geometry view;
  Edge edge;
  Shape shape;
  uint16_t view_dtype;
};

void apply_view(Node& node, Apply& call) {
  const ViewNode& self = static_cast<ViewNode&>(node);
  const Tensor grad = Tensor::share(call.grads[0]);
  if (self.view_dtype == self.shape.dtype)
    call.results[0] = gradient_of_base(self.base, self.view, grad).release();
  else if (self.view_dtype == real_dtype(self.shape.dtype))
    call.results[0] =
        ops::view_as_complex(gradient_of_base(RealGeometry(self.base), self.view, grad)).release();
  else if (self.shape.dtype == real_dtype(self.view_dtype))
    call.results[0] =
        gradient_of_base(self.base, RealGeometry(self.view), ops::view_as_real(grad)).release();
  else
    fail(TN_RUNTIME_ERROR,
         "%s shows memory of %s as %s and was written to in place, or has no derivative; its "
         "gradient is not known. Clone "
         "before the in-place operator",
         self.operation, api->dtype_name(static_cast<DType>(self.shape.dtype)),
         api->dtype_name(static_cast<DType>(self.view_dtype)));
}

void destroy_view(Node& node) noexcept {
  free_node(static_cast<ViewNode&>(node));
}

const char* view_name(const Node& node) {
  return static_cast<const ViewNode&>(node).operation;
}

constexpr NodeType kView = {apply_view, destroy_view, nullptr, view_name, nullptr};

// One for the process: histories are made anew rarely.
std::mutex refreshing;

// True when the view's history belongs to another state of its memory.
bool outdated(const tn_tensor* view, const Meta* meta, const tn_tensor* root) {
  if (!differentiable(view->dtype)) return false;
  if (meta && meta->requires_grad) return false;  // a leaf of its own
  if (meta && meta->version.load(std::memory_order_acquire) != kNoVersion)
    return meta->version.load(std::memory_order_acquire) != api->tensor_version(view);
  // Made while nothing was recorded: later writes that were recorded are its history, a leaf it is
  // not part of.
  const Meta* of_root = find_meta(root);
  return of_root && of_root->grad_fn;
}

}  // namespace

NodeRef make_view_node(const char* name, const Geometry& base, const Shape& like,
                       const Geometry& view, uint16_t view_dtype, Edge edge) {
  const size_t numbers = 2 * (base.sizes.size() + view.sizes.size());
  auto* node = make_node<ViewNode>(numbers * sizeof(int64_t));
  auto* room = reinterpret_cast<int64_t*>(node + 1);
  node->type = &kView;
  node->sequence = next_sequence();
  node->operation = name;
  node->base = copy_geometry(base, room);
  node->view = copy_geometry(view, room);
  node->shape = like;
  node->shape.sizes = node->base.sizes.data();
  node->shape.ndim = static_cast<int32_t>(base.sizes.size());
  node->view_dtype = view_dtype;
  node->edge = {edge.node ? retain(edge.node) : nullptr, edge.index};
  node->nedges = 1;
  node->edges = &node->edge;
  node->shapes = &node->shape;
  return NodeRef(node);
}

NodeRef make_view_node(const char* name, const tn_tensor* base, const tn_tensor* view, Edge edge) {
  const Shape like = {nullptr, base->dl.device, base->dtype, base->layout, 0};
  return make_view_node(name, geometry_of(base), like, geometry_of(view), view->dtype, edge);
}

void mark_current(tn_tensor* view) {
  need_meta(view).version.store(api->tensor_version(view), std::memory_order_release);
}

void prepare_views_for_forks(tn_plugin* plugin) {
  hold_across_forks<refreshing>(plugin);
}

void refresh_view(tn_tensor* view) {
  tn_tensor* root = api->tensor_root(view);
  if (!root || !carries_layer(root) || !outdated(view, find_meta(view), root)) return;
  NodeRef previous;  // dies after the lock is given back: users' code may run then
  const std::lock_guard lock(refreshing);
  const Meta* meta = find_meta(view);
  if (!outdated(view, meta, root)) return;
  if (meta && meta->grad_fn) previous = NodeRef(retain(meta->grad_fn));
  const Edge edge = gradient_edge(root);
  if (!edge.node) return;
  set_history(view, make_view_node("as_strided", root, view, edge).give(), 0);
  mark_current(view);
}

}  // namespace tn::graph
