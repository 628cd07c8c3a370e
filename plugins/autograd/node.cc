#include "node.h"

#include <pthread.h>

#include <utility>

#include "hooks.h"

namespace tn::graph {

namespace {

// What the graph keeps per thread, in one place, since finding it is a call. No thread_local:
// without memory for that of a library loaded at run time, the dynamic loader ends the process.
struct ThreadState {
  uint64_t sequence = 0;
  // Nodes whose last reference is gone. Destroying one may let go of others, directly or through
  // tensors that die: they join the list instead of the stack.
  Node* dying = nullptr;
  bool destroying = false;
};
pthread_key_t thread_key;

ThreadState* make_thread_state() noexcept {
  void* block = api->memory_allocate(sizeof(ThreadState));
  if (!block) return nullptr;
  if (pthread_setspecific(thread_key, block) != 0) {
    api->memory_free(block, sizeof(ThreadState));
    return nullptr;
  }
  return new (block) ThreadState;
}

// Null without memory.
ThreadState* thread_state() noexcept {
  void* state = pthread_getspecific(thread_key);
  return __builtin_expect(state != nullptr, 1) ? static_cast<ThreadState*>(state)
                                               : make_thread_state();
}

void destroy_one(Node* node) noexcept {
  const Edge* edges = node->edges;
  for (uint32_t i = 0; i < node->nedges; ++i)
    if (edges[i].node) release(edges[i].node);
  if (HookList* hooks = std::exchange(node->hooks, nullptr)) delete hooks;
  node->type->destroy(*node);
}

}  // namespace

void prepare_threads() {
  static const int failure = pthread_key_create(
      &thread_key, [](void* state) { api->memory_free(state, sizeof(ThreadState)); });
  if (failure)
    fail(TN_RUNTIME_ERROR, "autograd finds no key for its data of threads (pthread_key_create: %d)",
         failure);
}

uint64_t next_sequence() {
  ThreadState* thread = thread_state();
  if (!thread) throw Error(api->status_out_of_memory());
  return ++thread->sequence;
}

void release(Node* node) noexcept {
  if (!node || node->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  if (node->sequence == kLast)
    return node->type->destroy(*node);  // lets go of its tensor; may come back
  ThreadState* thread = thread_state();
  ThreadState passing;  // of a thread that has no memory for its own
  if (!thread) pthread_setspecific(thread_key, thread = &passing);
  node->next = thread->dying;
  thread->dying = node;
  if (thread->destroying) return;
  thread->destroying = true;
  while (Node* first = thread->dying) {
    thread->dying = first->next;
    destroy_one(first);
  }
  thread->destroying = false;
  if (thread == &passing) pthread_setspecific(thread_key, nullptr);
}

}  // namespace tn::graph
