#include "node.h"

#include <utility>

#include "hooks.h"

namespace tn::graph {

namespace {

// What the graph keeps per thread, in one place, since finding it is a call.
struct ThreadState {
  uint64_t sequence = 0;
  // Nodes whose last reference is gone. Destroying one may let go of others, directly or through
  // tensors that die: they join the list instead of the stack.
  Node* dying = nullptr;
  bool destroying = false;
};
constinit thread_local ThreadState thread_state;

void destroy_one(Node* node) noexcept {
  const Edge* edges = node->edges;
  for (uint32_t i = 0; i < node->nedges; ++i)
    if (edges[i].node) release(edges[i].node);
  if (HookList* hooks = std::exchange(node->hooks, nullptr)) delete hooks;
  node->type->destroy(*node);
}

}  // namespace

uint64_t next_sequence() noexcept {
  return ++thread_state.sequence;
}

void release(Node* node) noexcept {
  if (!node || node->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  if (node->sequence == kLast)
    return node->type->destroy(*node);  // lets go of its tensor; may come back
  ThreadState& thread = thread_state;
  node->next = thread.dying;
  thread.dying = node;
  if (thread.destroying) return;
  thread.destroying = true;
  while (Node* first = thread.dying) {
    thread.dying = first->next;
    destroy_one(first);
  }
  thread.destroying = false;
}

}  // namespace tn::graph
