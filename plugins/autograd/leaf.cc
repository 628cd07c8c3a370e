#include "leaf.h"

#include "gradient.h"
#include "hooks.h"
#include "meta.h"
#include "operators.h"

namespace tn::graph {

namespace {

void revive(Node& node) noexcept {
  api->tensor_retain(static_cast<Leaf&>(node).tensor);
}

void destroy(Node& node) noexcept {
  api->tensor_release(static_cast<Leaf&>(node).tensor);
}

const char* name(const Node&) {
  return "accumulate_grad";
}

void add_to_grad(Node& node, Apply& call) {
  Leaf& leaf = static_cast<Leaf&>(node);
  tn_tensor*& arrived = call.grads[0];
  // The previous gradient dies after the lock is given back: it may hold a graph.
  Tensor replaced;
  const std::lock_guard lock(leaf.accumulating);
  Meta& meta = *find_meta(leaf.tensor);
  if (!meta.grad) {
    if (call.create)
      meta.grad = ops::clone(Tensor::share(arrived)).release();
    else if (unshared(arrived))
      meta.grad = std::exchange(arrived, nullptr);
    else
      meta.grad = ops::copy_of(arrived).release();
  } else if (call.create) {
    Tensor sum = ops::add(Tensor::share(meta.grad), Tensor::share(arrived));
    replaced = Tensor::own(std::exchange(meta.grad, sum.release()));
  } else {
    ops::add_in_place(meta.grad, arrived);
  }
}

constexpr NodeType kLeaf = {add_to_grad, destroy, revive, name, nullptr};

}  // namespace

Leaf* make_leaf(tn_tensor* tensor) {
  Leaf* leaf = new Leaf;
  leaf->references.store(0, std::memory_order_relaxed);
  leaf->sequence = kLast;
  leaf->type = &kLeaf;
  leaf->tensor = tensor;
  return leaf;
}

void free_leaf(Leaf* leaf) noexcept {
  if (!leaf) return;
  delete leaf->hooks;
  delete leaf;
}

}  // namespace tn::graph
