#include "signature.h"

#include <string>
#include <string_view>

#include "errors.h"

namespace tenon_python {
namespace {

bool is_plain_tensor(const tn_param& param) {
  return param.type == TN_TYPE_TENSOR && (param.flags & TN_PARAM_LIST) == 0;
}

// The argument named self wherever it stands, else a leading tensor named input; nargs when there
// is neither.
uint32_t find_receiver(const tn_schema& schema) {
  for (uint32_t i = 0; i < schema.npositional; ++i) {
    if (std::string_view(schema.args[i].name) == "self" && is_plain_tensor(schema.args[i]))
      return i;
  }
  const bool leads = schema.npositional > 0 && is_plain_tensor(schema.args[0]) &&
                     std::string_view(schema.args[0].name) == "input";
  return leads ? 0 : schema.nargs;
}

// PyTorch's rule: a list of ints that is the only positional argument beside the receiver may be
// spread out.
bool spreads(const tn_schema& schema, uint32_t receiver) {
  const uint32_t others = receiver == 0 ? 1 : 0;
  if (schema.npositional != others + 1) return false;
  const tn_param& last = schema.args[others];
  return last.type == TN_TYPE_INT && (last.flags & TN_PARAM_LIST) != 0;
}

const tn_op* form_or_null(const tn_op* op, tn_form form) {
  const tn_op* result = nullptr;
  tn_status status = tn_op_form(op, form, &result);
  if (status == nullptr) return result;
  tn_status_release(status);
  return nullptr;
}

bool make(const tn_op* op, bool in_place, Signature* out) {
  const tn_op_desc* facts = tn_op_facts(op);
  out->schema = tn_op_schema(op);
  if (out->schema->nargs > kMaxArguments || out->schema->nrets > kMaxResults) {
    PyErr_Format(PyExc_RuntimeError, "%s has more arguments or results than Python can pass",
                 out->schema->full_name);
    return false;
  }
  out->op = op;
  out->out = in_place ? nullptr : form_or_null(op, TN_OUT);
  out->receiver = find_receiver(*out->schema);
  out->pointwise = facts->kind == TN_KIND_POINTWISE;
  out->spreads = spreads(*out->schema, out->receiver);
  out->returns_receiver =
      in_place && out->schema->nargs > 0 && is_plain_tensor(out->schema->args[0]);
  out->makes_leaf = facts->device_rule == TN_DEVICE_ARGUMENT &&
                    (facts->flags & TN_OP_NOT_DIFFERENTIABLE) != 0 && out->schema->nrets == 1;
  for (uint32_t i = 0; i < out->schema->nargs; ++i) {
    Ref name(PyUnicode_InternFromString(out->schema->args[i].name));
    if (!name) return false;
    out->names.push_back(std::move(name));
    if (is_plain_tensor(out->schema->args[i])) out->tensors |= uint64_t{1} << i;
  }
  return true;
}

// False where something keeps the operator from being known, such as a start or a plugin that
// failed, which is raised. That nobody declares it is no such thing.
bool look_for(const char* name) {
  const tn_op* op = nullptr;
  tn_status status = tn_resolve_op(name, nullptr, 0, &op);
  if (status != nullptr && tn_status_code(status) != TN_NOT_FOUND) {
    raise(status);
    return false;
  }
  tn_status_release(status);
  return true;
}

std::vector<const tn_op*> overloads(const char* name) {
  std::vector<const tn_op*> ops(tn_op_overloads(name, nullptr, 0));
  ops.resize(tn_op_overloads(name, ops.data(), ops.size()));
  return ops;
}

}  // namespace

bool find_signatures(const char* name, const char* overload, bool method,
                     std::vector<Signature>* out) {
  out->clear();
  std::string base = name;
  std::vector<const tn_op*> ops = overloads(name);
  const bool underscore = base.size() > 1 && base.back() == '_' && base[base.size() - 2] != '_';
  if (ops.empty() && underscore) {
    base.pop_back();
    ops = overloads(base.c_str());
  }
  if (ops.empty()) {
    if (!look_for(name)) return false;
    ops = overloads(name);
  }
  for (const tn_op* op : ops) {
    const tn_schema* schema = tn_op_schema(op);
    if (overload != nullptr && std::string_view(overload) != schema->overload) continue;
    bool in_place = tn_op_own_form(op) == TN_INPLACE;
    if (underscore && !in_place) {
      op = form_or_null(op, TN_INPLACE);
      in_place = true;
    }
    if (op == nullptr) continue;
    Signature signature{};
    if (!make(op, in_place, &signature)) return false;
    if (method && signature.receiver == schema->nargs) continue;
    out->push_back(std::move(signature));
  }
  return true;
}

}  // namespace tenon_python
