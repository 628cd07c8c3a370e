#include "task.h"

#include <algorithm>

#include <tenon/autograd.h>

#include "gradient.h"
#include "hooks.h"
#include "leaf.h"

namespace tn::graph {

namespace {

// The thread's state for the pass: formulas are dispatched from the top, and recorded only on
// request.
class PassState {
 public:
  explicit PassState(bool create) {
    api->thread_state_get(&before_);
    during_ = before_;
    during_.level = ~uint64_t{0};
    during_.flags = create ? during_.flags & ~TN_THREAD_NO_GRAD : during_.flags | TN_THREAD_NO_GRAD;
    enter();
  }
  ~PassState() { api->thread_state_set(&before_, nullptr); }
  PassState(const PassState&) = delete;
  PassState& operator=(const PassState&) = delete;
  void enter() { api->thread_state_set(&during_, nullptr); }

 private:
  tn_thread_state before_;
  tn_thread_state during_;
};

void drop(tn_tensor*& tensor) {
  if (tensor) api->tensor_release(std::exchange(tensor, nullptr));
}

}  // namespace

Task::Task(uint32_t flags)
    : keep_(flags & (TN_BACKWARD_RETAIN_GRAPH | TN_BACKWARD_CREATE_GRAPH)),
      create_(flags & TN_BACKWARD_CREATE_GRAPH) {}

Task::~Task() {
  for (tn_tensor*& t : buffers_) drop(t);
  for (tn_tensor*& t : results_) drop(t);
}

uint32_t Task::visit(Node* node) {
  const auto next = static_cast<uint32_t>(work_.size());
  const uint32_t known = index_.find_or_add(node, next);
  if (known != NodeIndex::kAbsent) return known;
  work_.push_back({node, 0, static_cast<uint32_t>(buffers_.size()), 0, true, false});
  for (uint32_t i = 0; i < node->noutputs; ++i) buffers_.push_back(nullptr);  // mostly one
  return next;
}

void Task::start(Edge edge, Tensor grad) {
  roots_.push_back(NodeRef(retain(edge.node)));
  const uint32_t place = visit(edge.node);
  accumulate(&buffers_[work_[place].buffer + edge.index], std::move(grad), create_);
}

void Task::capture(Edge edge, tn_tensor** result) {
  roots_.push_back(NodeRef(retain(edge.node)));
  const uint32_t place = visit(edge.node);
  work_[place].captured = true;
  captures_.push_back({place, edge.index, result});
}

void Task::discover() {
  for (size_t i = 0; i < work_.size(); ++i) {
    const Node& node = *work_[i].node;
    work_[i].targets = static_cast<uint32_t>(targets_.size());
    for (uint32_t e = 0; e < node.nedges; ++e) {
      Node* target = node.edges[e].node;
      const uint32_t place = target ? visit(target) : NodeIndex::kAbsent;
      if (target) ++work_[place].waiting;
      targets_.push_back(place);
    }
  }
}

void Task::restrict_to_captures() {
  // Against the order in which nodes can run, so that a node's targets are judged before it is.
  std::vector<uint32_t> order, waiting;
  order.reserve(work_.size());
  for (uint32_t i = 0; i < work_.size(); ++i) {
    waiting.push_back(work_[i].waiting);
    if (waiting[i] == 0) order.push_back(i);
  }
  for (size_t next = 0; next < order.size(); ++next) {
    const Work& work = work_[order[next]];
    for (uint32_t e = 0; e < work.node->nedges; ++e)
      if (const uint32_t target = targets_[work.targets + e];
          target != NodeIndex::kAbsent && --waiting[target] == 0)
        order.push_back(target);
  }
  for (size_t i = order.size(); i-- > 0;) {
    Work& work = work_[order[i]];
    work.applies = false;
    for (uint32_t e = 0; e < work.node->nedges; ++e) {
      uint32_t& target = targets_[work.targets + e];
      if (target == NodeIndex::kAbsent) continue;
      if (work_[target].applies || work_[target].captured)
        work.applies = true;
      else
        target = NodeIndex::kAbsent;
    }
  }
}

void Task::push(uint32_t place) {
  ready_.push_back(place);
  std::push_heap(ready_.begin(), ready_.end(), [this](uint32_t a, uint32_t b) {
    return work_[a].node->sequence < work_[b].node->sequence;
  });
}

uint32_t Task::pop() {
  std::pop_heap(ready_.begin(), ready_.end(), [this](uint32_t a, uint32_t b) {
    return work_[a].node->sequence < work_[b].node->sequence;
  });
  const uint32_t place = ready_.back();
  ready_.pop_back();
  return place;
}

void Task::run() {
  PassState state(create_);
  discover();
  if (!captures_.empty()) restrict_to_captures();
  for (uint32_t i = 0; i < work_.size(); ++i)
    if (work_[i].waiting == 0) push(i);
  while (!ready_.empty()) {
    const uint32_t place = pop();
    run_node(place);
    if (work_[place].node->hooks) state.enter();
  }
}

void Task::run_node(uint32_t place) {
  const Work work = work_[place];
  Node& node = *work.node;
  tn_tensor** grads = buffers_.data() + work.buffer;
  const bool arrived =
      std::any_of(grads, grads + node.noutputs, [](const tn_tensor* t) { return t; });
  if (arrived && (work.applies || work.captured)) {
    if (node.hooks) run_hooks(node, grads);
    if (work.captured)
      for (const Capture& c : captures_)
        if (c.place == place && grads[c.output]) *c.result = api->tensor_retain(grads[c.output]);
    if (work.applies) {
      wanted_.assign(node.nedges, 0);
      for (uint32_t e = 0; e < node.nedges; ++e)
        wanted_[e] = targets_[work.targets + e] != NodeIndex::kAbsent;
      results_.assign(node.nedges, nullptr);
      Apply call{grads, results_.data(), wanted_.data(), {&node, 0}, keep_, create_};
      node.type->apply(node, call);
    }
  }
  for (uint32_t i = 0; i < node.noutputs; ++i) drop(grads[i]);
  deliver(place, results_);
}

void Task::deliver(uint32_t place, std::vector<tn_tensor*>& results) {
  const Work work = work_[place];
  const Node& node = *work.node;
  for (uint32_t e = 0; e < node.nedges; ++e) {
    tn_tensor* result = e < results.size() ? std::exchange(results[e], nullptr) : nullptr;
    const uint32_t target = targets_[work.targets + e];
    Tensor grad = Tensor::own(result);
    if (target == NodeIndex::kAbsent) continue;
    Work& next = work_[target];
    if (grad.defined())
      accumulate(&buffers_[next.buffer + node.edges[e].index], conform(std::move(grad), node, e),
                 create_);
    if (--next.waiting == 0) push(target);
  }
  results.clear();
}

}  // namespace tn::graph
