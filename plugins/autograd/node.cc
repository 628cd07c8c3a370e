#include "node.h"

#include <cstdlib>

#include "hooks.h"

namespace tn::graph {

namespace {

// Nodes of this thread whose last reference is gone. Destroying one may let go of others, directly
// or through tensors that die: they join the list instead of the stack.
thread_local Node* dying = nullptr;
thread_local bool destroying = false;
thread_local uint64_t sequence = 0;

void destroy_one(Node* node) noexcept {
  const Edge* edges = node->edges;
  for (uint32_t i = 0; i < node->nedges; ++i)
    if (edges[i].node) release(edges[i].node);
  if (HookList* hooks = std::exchange(node->hooks, nullptr)) delete hooks;
  node->type->destroy(*node);
}

}  // namespace

uint64_t next_sequence() noexcept {
  return ++sequence;
}

void* allocate(size_t nbytes) {
  void* block = std::malloc(nbytes);
  if (!block) throw Error(api->status_out_of_memory());
  return block;
}

void release(Node* node) noexcept {
  if (!node || node->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  if (node->sequence == kLast)
    return node->type->destroy(*node);  // lets go of its tensor; may come back
  node->next = dying;
  dying = node;
  if (destroying) return;
  destroying = true;
  while (Node* first = dying) {
    dying = first->next;
    destroy_one(first);
  }
  destroying = false;
}

}  // namespace tn::graph
