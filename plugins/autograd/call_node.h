// The node of one recorded operator call: its derivative's formulas, and the values they read.
//
// Tensors are saved as shallow copies, which share memory but know no history, so that nothing a
// node holds leads back to it. Numbers, lists and strings are copied into the node's block.
#pragma once

#include "buffer.h"
#include "node.h"
#include "operator_facts.h"

namespace tn::graph {

// A tensor that a formula reads, and the version at which it was saved.
struct Saved {
  tn_tensor* tensor;  // owned; null when nothing was saved
  uint64_t version;
};

// One tensor among the arguments: a tensor argument, or an entry of a list.
struct Operand {
  Saved saved;
  uint32_t argument;
};

enum class Rule : uint8_t {
  kFormulas,  // the operator's derivative
  kMissing,   // it has none: an error when a gradient arrives
  kStop       // results do not depend on arguments in a differentiable way: nothing flows on
};

struct CallNode : Node {
  const OperatorFacts* facts;
  uint64_t needed;      // bit i: a gradient of argument i may be asked for
  uint64_t reads_rets;  // bit i: formulas for them read result i
  Rule rule;
  bool saves = false;          // tensors, which can be freed
  bool holds_objects = false;  // among its arguments
  tn_value* args;              // what is not a tensor; a list of tensors keeps its length
  Operand* operands;           // one per edge
  Saved* saved_rets;           // one per result of the schema
  Shape* results;              // one per result of the schema
  void* results_block;         // where the sizes of results had no room; else null
  int64_t* room;               // for the sizes of results
  uint32_t room_size;
};

// Calls visit(argument, tensor) for every tensor argument and every entry of a list of tensors,
// which may be null.
template <class Visit>
inline void each_tensor(const tn_value* args, uint32_t nargs, Visit&& visit) {
  for (uint32_t i = 0; i < nargs; ++i) {
    const tn_value& v = args[i];
    if (v.tag != TN_TAG_TENSOR && v.tag != TN_TAG_TENSORS) continue;
    // One place that visits, so that it is inlined.
    tn_tensor* const* tensors = v.tag == TN_TAG_TENSOR ? &v.u.tensor : v.u.tensors;
    const uint32_t count = v.tag == TN_TAG_TENSOR ? 1 : v.len;
    for (uint32_t k = 0; k < count; ++k) visit(i, tensors[k]);
  }
}

// One tensor that a call reads, as each_tensor visits them, and where its gradient goes: borrowed.
struct Input {
  tn_tensor* tensor;  // may be null
  Edge edge;
  uint32_t argument;
};
using Inputs = Buffer<Input, 8>;

// A node for a call that is about to run: saves the arguments that formulas read, and retains the
// inputs' edges. Arguments that an in-place operator overwrites are cloned. Throws Error.
CallNode* make_call_node(const OperatorFacts& facts, Rule rule, tn_form form, const tn_value* args,
                         uint32_t nargs, const Inputs& inputs);
// Computes the gradients of a call's arguments: unpacks what was saved and runs the formulas.
void apply_call(Node& node, Apply& call);

// After the call: saves the results that formulas read, and notes what results look like. Throws
// Error.
void save_results(CallNode& node, const tn_value* rets, uint32_t nrets);

}  // namespace tn::graph
