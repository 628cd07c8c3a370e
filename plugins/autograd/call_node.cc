#include "call_node.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "operators.h"

namespace tn::graph {

namespace {

// Of the block for results of a higher rank than all arguments.
size_t results_bytes(const tn_schema& schema) {
  return schema.nrets * TN_MAX_DIMS * sizeof(int64_t);
}

void destroy_call(Node& node) noexcept {
  CallNode& self = static_cast<CallNode&>(node);
  const tn_schema& schema = *self.facts->schema;
  if (!self.freed) {
    for (uint32_t i = 0; i < self.nedges; ++i)
      if (tn_tensor* t = self.operands[i].saved.tensor) api->tensor_release(t);
    for (uint32_t i = 0; i < schema.nrets; ++i)
      if (tn_tensor* t = self.saved_rets[i].tensor) api->tensor_release(t);
  }
  for (uint32_t i = 0; self.holds_objects && i < schema.nargs; ++i)
    if (self.args[i].tag == TN_TAG_OBJECT) api->object_release(self.args[i].u.object);
  if (self.results_block) api->memory_free(self.results_block, results_bytes(schema));
  free_node(self);
}

const char* call_name(const Node& node) {
  return static_cast<const CallNode&>(node).facts->name();
}

const char* call_argument(const Node& node, uint32_t edge) {
  const CallNode& self = static_cast<const CallNode&>(node);
  return self.facts->schema->args[self.operands[edge].argument].name;
}

constexpr NodeType kCall = {apply_call, destroy_call, nullptr, call_name, call_argument};

// Whether a value is all there is of it, as numbers are.
bool is_whole(const tn_value& v) {
  static_assert(TN_TAG_NONE < TN_TAG_COMPLEX && TN_TAG_INT < TN_TAG_COMPLEX &&
                TN_TAG_FLOAT < TN_TAG_COMPLEX && TN_TAG_BOOL < TN_TAG_COMPLEX);
  return v.tag < TN_TAG_COMPLEX;
}

// Bytes of a value that lie elsewhere and are copied into the node.
size_t payload(const tn_value& v) {
  switch (v.tag) {
    case TN_TAG_INTS:
      return v.len * sizeof(int64_t);
    case TN_TAG_FLOATS:
      return v.len * sizeof(double);
    case TN_TAG_COMPLEX:
      return 2 * sizeof(double);
    case TN_TAG_BOOLS:
      return (v.len + 7u) & ~size_t{7};
    case TN_TAG_STRING:
      return (v.len + 8u) & ~size_t{7};
    default:
      return 0;
  }
}

// Makes a value of its own of a copied argument that is no tensor: what lies elsewhere moves to
// `room`; a list of tensors keeps its length alone.
void keep_value(CallNode& node, tn_value& v, std::byte*& room) {
  if (v.tag == TN_TAG_TENSORS) v.u.p = nullptr;
  if (v.tag == TN_TAG_OBJECT) {
    api->object_retain(v.u.object);
    node.holds_objects = true;
  }
  const size_t nbytes = payload(v);
  if (nbytes == 0) return;
  const size_t used = v.tag == TN_TAG_BOOLS ? v.len : v.tag == TN_TAG_STRING ? v.len + 1u : nbytes;
  std::memcpy(room, v.u.p, used);
  v.u.p = room;
  room += nbytes;
}

// Arguments and results that the formulas for `needed` read.
struct Reads {
  uint64_t args = 0;
  uint64_t rets = 0;
  Reads(const OperatorFacts& facts, Rule rule, uint64_t needed) {
    if (rule != Rule::kFormulas) return;
    for (uint32_t i = 0; i < facts.derivative->nformulas; ++i) {
      const tn_formula& formula = facts.derivative->formulas[i];
      if (!(formula.args & needed)) continue;
      args |= formula.reads_args;
      rets |= formula.reads_rets;
    }
  }
};

Saved save(const OperatorFacts& facts, const char* argument, tn_tensor* tensor) {
  if (tensor->flags & TN_TENSOR_INFERENCE)
    fail(TN_RUNTIME_ERROR,
         "%s: inference tensors cannot be saved for backward, and '%s' (%s) is one. Clone it "
         "outside inference mode to get "
         "a normal tensor",
         facts.name(), argument, Tensor::share(tensor).describe().c_str());
  Saved saved = {nullptr, api->tensor_version(tensor)};
  check(api->tensor_shallow(tensor, &saved.tensor));
  // A number among the arguments takes no part in promotion in the formula either.
  if (tensor->flags & TN_TENSOR_WRAPPED) api->tensor_set_flags(saved.tensor, TN_TENSOR_WRAPPED, 1);
  return saved;
}

template <class T>
T* take(std::byte*& room, size_t count) {
  T* first = reinterpret_cast<T*>(room);
  room += count * sizeof(T);
  return first;
}

// One result's sizes, in the node where they fit.
void note_shape(CallNode& node, uint32_t index, const tn_tensor* t) {
  const auto rank = static_cast<uint32_t>(t->dl.ndim);
  int64_t* sizes = node.room;
  if (rank <= node.room_size) {
    node.room += rank;
    node.room_size -= rank;
  } else {
    // Rare: a result of a higher rank than all arguments. One block serves all results.
    if (!node.results_block) node.results_block = allocate(results_bytes(*node.facts->schema));
    sizes = static_cast<int64_t*>(node.results_block) + index * TN_MAX_DIMS;
  }
  for (uint32_t d = 0; d < rank; ++d) sizes[d] = t->dl.shape[d];
  node.results[index] = {sizes, t->dl.device, t->dtype, t->layout, t->dl.ndim};
}

}  // namespace

CallNode* make_call_node(const OperatorFacts& facts, Rule rule, tn_form form, const tn_value* args,
                         uint32_t nargs, const Inputs& inputs) {
  const uint32_t nedges = static_cast<uint32_t>(inputs.size()), nrets = facts.schema->nrets;
  uint64_t needed = 0;
  int32_t dims = 0, most = 2;
  for (const Input& in : inputs) {
    if (in.edge.node) needed |= uint64_t{1} << in.argument;
    if (!in.tensor) continue;
    dims += in.tensor->dl.ndim;
    most = std::max(most, in.tensor->dl.ndim);
  }
  size_t extra = 0;
  for (uint32_t i = 0; i < nargs; ++i)
    if (!is_whole(args[i])) extra += payload(args[i]);
  const uint32_t rank = static_cast<uint32_t>(most) * nrets;

  const uint64_t sequence = next_sequence();
  auto* node =
      make_node<CallNode>(nedges * (sizeof(Edge) + sizeof(Shape) + sizeof(Operand)) +
                          nargs * sizeof(tn_value) + nrets * (sizeof(Saved) + sizeof(Shape)) +
                          extra + (static_cast<uint32_t>(dims) + rank) * sizeof(int64_t));
  NodeRef owner(node);  // the rest may fail; what is not saved yet is null
  auto* room = reinterpret_cast<std::byte*>(node + 1);
  const Reads reads(facts, rule, needed & facts.covered);
  node->type = &kCall;
  node->sequence = sequence;
  node->facts = &facts;
  node->rule = rule;
  node->needed = needed;
  node->reads_rets = reads.rets;
  node->results_block = nullptr;
  Edge* own_edges = take<Edge>(room, nedges);
  Shape* shapes = take<Shape>(room, nedges);
  node->edges = own_edges;
  node->shapes = shapes;
  node->operands = take<Operand>(room, nedges);
  node->args = take<tn_value>(room, nargs);
  node->saved_rets = take<Saved>(room, nrets);
  node->results = take<Shape>(room, nrets);
  for (uint32_t i = 0; i < nargs; ++i) {
    tn_value& kept = node->args[i] = args[i];
    if (kept.tag == TN_TAG_TENSOR)
      kept = {};
    else if (!is_whole(kept))
      keep_value(*node, kept, room);
  }
  for (uint32_t i = 0; i < nrets; ++i) {
    node->saved_rets[i].tensor = nullptr;
    node->results[i].sizes = nullptr;
  }
  auto* sizes = reinterpret_cast<int64_t*>(room);
  Operand* operands = node->operands;
  for (uint32_t k = 0; k < nedges; ++k) {
    const auto& [t, edge, argument] = inputs[k];
    own_edges[k] = {edge.node ? retain(edge.node) : nullptr, edge.index};
    operands[k] = {{}, argument};
    if (!t) {
      shapes[k] = {};
      continue;
    }
    shapes[k] = {sizes, t->dl.device, t->dtype, t->layout, t->dl.ndim};
    for (int d = 0; d < t->dl.ndim; ++d) *sizes++ = t->dl.shape[d];
  }
  node->nedges = nedges;
  node->room = sizes;
  node->room_size = rank;

  if (!reads.args) return static_cast<CallNode*>(owner.give());
  const tn_tensor* overwritten =
      form == TN_INPLACE && args[0].tag == TN_TAG_TENSOR ? args[0].u.tensor : nullptr;
  Tensor copy;
  for (uint32_t k = 0; k < nedges; ++k) {
    const auto& [t, edge, argument] = inputs[k];
    if (!t || !(reads.args >> argument & 1)) continue;
    if (t == overwritten && !copy.defined()) copy = ops::copy_of(t);
    operands[k].saved =
        save(facts, facts.schema->args[argument].name, t == overwritten ? copy.get() : t);
    node->saves = true;
  }
  return static_cast<CallNode*>(owner.give());
}

void save_results(CallNode& node, const tn_value* rets, uint32_t nrets) {
  const OperatorFacts& facts = *node.facts;
  uint32_t outputs = 0;
  for (uint32_t i = 0; i < nrets; ++i) {
    outputs += rets[i].tag == TN_TAG_TENSORS ? rets[i].len : 1;
    if (rets[i].tag != TN_TAG_TENSOR) continue;
    note_shape(node, i, rets[i].u.tensor);
    if (!(node.reads_rets >> i & 1)) continue;
    node.saved_rets[i] = save(facts, facts.schema->rets[i].name, rets[i].u.tensor);
    node.saves = true;
  }
  node.noutputs = outputs;
  // An argument that the operator itself wrote, beside its results: the formula reads what it is
  // now.
  for (uint32_t i = 0; facts.written && i < node.nedges; ++i) {
    Operand& operand = node.operands[i];
    if (operand.saved.tensor && facts.written >> operand.argument & 1)
      operand.saved.version = api->tensor_version(operand.saved.tensor);
  }
}

}  // namespace tn::graph
