// Functions that see, and may replace, the gradient of a tensor on its way.
//
// A hook belongs to the node that the tensor was a result of when it was added, and runs in the
// order of addition; the tensor's meta keeps a second reference, so that it can be removed by
// number.
#pragma once

#include <vector>

#include <tenon/autograd.h>

#include "node.h"

namespace tn::graph {

struct Hook {
  std::atomic<uint32_t> references{1};
  uint64_t id;
  tn_grad_hook_fn fn;
  void* context;
  void (*destroy)(void*);
};
void release(Hook* hook) noexcept;

struct HookList {
  struct Entry {
    uint32_t output;
    Hook* hook;  // owned reference
  };
  struct Retained {
    uint32_t output;
    tn_tensor* tensor;  // weak reference
  };
  std::vector<Entry> entries;
  std::vector<Retained> retained;

  HookList() = default;
  HookList(const HookList&) = delete;
  HookList& operator=(const HookList&) = delete;
  ~HookList();
};

// Adds a hook to the gradient of `tensor`, which requires one; returns its number. Throws Error.
uint64_t add_hook(tn_tensor* tensor, tn_grad_hook_fn fn, void* context, void (*destroy)(void*));
// Throws Error when the tensor has no such hook.
void remove_hook(tn_tensor* tensor, uint64_t id);

// Keeps the gradient of result `output` of `node` in `tensor`'s grad.
void retain_gradient(tn_tensor* tensor, Node& node, uint32_t output);
// The tensor became a result of `to`: what `from` was to keep for it is kept by `to`.
void move_retained(tn_tensor* tensor, Node* from, Node& to, uint32_t output);

// Runs a node's hooks on the gradients of its results, then keeps those that are to be kept. Throws
// Error.
void run_hooks(Node& node, tn_tensor** grads);

}  // namespace tn::graph
