#include "operator_facts.h"

#include <atomic>
#include <memory>

#include <tenon/sdk/error.h>

namespace tn::graph {

namespace {

// Lists by hash of the operator's address. Entries are only ever added, and live as long as the
// process, as operators do.
constexpr size_t kLists = 2048;
std::atomic<OperatorFacts*> lists[kLists];

size_t list_of(const tn_op* op) {
  const auto bits = reinterpret_cast<uintptr_t>(op) >> 4;
  return (bits ^ bits >> 11) % kLists;
}

const tn_derivative* derivative_of(const tn_op* op, int32_t device_type) {
  return static_cast<const tn_derivative*>(
      api->op_attribute(op, TN_DERIVATIVE_ATTRIBUTE, device_type, 1));
}

OperatorFacts* gather(const tn_op* op, int32_t device_type) {
  auto facts = std::make_unique<OperatorFacts>();
  facts->op = op;
  facts->device_type = device_type;
  facts->flags = api->op_facts(op)->flags;
  facts->schema = api->op_schema(op);
  facts->derivative = derivative_of(op, device_type);
  facts->covered = facts->written = 0;
  if (facts->schema->nargs > 64)
    fail(TN_INVALID_ARGUMENT,
         "%s has %u arguments; gradients are recorded for operators of at most 64",
         facts->schema->full_name, facts->schema->nargs);
  for (uint32_t i = 0; facts->derivative && i < facts->derivative->nformulas; ++i)
    facts->covered |= facts->derivative->formulas[i].args;
  for (uint32_t i = 0; i < facts->schema->nargs; ++i)
    if (facts->schema->args[i].flags & TN_PARAM_WRITTEN) facts->written |= uint64_t{1} << i;
  if (api->op_own_form(op) == TN_INPLACE) facts->written |= 1;
  return facts.release();
}

}  // namespace

const OperatorFacts& facts_of(const tn_op* op, int32_t device_type) {
  std::atomic<OperatorFacts*>& list = lists[list_of(op)];
  OperatorFacts* first = list.load(std::memory_order_acquire);
  for (OperatorFacts* f = first; f; f = f->next) {
    if (f->op != op || f->device_type != device_type) continue;
    // A plugin loaded since may have brought the derivative that was missing. Views need none.
    if (f->derivative || f->flags & (TN_OP_VIEW | TN_OP_NOT_DIFFERENTIABLE) ||
        !derivative_of(op, device_type))
      return *f;
    break;
  }
  OperatorFacts* made = gather(op, device_type);
  made->next = first;
  while (!list.compare_exchange_weak(made->next, made, std::memory_order_release,
                                     std::memory_order_relaxed)) {
  }
  return *made;
}

}  // namespace tn::graph
