// The node at the end of a graph's branch: adds what arrives to the gradient of a leaf tensor.
//
// It belongs to its tensor's meta and is as old as the tensor's wish for a gradient. While edges
// lead to it, it holds the tensor; when the last edge goes, it lets go of the tensor but stays for
// the next graph.
#pragma once

#include <mutex>

#include "node.h"

namespace tn::graph {

struct Meta;

struct Leaf : Node {
  tn_tensor* tensor = nullptr;
  std::mutex accumulating;  // several backward passes may meet here
};

// A leaf node for `tensor`, without references. Throws std::bad_alloc.
Leaf* make_leaf(tn_tensor* tensor);
// Null is fine.
void free_leaf(Leaf* leaf) noexcept;
inline Node* leaf_node(Leaf* leaf) noexcept {
  return leaf;
}

}  // namespace tn::graph
