// What autograd keeps with a tensor, in the tensor's extension slot "autograd".
//
// A tensor without gradients has none and does not carry the layer's bit.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "node.h"

namespace tn::graph {

struct Hook;
struct Leaf;

// For a view whose meta does not say at which version its grad_fn was made.
inline constexpr uint64_t kNoVersion = UINT64_MAX;

struct Meta {
  Node* grad_fn = nullptr;     // owned; null for a leaf
  uint32_t output = 0;         // which result of grad_fn the tensor is
  bool requires_grad = false;  // a leaf whose gradient is wanted
  bool retains_grad = false;
  // Of a view: the version its grad_fn belongs to. Another one means that memory was written in
  // between, so the grad_fn has to be made anew from the root's. Published after grad_fn.
  std::atomic<uint64_t> version{kNoVersion};
  Leaf* leaf = nullptr;  // the node that accumulates into grad; made once, lives as long as this
  tn_tensor* grad = nullptr;
  std::vector<Hook*> hooks;  // owned references, for removal by number

  Meta() = default;
  Meta(const Meta&) = delete;
  Meta& operator=(const Meta&) = delete;
  ~Meta();
  // From the core's size classes: every recorded result has one.
  static void* operator new(size_t nbytes) { return allocate(nbytes); }
  static void operator delete(void* meta) { api->memory_free(meta, sizeof(Meta)); }
};

// The process's layer and slot; claimed by the plugin's entry.
struct Registration {
  uint64_t layer = 0;
  uint32_t slot = 0;
};
inline Registration registration;

// Claims the slot, once. Throws Error.
void register_slot();

// Null when the tensor has none.
inline Meta* find_meta(const tn_tensor* tensor) noexcept {
  return static_cast<Meta*>(api->tensor_slot(tensor, registration.slot));
}
// Makes one where there is none. Throws Error.
Meta& need_meta(tn_tensor* tensor);

inline bool carries_layer(const tn_tensor* tensor) noexcept {
  return tensor->layers & registration.layer;
}

// Where the gradient of `tensor` goes, borrowed; a null node when it wants none. Brings a view's
// grad_fn up to date.
Edge gradient_edge(tn_tensor* tensor);

// Makes `tensor` result `output` of `node`; takes over one reference. A retained gradient moves
// along. Does not fail when the tensor has a meta.
void set_history(tn_tensor* tensor, Node* node, uint32_t output);

// The dtype of a complex dtype's parts; TN_DTYPE_NONE for others.
inline uint16_t real_dtype(uint16_t dtype) noexcept {
  return dtype == TN_C64 ? TN_F32 : dtype == TN_C128 ? TN_F64 : TN_DTYPE_NONE;
}
inline bool differentiable(uint16_t dtype) noexcept {
  return is_floating(static_cast<DType>(dtype)) || is_complex(static_cast<DType>(dtype));
}

}  // namespace tn::graph
