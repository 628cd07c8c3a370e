#include "record.h"

#include <algorithm>

#include "call_node.h"
#include "view.h"

namespace tn::graph {

namespace {

// The call being recorded.
struct Call {
  tn_frame* frame;
  const OperatorFacts& facts;
  const tn_value* args;
  uint32_t nargs;
  tn_value* rets;
  uint32_t nrets;

  tn_status next() const { return api->next(frame, args, nargs, rets, nrets); }
};

template <class Visit>
void each_result(const Call& call, Visit&& visit) {
  each_tensor(call.rets, call.nrets, visit);
}

bool is_one_of(const Inputs& inputs, const tn_tensor* tensor) {
  for (const Input& in : inputs)
    if (in.tensor == tensor) return true;
  return false;
}

// Runs a call without recording it. A view made so has no history, whatever its root has; only
// later writes change that.
tn_status pass(tn_frame* frame, const tn_value* args, uint32_t nargs, tn_value* rets,
               uint32_t nrets) {
  tn_status status = api->next(frame, args, nargs, rets, nrets);
  if (status || frame->form != TN_FUNCTIONAL || !(api->op_facts(frame->op)->flags & TN_OP_VIEW))
    return status;
  each_tensor(rets, nrets, [](uint32_t, tn_tensor* t) {
    if (!t || !(t->flags & TN_TENSOR_TRACKED) || find_meta(t)) return;
    if (const tn_tensor* root = api->tensor_root(t); root && carries_layer(root)) mark_current(t);
  });
  return nullptr;
}
tn_status pass(const Call& call) {
  return pass(call.frame, call.args, call.nargs, call.rets, call.nrets);
}

// Whether the operator's formulas are for real numbers only: they would lack conjugates.
bool is_for_reals(const Call& call, Rule rule) {
  constexpr uint32_t complex = TN_DERIVATIVE_HOLOMORPHIC | TN_DERIVATIVE_COMPLEX;
  return rule == Rule::kFormulas && !(call.facts.derivative->flags & complex);
}

// Refuses a complex tensor that gradients would flow through such formulas to or from.
void check_real(const Call& call, tn_tensor* t, const char* role) {
  if (!t || !is_complex(static_cast<DType>(t->dtype))) return;
  fail(TN_NOT_IMPLEMENTED,
       "%s %s %s, and its derivative is for real tensors only. Call it under no_grad, or on "
       "detached tensors or their real and imaginary parts",
       call.facts.name(), role, Tensor::share(t).describe().c_str());
}

// ---- results that are views ----

tn_status record_view(const Call& call, const Inputs& inputs) {
  // The tensor that the results show is the first argument.
  if (call.nargs == 0 || call.args[0].tag != TN_TAG_TENSOR || !inputs[0].edge.node)
    return pass(call);
  tn_tensor* base = call.args[0].u.tensor;
  if (tn_status status = call.next()) return status;
  size_t count = 0;
  each_result(call, [&](uint32_t, tn_tensor*) { ++count; });
  each_result(call, [&](uint32_t, tn_tensor* t) {
    if (!t || t == base || !differentiable(t->dtype)) return;
    if (tn_tensor* root = api->tensor_root(t)) {
      const uint32_t alias = api->tensor_alias_flags(t);
      if (count > 1 && !(alias & TN_ALIAS_MULTI_OUTPUT))
        check(api->tensor_set_root(t, root, alias | TN_ALIAS_MULTI_OUTPUT));
      api->tensor_set_flags(t, TN_TENSOR_TRACKED, 1);
    }
    mark_current(t);
    set_history(t, make_view_node(call.facts.name(), base, t, inputs[0].edge).give(), 0);
  });
  return nullptr;
}

// ---- operators that write ----

[[noreturn]] void refuse(const Call& call, const tn_tensor* tensor, const char* why) {
  fail(TN_RUNTIME_ERROR, "%s in place on %s: %s", call.facts.name(),
       Tensor::share(const_cast<tn_tensor*>(tensor)).describe().c_str(), why);
}

bool is_required_leaf(const tn_tensor* tensor) {
  const Meta* meta = find_meta(tensor);
  return meta && !meta->grad_fn && meta->requires_grad;
}

// Refuses in-place calls whose gradient would be wrong or ill-defined, in PyTorch's words.
void check_written(const Call& call, const tn_tensor* tensor) {
  if (is_required_leaf(tensor))
    refuse(call, tensor,
           "a leaf Variable that requires grad is being used in an in-place operation. Write under "
           "no_grad, or use the "
           "functional form");
  if (!(tensor->flags & TN_TENSOR_TRACKED)) return;
  const tn_tensor* root = api->tensor_root(tensor);
  if (!root) return;
  if (is_required_leaf(root))
    refuse(call, tensor,
           "a view of a leaf Variable that requires grad is being used in an in-place operation. "
           "Write under no_grad, or "
           "use the functional form");
  if (root->dtype != tensor->dtype && real_dtype(root->dtype) != tensor->dtype)
    refuse(call, tensor,
           "it shows memory of another dtype, and how the write changes the gradients of that is "
           "not known. Clone the view, or write to its base");
  const uint32_t alias = api->tensor_alias_flags(tensor);
  if (alias & TN_ALIAS_MULTI_OUTPUT)
    refuse(
        call, tensor,
        "this view is one output of a function that returns multiple views. Such functions do not "
        "allow the output views "
        "to be modified inplace. You should replace the inplace operation by an out-of-place one");
  if (alias & TN_ALIAS_NO_GRAD)
    refuse(call, tensor,
           "a view was created in no_grad mode and is being modified inplace with grad mode "
           "enabled. Make the view where "
           "gradients are recorded, or write to it under no_grad");
}

void check_out(const Call& call, bool requires_grad) {
  each_result(call, [&](uint32_t, tn_tensor* t) { requires_grad |= t && gradient_edge(t).node; });
  if (requires_grad)
    fail(TN_RUNTIME_ERROR,
         "%s(): functions with out=... arguments don't support automatic differentiation, but one "
         "of the arguments requires "
         "grad. Use the functional form, or call it under no_grad",
         call.facts.name());
}

// What an in-place call writes: its first argument, and others that the schema marks.
template <class Visit>
void each_written(const Call& call, Visit&& visit) {
  each_tensor(call.args, call.nargs, [&](uint32_t argument, tn_tensor* t) {
    if (t && call.facts.written >> argument & 1 && differentiable(t->dtype)) visit(argument, t);
  });
}

tn_status record_inplace(const Call& call, Rule rule, const Inputs& inputs) {
  each_written(call, [&](uint32_t, tn_tensor* t) {
    check_written(call, t);
    need_meta(t);  // so that nothing can fail once memory is written
  });
  NodeRef node(make_call_node(call.facts, rule, TN_INPLACE, call.args, call.nargs, inputs));
  tn_tensor* self = call.args[0].tag == TN_TAG_TENSOR ? call.args[0].u.tensor : nullptr;
  const bool through_view = self && differentiable(self->dtype) &&
                            self->flags & TN_TENSOR_TRACKED && api->tensor_root(self);
  Buffer<int64_t, 16> before(through_view ? 2 * static_cast<size_t>(self->dl.ndim) : 0);
  int64_t* room = before.data();
  Geometry geometry;
  if (through_view) {
    geometry = copy_geometry(geometry_of(self), room);
    need_meta(api->tensor_root(self));
  }
  if (tn_status status = call.next()) return status;
  save_results(static_cast<CallNode&>(*node.get()), call.args, self ? 1 : 0);
  if (through_view && api->tensor_root(self)) {  // set_ makes it a view of nothing
    const Geometry after = geometry_of(self);
    if (after.sizes == geometry.sizes && after.strides == geometry.strides &&
        after.offset == geometry.offset) {
      rebase(self, std::move(node));
      return nullptr;
    }
    // The view itself was given another shape, as by transpose_: no memory was written, no other
    // view is concerned.
    set_history(self, node.give(), 0);
    mark_current(self);
    return nullptr;
  }
  uint32_t output = 0;
  each_written(call, [&](uint32_t, tn_tensor* t) { set_history(t, retain(node.get()), output++); });
  static_cast<CallNode&>(*node.get()).noutputs = std::max(output, node->noutputs);
  return nullptr;
}

// ---- everything else ----

tn_status record_functional(const Call& call, Rule rule, const Inputs& inputs) {
  NodeRef node(make_call_node(call.facts, rule, TN_FUNCTIONAL, call.args, call.nargs, inputs));
  if (tn_status status = call.next()) return status;
  // Real arguments and a complex number make complex results.
  if (is_for_reals(call, rule))
    each_result(call, [&](uint32_t, tn_tensor* t) { check_real(call, t, "gives"); });
  save_results(static_cast<CallNode&>(*node.get()), call.rets, call.nrets);
  const uint64_t carrying =
      rule == Rule::kFormulas ? call.facts.derivative->differentiable_rets : ~uint64_t{0};
  uint32_t output = 0;
  for (uint32_t i = 0; i < call.nrets; ++i) {
    const tn_value& v = call.rets[i];
    if (v.tag != TN_TAG_TENSOR && v.tag != TN_TAG_TENSORS) {
      ++output;
      continue;
    }
    each_tensor(&v, 1, [&](uint32_t, tn_tensor* t) {
      const uint32_t index = output++;
      if (!t || !(carrying >> i & 1) || !differentiable(t->dtype) || is_one_of(inputs, t)) return;
      // A view of something the operator made inside: nobody else can see that.
      if (t->flags & TN_TENSOR_TRACKED) api->tensor_set_flags(t, TN_TENSOR_TRACKED, 0);
      set_history(t, retain(node.get()), index);
    });
  }
  return nullptr;
}

size_t count_tensors(const tn_value* args, uint32_t nargs) {
  size_t count = 0;
  for (uint32_t i = 0; i < nargs; ++i)
    count += args[i].tag == TN_TAG_TENSOR ? 1 : args[i].tag == TN_TAG_TENSORS ? args[i].len : 0;
  return count;
}

tn_status record_call(const Call& call) {
  Inputs inputs(count_tensors(call.args, call.nargs));
  bool requires_grad = false;
  Input* next = inputs.begin();
  each_tensor(call.args, call.nargs, [&](uint32_t argument, tn_tensor* t) {
    *next = {t, t && differentiable(t->dtype) ? gradient_edge(t) : Edge{}, argument};
    requires_grad |= next++->edge.node != nullptr;
  });
  const tn_form form = static_cast<tn_form>(call.frame->form);
  if (form == TN_OUT) check_out(call, requires_grad);
  if (!requires_grad) return pass(call);
  const bool none = call.facts.flags & TN_OP_NOT_DIFFERENTIABLE;
  const Rule rule = call.facts.derivative ? Rule::kFormulas : none ? Rule::kStop : Rule::kMissing;
  if (is_for_reals(call, rule)) {
    for (const Input& in : inputs)
      if (in.edge.node) check_real(call, in.tensor, "takes");
    if (form == TN_INPLACE)
      each_written(call, [&](uint32_t, tn_tensor* t) { check_real(call, t, "writes"); });
  }
  if (form == TN_INPLACE) return record_inplace(call, rule, inputs);
  if (rule == Rule::kStop) return pass(call);
  if (rule == Rule::kMissing && call.facts.flags & TN_OP_VIEW) return record_view(call, inputs);
  return record_functional(call, rule, inputs);
}

}  // namespace

tn_status record(tn_frame* frame, void*, const tn_value* args, uint32_t nargs, tn_value* rets,
                 uint32_t nrets) noexcept {
  tn_status status = nullptr;
  const tn_status thrown = guard([&] {
    if (frame->flags & TN_THREAD_NO_GRAD)
      status = pass(frame, args, nargs, rets, nrets);
    else
      status =
          record_call({frame, facts_of(frame->op, frame->device.type), args, nargs, rets, nrets});
  });
  return thrown ? thrown : status;
}

}  // namespace tn::graph
