// The history that a root gets when one of its views is written to in place.
//
// Its gradient is that of the new value. Outside the view it passes through; the part under the
// view goes through the written operator's node, whose gradient of the view's old value takes its
// place.
#include <cstdlib>
#include <new>
#include <vector>

#include "operators.h"
#include "view.h"

namespace tn::graph {

namespace {

struct SlicesNode : Node {
  NodeRef written;      // computes the gradients of the in-place call
  Geometry root;        // of the whole tensor
  Geometry view;        // of the part that was written
  Shape shape;          // of the root
  uint16_t view_dtype;  // the root's, or that of its real and imaginary parts
};

// What arrives for the view's old value and for the operator's other arguments.
struct Arrived {
  std::vector<tn_tensor*> list;
  explicit Arrived(size_t n) : list(n) {}
  ~Arrived() {
    for (tn_tensor* t : list)
      if (t) api->tensor_release(t);
  }
};

void apply_slices(Node& node, Apply& call) {
  SlicesNode& self = static_cast<SlicesNode&>(node);
  const Tensor grad = Tensor::share(call.grads[0]);
  const bool passes = call.wanted[0] && node.edges[0].node;
  Tensor whole =
      ops::empty_strided(self.root.sizes, self.root.strides, self.shape.dtype, self.shape.device);
  ops::copy(whole, grad);
  const bool in_parts = self.view_dtype != self.shape.dtype;
  const Tensor part =
      ops::as_strided(in_parts ? ops::view_as_real(whole) : whole, self.view.sizes,
                      self.view.strides, self.view.offset - (in_parts ? 2 : 1) * self.root.offset);

  Node& written = *self.written.get();
  std::vector<uint8_t> wanted(written.nedges, 0);
  for (uint32_t i = 1; i < node.nedges; ++i) wanted[i] = call.wanted[i];
  wanted[0] = passes;
  Arrived grads(written.noutputs), results(written.nedges);
  grads.list[0] = ops::clone(part).release();
  NodeRef result;
  if (call.create)
    result =
        make_view_node("as_strided", self.root, self.shape, self.view, self.view_dtype, {&node, 0});
  // Where formulas read the written result and are recorded, it is the root's new value under the
  // view.
  const Edge own = {call.create ? result.get() : &node, 0};
  Apply inner{grads.list.data(), results.list.data(), wanted.data(), own, call.keep, call.create};
  written.type->apply(written, inner);

  for (uint32_t i = 1; i < node.nedges; ++i) std::swap(call.results[i], results.list[i]);
  if (!passes) return;
  if (results.list[0])
    ops::copy(part, Tensor::share(results.list[0]));
  else
    ops::copy(part, ops::filled(self.view.sizes, self.view_dtype, self.shape.device, 0));
  call.results[0] = whole.release();
}

void destroy_slices(Node& node) noexcept {
  free_node(static_cast<SlicesNode&>(node));
}

const char* slices_name(const Node& node) {
  const Node& written = *static_cast<const SlicesNode&>(node).written.get();
  return written.type->name(written);
}

const char* slices_argument(const Node& node, uint32_t edge) {
  const Node& written = *static_cast<const SlicesNode&>(node).written.get();
  return written.type->argument ? written.type->argument(written, edge) : nullptr;
}

constexpr NodeType kSlices = {apply_slices, destroy_slices, nullptr, slices_name, slices_argument};

}  // namespace

void rebase(tn_tensor* view, NodeRef written) {
  tn_tensor* root = api->tensor_root(view);
  const Geometry whole = geometry_of(root), part = geometry_of(view);
  const uint32_t nedges = written->nedges;
  const size_t numbers = 2 * (whole.sizes.size() + part.sizes.size());
  const uint64_t sequence = next_sequence();
  auto* node =
      make_node<SlicesNode>(nedges * (sizeof(Edge) + sizeof(Shape)) + numbers * sizeof(int64_t));
  auto* room = reinterpret_cast<int64_t*>(node + 1);
  node->type = &kSlices;
  node->sequence = sequence;
  node->root = copy_geometry(whole, room);
  node->view = copy_geometry(part, room);
  node->shape = {node->root.sizes.data(), root->dl.device, root->dtype, root->layout,
                 root->dl.ndim};
  node->view_dtype = view->dtype;
  auto* edges = reinterpret_cast<Edge*>(room);
  auto* shapes = reinterpret_cast<Shape*>(edges + nedges);
  for (uint32_t i = 0; i < nedges; ++i) {
    const Edge edge = i ? written->edges[i] : gradient_edge(root);
    edges[i] = {edge.node ? retain(edge.node) : nullptr, edge.index};
    shapes[i] = i ? written->shapes[i] : node->shape;
  }
  node->nedges = nedges;
  node->edges = edges;
  node->shapes = shapes;
  node->written = std::move(written);
  set_history(root, node, 0);
}

}  // namespace tn::graph
