// One backward pass: the part of the graph that it visits, what has arrived where, and the order in
// which nodes run.
//
// A node runs when everything that leads to it has; among those that are ready, the one recorded
// last runs first, and leaves before all others, so that memory is given back early. All of it
// happens on the calling thread, without recursion. Several passes may run at once, over shared
// nodes too; a pass may be started inside another one's hooks.
#pragma once

#include <vector>

#include "node.h"
#include "node_index.h"

namespace tn::graph {

class Task {
 public:
  // flags: TN_BACKWARD_*.
  explicit Task(uint32_t flags);
  ~Task();
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  // A gradient to start from. Throws Error.
  void start(Edge edge, Tensor grad);
  // Stores the gradient that arrives at `edge` in `*result` (owned), and restricts the pass to what
  // leads to such edges.
  void capture(Edge edge, tn_tensor** result);
  // Throws Error; what was not delivered is given back.
  void run();

 private:
  struct Work {
    Node* node;
    uint32_t waiting;  // edges from nodes that have not run
    uint32_t buffer;   // first of its gradients in buffers_
    uint32_t targets;  // first of its edges' targets in targets_
    bool applies;      // runs, rather than only passing on that nothing arrives
    bool captured;     // some result of it is asked for
  };
  struct Capture {
    uint32_t place;
    uint32_t output;
    tn_tensor** result;
  };

  uint32_t visit(Node* node);
  void discover();
  void restrict_to_captures();
  void push(uint32_t place);
  uint32_t pop();
  void run_node(uint32_t place);
  void deliver(uint32_t place, std::vector<tn_tensor*>& results);

  bool keep_;
  bool create_;
  NodeIndex index_;
  std::vector<Work> work_;
  std::vector<tn_tensor*> buffers_;  // owned
  std::vector<uint32_t> targets_;
  std::vector<NodeRef> roots_;
  std::vector<Capture> captures_;
  std::vector<uint32_t> ready_;  // a heap
  std::vector<uint8_t> wanted_;
  std::vector<tn_tensor*> results_;  // of the running node; owned
};

}  // namespace tn::graph
