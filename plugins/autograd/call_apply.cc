// What a recorded call does in the backward pass: unpack, run formulas, hand out their results.
#include <algorithm>
#include <mutex>
#include <utility>

#include <tenon/autograd.h>

#include "call_node.h"
#include "meta.h"
#include "operators.h"

namespace tn::graph {

namespace {

using Tensors = Buffer<tn_tensor*, 16>;

struct Held {
  Tensors list;
  explicit Held(size_t n) : list(n, nullptr) {}
  ~Held() {
    for (tn_tensor* t : list)
      if (t) api->tensor_release(t);
  }
};

struct Values {
  Buffer<tn_value, 16> list;
  explicit Values(size_t n) : list(n, tn_value{}) {}
  ~Values() {
    for (tn_value& v : list)
      if (v.tag != TN_TAG_NONE) api->value_drop(&v);
  }
};

// The saved tensors, owned: of the arguments first, then of the results.
void unpack(CallNode& node, bool keep, Held& held) {
  const uint32_t nrets = node.facts->schema->nrets;
  bool freed = false;
  {
    const std::lock_guard lock(node.lock);
    freed = node.freed;
    if (!freed) {
      for (uint32_t i = 0; i < node.nedges; ++i) held.list[i] = node.operands[i].saved.tensor;
      for (uint32_t i = 0; i < nrets; ++i) held.list[node.nedges + i] = node.saved_rets[i].tensor;
      if (!keep)
        node.freed = true;
      else
        for (tn_tensor* t : held.list)
          if (t) api->tensor_retain(t);
    }
  }
  if (freed)
    fail(TN_RUNTIME_ERROR,
         "Trying to backward through the graph a second time: what %s saved was freed when its "
         "gradient was computed. "
         "Pass retain_graph=True (TN_BACKWARD_RETAIN_GRAPH) to the first backward",
         node.facts->name());
}

void check_version(const CallNode& node, const Saved& saved, tn_tensor* tensor, const char* role,
                   const char* name) {
  const uint64_t version = api->tensor_version(tensor);
  if (version == saved.version) return;
  fail(TN_RUNTIME_ERROR,
       "one of the variables needed for gradient computation has been modified by an inplace "
       "operation: %s saved its %s "
       "%s%s%s (%s) at version %llu, and it is now at version %llu. Clone it before the in-place "
       "operator, or use that "
       "operator's functional form",
       node.facts->name(), role, *name ? "'" : "", name, *name ? "'" : "",
       Tensor::share(tensor).describe().c_str(), static_cast<unsigned long long>(saved.version),
       static_cast<unsigned long long>(version));
}

void check_versions(const CallNode& node, const Held& held) {
  const tn_schema& schema = *node.facts->schema;
  for (uint32_t i = 0; i < node.nedges; ++i)
    if (held.list[i])
      check_version(node, node.operands[i].saved, held.list[i], "argument",
                    schema.args[node.operands[i].argument].name);
  for (uint32_t i = 0; i < schema.nrets; ++i)
    if (tn_tensor* t = held.list[node.nedges + i])
      check_version(node, node.saved_rets[i], t, "result", schema.rets[i].name);
}

// Where formulas are recorded themselves: the saved tensor with its place in the graph.
void connect(tn_tensor*& tensor, Edge edge) {
  if (!edge.node) return;
  tn_tensor* fresh = nullptr;
  check(api->tensor_shallow(tensor, &fresh));
  Tensor connected = Tensor::own(fresh);
  set_history(fresh, retain(edge.node), edge.index);
  const Tensor previous = Tensor::own(std::exchange(tensor, connected.release()));
}

void connect_all(const CallNode& node, Edge own, Held& held) {
  for (uint32_t i = 0; i < node.nedges; ++i)
    if (held.list[i]) connect(held.list[i], node.edges[i]);
  const uint64_t differentiable_rets = node.facts->derivative->differentiable_rets;
  for (uint32_t i = 0; i < node.facts->schema->nrets; ++i)
    if (tn_tensor*& t = held.list[node.nedges + i];
        t && differentiable(t->dtype) && differentiable_rets >> i & 1)
      connect(t, {own.node, own.index + i});
}

void fill_meta(tn_meta& meta, const Shape& shape) {
  meta.device = shape.device;
  meta.dtype = shape.dtype;
  meta.layout = shape.layout;
  meta.memory_format = TN_CONTIGUOUS;
  meta.has_strides = 0;
  meta.ndim = shape.ndim;
  meta.flags = 0;
  for (int32_t d = 0; d < shape.ndim; ++d) meta.sizes[d] = shape.sizes[d];
}

// Formulas for tensors meet a number where the caller gave one: it becomes a 0-dim tensor that
// takes no part in promotion.
Tensor number_tensor(const tn_value& v) {
  const bool complex = v.tag == TN_TAG_COMPLEX,
             integral = v.tag == TN_TAG_INT || v.tag == TN_TAG_BOOL;
  tn_device host;
  check(api->device_host(&host));
  const tn_dtype dtype = complex                ? TN_C128
                         : v.tag == TN_TAG_BOOL ? TN_BOOL
                         : integral             ? TN_I64
                                                : TN_F64;
  Tensor t = ops::empty_strided({}, {}, dtype, host);
  const uint8_t truth = v.u.i != 0;
  const void* data = &v.u.bits;
  if (complex) data = v.u.floats;
  if (v.tag == TN_TAG_BOOL) data = &truth;
  check(api->tensor_write(t.get(), data, api->dtype_size(dtype)));
  api->tensor_set_flags(t.get(), TN_TENSOR_WRAPPED, 1);
  return t;
}

bool is_number(uint16_t tag) {
  return tag == TN_TAG_INT || tag == TN_TAG_FLOAT || tag == TN_TAG_BOOL || tag == TN_TAG_COMPLEX;
}

// Arguments as the formulas see them: saved tensors in their places.
void lay_out(const CallNode& node, Held& held, Buffer<tn_value, 16>& args, Held& numbers,
             uint64_t reads) {
  const tn_schema& schema = *node.facts->schema;
  for (uint32_t i = 0; i < schema.nargs; ++i) {
    args[i] = node.args[i];
    if (!is_number(args[i].tag) || schema.args[i].type != TN_TYPE_TENSOR || !(reads >> i & 1))
      continue;
    numbers.list[i] = number_tensor(args[i]).release();
    args[i] = {TN_TAG_TENSOR, 0, 0, {}};
    args[i].u.tensor = numbers.list[i];
  }
  for (uint32_t k = node.nedges; k-- > 0;) {
    tn_value& arg = args[node.operands[k].argument];
    if (arg.tag == TN_TAG_TENSORS) {
      arg.u.tensors = &held.list[k];  // ends at the list's first entry
    } else if (held.list[k]) {
      arg = {TN_TAG_TENSOR, 0, 0, {}};
      arg.u.tensor = held.list[k];
    }
  }
}

bool holds_complex(const tn_tensor* t) {
  return t && is_complex(static_cast<DType>(t->dtype));
}

bool is_holomorphic(const CallNode& node) {
  return node.facts->derivative->flags & TN_DERIVATIVE_HOLOMORPHIC;
}

// The gradients of the results as the formulas want them: conjugated where they are holomorphic,
// so that conj(formula(conj(grad))) is grad * conj(f'(x)). `room` owns what is made.
tn_tensor* const* conjugated(const CallNode& node, const Apply& call, Held& room) {
  if (!is_holomorphic(node) || std::none_of(call.grads, call.grads + node.noutputs, holds_complex))
    return call.grads;
  for (uint32_t i = 0; i < node.noutputs; ++i)
    if (call.grads[i]) room.list[i] = ops::conjugate(Tensor::share(call.grads[i])).release();
  return room.list.data();
}

// One argument's gradient, or one per entry of a list, to the edges.
void hand_out(const CallNode& node, Buffer<tn_value, 16>& grads, const Apply& call) {
  const bool conjugates = is_holomorphic(node);
  for (uint32_t k = 0; k < node.nedges;) {
    const uint32_t argument = node.operands[k].argument, first = k;
    tn_value& grad = grads[argument];
    while (k < node.nedges && node.operands[k].argument == argument) ++k;
    if (grad.tag == TN_TAG_NONE) continue;
    const bool list = grad.tag == TN_TAG_TENSORS;
    if ((!list && grad.tag != TN_TAG_TENSOR) || (list ? grad.len : 1) != k - first)
      fail(TN_INTERNAL,
           "the derivative of %s answered argument '%s' with %u gradients instead of %u",
           node.facts->name(), node.facts->schema->args[argument].name, list ? grad.len : 1,
           k - first);
    if (!list && !(conjugates && holds_complex(grad.u.tensor))) {  // handed on, not shared
      if (call.wanted[first]) call.results[first] = std::exchange(grad, tn_value{}).u.tensor;
      continue;
    }
    tn_tensor* const* tensors = list ? grad.u.tensors : &grad.u.tensor;
    for (uint32_t i = first; i < k; ++i)
      if (call.wanted[i] && tensors[i - first]) {
        Tensor found = Tensor::share(tensors[i - first]);
        call.results[i] = (conjugates ? ops::conjugate(found) : std::move(found)).release();
      }
  }
}

[[noreturn]] void no_derivative(const CallNode& node, const char* argument) {
  const tn_schema& schema = *node.facts->schema;
  fail(TN_NOT_IMPLEMENTED,
       "%s has no derivative%s%s%s, and a gradient is asked for. Its owner can add one (attribute "
       "%s), or call it under "
       "no_grad or on detached tensors",
       schema.full_name, argument ? " for its argument '" : "", argument ? argument : "",
       argument ? "'" : "", TN_DERIVATIVE_ATTRIBUTE);
}

}  // namespace

void apply_call(Node& base, Apply& call) {
  CallNode& node = static_cast<CallNode&>(base);
  const tn_schema& schema = *node.facts->schema;
  if (node.rule == Rule::kStop) return;
  if (node.rule == Rule::kMissing) no_derivative(node, nullptr);
  uint64_t wanted = 0;
  for (uint32_t i = 0; i < node.nedges; ++i)
    if (call.wanted[i] && node.edges[i].node) wanted |= uint64_t{1} << node.operands[i].argument;
  if (const uint64_t uncovered = wanted & ~node.facts->covered)
    no_derivative(node, schema.args[__builtin_ctzll(uncovered)].name);

  Held held(node.nedges + schema.nrets);
  if (node.saves) {
    unpack(node, call.keep, held);
    check_versions(node, held);
    if (call.create) connect_all(node, call.own, held);
  }
  const tn_derivative& derivative = *node.facts->derivative;
  uint64_t reads = 0;
  for (uint32_t i = 0; i < derivative.nformulas; ++i)
    if (derivative.formulas[i].args & wanted) reads |= derivative.formulas[i].reads_args;

  Held numbers(schema.nargs);
  Buffer<tn_value, 16> args(schema.nargs), rets(schema.nrets, tn_value{});
  lay_out(node, held, args, numbers, reads);
  for (uint32_t i = 0; i < schema.nrets; ++i) {
    if (!held.list[node.nedges + i]) continue;
    rets[i].tag = TN_TAG_TENSOR;
    rets[i].u.tensor = held.list[node.nedges + i];
  }
  Buffer<tn_meta, 6> metas(node.nedges + schema.nrets);
  Buffer<const tn_meta*, 16> arg_metas(schema.nargs, nullptr), ret_metas(schema.nrets, nullptr);
  for (uint32_t k = node.nedges; k-- > 0;) {
    fill_meta(metas[k], node.shapes[k]);
    arg_metas[node.operands[k].argument] = &metas[k];
  }
  for (uint32_t i = 0; i < schema.nrets; ++i) {
    if (!node.results[i].sizes) continue;
    fill_meta(metas[node.nedges + i], node.results[i]);
    ret_metas[i] = &metas[node.nedges + i];
  }

  Held conjugates(node.noutputs);
  Values grads(schema.nargs);
  tn_backward backward = {sizeof(tn_backward),
                          0,
                          api,
                          node.facts->op,
                          args.data(),
                          schema.nargs,
                          node.noutputs,
                          rets.data(),
                          conjugated(node, call, conjugates),
                          arg_metas.data(),
                          ret_metas.data(),
                          wanted};
  for (uint32_t i = 0; i < derivative.nformulas; ++i) {
    const tn_formula& formula = derivative.formulas[i];
    if (!(formula.args & wanted)) continue;
    if (tn_status status = formula.fn(&backward, &formula, grads.list.data()))
      throw Error(api->status_annotate(status, "in the gradient of %s", node.facts->name()));
  }
  hand_out(node, grads.list, call);
}

}  // namespace tn::graph
