// The graph: nodes that turn gradients of results into gradients of arguments, and the edges
// between them.
//
// A node is one block of memory: this header, what its type adds, then its arrays. Nodes are
// counted; what a node owns goes when its last reference does, without recursion, however long the
// chain behind it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <thread>

#include <tenon/sdk/tensor.h>

namespace tn::graph {

struct Node;
struct HookList;
struct Apply;

// Where a gradient goes: result `index` of `node`. A null node means that no gradient is wanted.
struct Edge {
  Node* node = nullptr;
  uint32_t index = 0;
};

// What a tensor looked like when it was recorded. `sizes` lies in the node's own block.
struct Shape {
  const int64_t* sizes;
  tn_device device;
  uint16_t dtype;
  uint16_t layout;
  int32_t ndim;
};

struct NodeType {
  // Computes gradients of arguments from gradients of results. Throws Error.
  void (*apply)(Node& node, Apply& call);
  // Gives up what the type added to the header. The last reference is gone; edges are not its
  // business.
  void (*destroy)(Node& node) noexcept;
  // Called when the count rises from 0: only leaves, whose memory belongs to their tensor, come
  // back.
  void (*revive)(Node& node) noexcept;
  // The operator that it stands for.
  const char* (*name)(const Node& node);
  // Which argument edge i leads to, for messages; null: the only one.
  const char* (*argument)(const Node& node, uint32_t edge);
};

// A lock for a handful of instructions.
class Spin {
 public:
  void lock() noexcept {
    while (busy_.exchange(true, std::memory_order_acquire))
      while (busy_.load(std::memory_order_relaxed)) std::this_thread::yield();
  }
  void unlock() noexcept { busy_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> busy_{false};
};

struct Node {
  std::atomic<uint32_t> references{1};
  uint32_t nedges = 0;
  uint32_t noutputs = 1;  // results whose gradients arrive here
  uint32_t nbytes = 0;    // of the block that it begins
  Spin lock;              // guards what apply unpacks and frees
  bool freed = false;     // saved values are gone
  uint64_t sequence = 0;  // later in the forward pass is larger
  const NodeType* type = nullptr;
  Edge* edges = nullptr;
  const Shape* shapes = nullptr;  // of what each edge leads to
  HookList* hooks = nullptr;
  Node* next = nullptr;  // among nodes about to be destroyed
};

// What a running node is given, and where its results go.
struct Apply {
  tn_tensor**
      grads;  // of the node's results; owned by the engine, a node may take one and leave null
  tn_tensor**
      results;  // one per edge, null on entry, owned by the engine afterwards; null means zero
  const uint8_t* wanted;  // one per edge
  Edge own;     // what a saved result of the node itself is a result of, when it is recorded
  bool keep;    // saved values are needed again
  bool create;  // what runs is itself recorded
};

// Before the first node, from the plugin's entry. Throws Error.
void prepare_threads();
// The next number for a node made on this thread. Throws Error without memory, at a thread's first
// node: so it is asked for before the node is made.
uint64_t next_sequence();
// Runs as early as it can: gradients of leaves.
inline constexpr uint64_t kLast = UINT64_MAX;

inline Node* retain(Node* node) noexcept {
  if (node->references.fetch_add(1, std::memory_order_relaxed) == 0) node->type->revive(*node);
  return node;
}
// Null is fine.
void release(Node* node) noexcept;

// A block from the core's size classes, as tensors are. Throws Error without memory.
inline void* allocate(size_t nbytes) {
  void* block = api->memory_allocate(nbytes);
  if (!block) throw Error(api->status_out_of_memory());
  return block;
}

// A node of type N with `room` bytes behind it. Throws Error without memory.
template <class N>
N* make_node(size_t room) {
  N* node = new (allocate(sizeof(N) + room)) N;
  node->nbytes = static_cast<uint32_t>(sizeof(N) + room);
  return node;
}
template <class N>
void free_node(N& node) noexcept {
  const size_t nbytes = node.nbytes;
  node.~N();
  api->memory_free(&node, nbytes);
}

// An owned reference.
class NodeRef {
 public:
  NodeRef() noexcept = default;
  explicit NodeRef(Node* owned) noexcept : node_(owned) {}
  NodeRef(NodeRef&& other) noexcept : node_(other.give()) {}
  NodeRef& operator=(NodeRef&& other) noexcept {
    if (this != &other) {
      release(node_);
      node_ = other.give();
    }
    return *this;
  }
  ~NodeRef() {
    if (node_) release(node_);
  }
  Node* get() const noexcept { return node_; }
  Node* operator->() const noexcept { return node_; }
  Node* give() noexcept {
    Node* node = node_;
    node_ = nullptr;
    return node;
  }

 private:
  Node* node_ = nullptr;
};

}  // namespace tn::graph
