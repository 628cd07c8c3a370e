// What autograd needs to know about an operator, gathered at its first recorded call and kept.
#pragma once

#include <tenon/autograd.h>
#include <tenon/host.h>

namespace tn::graph {

struct OperatorFacts {
  const tn_op* op;
  int32_t device_type;
  uint32_t flags;  // TN_OP_*
  const tn_schema* schema;
  const tn_derivative* derivative;  // for calls on device_type; null when there is none
  uint64_t covered;                 // bit i: a formula computes the gradient of argument i
  uint64_t written;                 // bit i: the operator writes to argument i, in this form
  OperatorFacts* next;

  const char* name() const { return schema->name; }
};

// Throws Error for an operator with more than 64 arguments, or without memory.
const OperatorFacts& facts_of(const tn_op* op, int32_t device_type);

}  // namespace tn::graph
