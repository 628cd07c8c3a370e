// What a plugin's entry may call: checked here, and staged until the entry returns.
#include "core/registration_staged.h"

#include <algorithm>
#include <cstring>

#include <tenon/plugin.h>
#include <tenon/thread.h>

#include "core/error.h"
#include "core/execute.h"
#include "core/guard.h"
#include "core/keep.h"
#include "core/registry_state.h"

namespace tenon {
namespace {

Registration& staged(tn_plugin* plugin) {
  return *static_cast<Registration*>(plugin->registration);
}

constexpr uint32_t tag(tn_tag t) {
  return uint32_t{1} << t;
}

// The tags that a call may hand over as they are.
constexpr uint32_t kEnumerators = uint32_t{1} << TN_TAG_DTYPE | uint32_t{1} << TN_TAG_LAYOUT |
                                  uint32_t{1} << TN_TAG_MEMORY_FORMAT;

uint32_t accepted_tags(const tn_param& p, bool numbers_for_tensors) {
  uint32_t tags = 0;
  const bool list = p.flags & TN_PARAM_LIST;
  const uint32_t numbers =
      tag(TN_TAG_INT) | tag(TN_TAG_FLOAT) | tag(TN_TAG_BOOL) | tag(TN_TAG_COMPLEX);
  switch (static_cast<tn_type>(p.type)) {
    case TN_TYPE_TENSOR:
      tags = list ? tag(TN_TAG_TENSORS) : tag(TN_TAG_TENSOR) | (numbers_for_tensors ? numbers : 0);
      break;
    case TN_TYPE_INT:
      tags = tag(list ? TN_TAG_INTS : TN_TAG_INT);
      break;
    case TN_TYPE_FLOAT:
      tags = tag(list ? TN_TAG_FLOATS : TN_TAG_FLOAT);
      break;
    case TN_TYPE_BOOL:
      // What reads `bool[3]` reads three: such a list is taken by arguments_normalize, which
      // counts.
      tags = !list ? tag(TN_TAG_BOOL) : p.list_length ? 0 : tag(TN_TAG_BOOLS);
      break;
    case TN_TYPE_SCALAR:
      tags = numbers;
      break;
    case TN_TYPE_STRING:
      tags = tag(TN_TAG_STRING);
      break;
    case TN_TYPE_DTYPE:
      tags = tag(TN_TAG_DTYPE);
      break;
    case TN_TYPE_DEVICE:
      tags = tag(TN_TAG_DEVICE);
      break;
    case TN_TYPE_LAYOUT:
      tags = tag(TN_TAG_LAYOUT);
      break;
    case TN_TYPE_MEMORY_FORMAT:
      tags = tag(TN_TAG_MEMORY_FORMAT);
      break;
    case TN_TYPE_OBJECT:
      tags = tag(TN_TAG_OBJECT);
      break;
  }
  return p.flags & TN_PARAM_OPTIONAL ? tags | tag(TN_TAG_NONE) : tags;
}

// A struct as this core knows it: what a plugin's has not, or the core's has not, is left out.
template <class T>
T known_part(const T* given) {
  T known{};
  if (given) std::memcpy(&known, given, std::min<size_t>(given->size, sizeof known));
  return known;
}

tn_status check_desc(const tn_op_desc& d, const tn_schema& schema) {
  const bool known_kind = d.kind >= TN_KIND_POINTWISE && d.kind <= TN_KIND_COMPOSITE;
  if (!known_kind)
    return TN_ERROR(TN_INVALID_ARGUMENT, "operator %s: kind %u does not exist", schema.full_name,
                    d.kind);
  if (d.kind == TN_KIND_STRUCTURED && !d.infer)
    return TN_ERROR(TN_INVALID_ARGUMENT, "operator %s is structured and has no infer function",
                    schema.full_name);
  if (d.kind == TN_KIND_COMPOSITE && !d.decomposition)
    return TN_ERROR(TN_INVALID_ARGUMENT, "operator %s is composite and has no decomposition",
                    schema.full_name);
  if (d.flags & TN_OP_RETURNS_ARGUMENT && d.kind != TN_KIND_COMPOSITE)
    return TN_ERROR(TN_INVALID_ARGUMENT,
                    "operator %s may return an argument itself; only a decomposition can, since "
                    "layers have to see that no new tensor was made",
                    schema.full_name);
  const bool planned = d.kind == TN_KIND_POINTWISE || d.kind == TN_KIND_REDUCTION;
  if (!planned && d.check)
    return TN_ERROR(TN_INVALID_ARGUMENT,
                    "operator %s is neither element-wise nor a reduction and has a check; let what "
                    "it infers or runs refuse the arguments",
                    schema.full_name);
  if (planned && schema.nrets == 0)
    return TN_ERROR(TN_INVALID_ARGUMENT,
                    "operator %s is element-wise or a reduction and has no result",
                    schema.full_name);
  if (planned && schema.nargs + schema.nrets > TN_PLAN_MAX_OPERANDS + 8)
    return TN_ERROR(TN_INVALID_ARGUMENT, "operator %s has too many arguments for a plan",
                    schema.full_name);
  if (d.flags & TN_OP_INPLACE_ONLY &&
      (schema.nargs == 0 || !(schema.args[0].flags & TN_PARAM_WRITTEN)))
    return TN_ERROR(TN_INVALID_ARGUMENT,
                    "operator %s is in-place only, but its first argument is not marked (a!)",
                    schema.full_name);
  return nullptr;
}

std::unique_ptr<Operator> make_operator(const tn_op_desc& desc, tn_schema* schema,
                                        const std::string& plugin) {
  auto op = std::make_unique<Operator>();
  op->schema = schema;
  op->nargs = schema->nargs;
  op->nrets = schema->nrets;
  op->doc = desc.doc ? desc.doc : "";
  op->plugin = plugin;
  op->desc = desc;
  op->desc.size = sizeof op->desc;
  op->desc.schema = schema->text;
  op->desc.doc = op->doc.c_str();
  bool has_enumerators = false;  // whose values are to be checked in each call
  for (uint32_t i = 0; i < schema->nargs; ++i) {
    const tn_param& p = schema->args[i];
    const bool written = p.flags & TN_PARAM_WRITTEN;
    op->writes_arguments |= written;
    op->accepted_tags.push_back(accepted_tags(p, desc.kind == TN_KIND_POINTWISE && !written));
    has_enumerators |= op->accepted_tags.back() & kEnumerators;
    if (p.type == TN_TYPE_TENSOR && !(p.flags & TN_PARAM_LIST)) {
      op->tensor_args.push_back(static_cast<uint8_t>(i));
      op->operands |= uint64_t{1} << i;
    }
    const std::string_view name = p.name;
    const int at = static_cast<int>(i);
    if (name == "dim")
      op->positions.dim = at;
    else if (name == "keepdim")
      op->positions.keepdim = at;
    else if (name == "dtype")
      op->positions.dtype = at;
    else if (name == "device")
      op->positions.device = at;
  }
  op->accepted = op->accepted_tags.data();
  const uint32_t flags = op->desc.flags;
  op->execute = executor(static_cast<tn_op_kind>(desc.kind), op->writes_arguments);
  if (desc.kind == TN_KIND_POINTWISE && !(flags & TN_OP_INPLACE_ONLY) && !op->tensor_args.empty() &&
      !has_enumerators && op->nrets == 1 && op->tensor_args.size() < TN_PLAN_MAX_OPERANDS)
    op->uniform_results = uniform_results(desc.promotion);
  for (int f = 0; f < 3; ++f) op->forms[f] = {op.get(), static_cast<tn_form>(f), false};
  op->forms[TN_FUNCTIONAL].exists = !(flags & TN_OP_INPLACE_ONLY);
  op->forms[TN_OUT].exists = !(flags & (TN_OP_INPLACE_ONLY | TN_OP_NO_OUT));
  op->forms[TN_INPLACE].exists = flags & (TN_OP_INPLACE | TN_OP_INPLACE_ONLY);
  return op;
}

// Remembers one of a kind; false when it is the second.
bool first_of(Registration& reg, std::initializer_list<std::string_view> parts) {
  std::string key;
  for (const std::string_view part : parts) key.append(part).push_back('\n');
  return reg.seen.insert(std::move(key)).second;
}

}  // namespace
// ---- the C functions, declared in the ABI's headers
// -----------------------------------------------

extern "C" {

TN_API tn_status tn_register_op(tn_plugin* plugin, const tn_op_desc* given) {
  return guard([&]() -> tn_status {
    Registration& reg = staged(plugin);
    const tn_op_desc desc = known_part(given);
    if (!desc.schema)
      return TN_ERROR(TN_INVALID_ARGUMENT, "plugin %s declares an operator without a schema",
                      reg.plugin.c_str());
    tn_schema* parsed = nullptr;
    if (tn_status s = tn_schema_parse(desc.schema, &parsed)) return s;
    std::unique_ptr<tn_schema, decltype(&tn_schema_free)> schema(parsed, tn_schema_free);
    if (tn_status s = check_desc(desc, *schema)) return s;
    if (reg.find_operator(schema->full_name))
      return TN_ERROR(TN_ALREADY_EXISTS, "plugin %s declares operator %s twice", reg.plugin.c_str(),
                      schema->full_name);
    reg.operators.push_back(make_operator(desc, schema.get(), reg.plugin));
    static_cast<void>(schema.release());  // the registration's now
    reg.operators_by_name[parsed->full_name] = reg.operators.back().get();
    return nullptr;
  });
}

TN_API tn_status tn_register_kernel(tn_plugin* plugin, const tn_kernel_desc* given) {
  return guard([&]() -> tn_status {
    Registration& reg = staged(plugin);
    const tn_kernel_desc desc = known_part(given);
    if (!desc.op || !desc.fn || !desc.device == !desc.layer)
      return TN_ERROR(TN_INVALID_ARGUMENT,
                      "plugin %s registers a kernel that does not say its operator, its function "
                      "and either a device or a "
                      "layer",
                      reg.plugin.c_str());
    Registration::StagedKernel k{desc.op, desc.layer ? desc.layer : "", std::make_unique<Kernel>(),
                                 0};
    if (desc.layer && tn_layer_bit(desc.layer) == 0)
      return TN_ERROR(TN_NOT_FOUND,
                      "plugin %s registers a kernel of %s for layer %s, which no manifest declares",
                      reg.plugin.c_str(), desc.op, desc.layer);
    k.kernel->fn = desc.fn;
    k.kernel->state = desc.state;
    k.kernel->accepts = desc.accepts;
    k.kernel->caps = desc.caps;
    if (k.kernel->caps.layouts == 0) k.kernel->caps.layouts = 1u << TN_STRIDED;
    if (k.kernel->caps.flags & TN_CAP_PLAN && k.kernel->caps.layouts != 1u << TN_STRIDED)
      return TN_ERROR(TN_INVALID_ARGUMENT,
                      "plugin %s registers a kernel of %s with a plan and for other layouts than "
                      "strided, over which there are no plans",
                      reg.plugin.c_str(), desc.op);
    if (k.kernel->caps.dtypes == 0) k.kernel->caps.dtypes = ~uint64_t{0};
    k.schema_hash = desc.schema_hash;
    k.kernel->takes_all = !k.kernel->accepts && k.schema_hash == 0 &&
                          k.kernel->caps.dtypes == ~uint64_t{0} && k.kernel->caps.max_ndim == 0 &&
                          !(k.kernel->caps.flags & TN_CAP_CONTIGUOUS);
    k.kernel->device = desc.device ? desc.device : "";
    k.kernel->plugin = reg.plugin;
    k.kernel->provider = desc.provider ? desc.provider : reg.plugin;
    if (tn_status s = provider_number(k.kernel->provider, &k.kernel->provider_number)) return s;
    if (!first_of(reg, {"kernel", k.op, k.layer, k.kernel->device, k.kernel->provider}))
      return TN_ERROR(TN_ALREADY_EXISTS,
                      "plugin %s registers two kernels for %s on %s as provider %s",
                      reg.plugin.c_str(), desc.op, desc.device ? desc.device : desc.layer,
                      k.kernel->provider.c_str());
    reg.kernels.push_back(std::move(k));
    return nullptr;
  });
}

TN_API tn_status tn_register_fallback(tn_plugin* plugin, const char* layer, tn_kernel_fn fn,
                                      void* state) {
  return guard([&]() -> tn_status {
    Registration& reg = staged(plugin);
    if (tn_layer_bit(layer) == 0)
      return TN_ERROR(TN_NOT_FOUND,
                      "plugin %s registers a fallback for layer %s, which no manifest declares",
                      reg.plugin.c_str(), layer);
    reg.fallbacks.push_back({layer, {fn, state, keep(reg.plugin)}});
    return nullptr;
  });
}

TN_API tn_status tn_register_attribute(tn_plugin* plugin, const char* op, const char* attribute,
                                       const char* device, uint32_t version, const void* data) {
  return guard([&]() -> tn_status {
    Registration& reg = staged(plugin);
    if (!first_of(reg, {"attribute", op, attribute, device ? device : "", std::to_string(version)}))
      return TN_ERROR(TN_ALREADY_EXISTS, "plugin %s gives operator %s the attribute %s twice",
                      reg.plugin.c_str(), op, attribute);
    reg.attributes.push_back({op, attribute, device ? device : "", reg.plugin, version, data});
    return nullptr;
  });
}

TN_API tn_status tn_register_role(tn_plugin* plugin, const char* role, const char* op) {
  return guard([&]() -> tn_status {
    Registration& reg = staged(plugin);
    const int index = role_index(role);
    if (index < 0)
      return TN_ERROR(TN_NOT_FOUND,
                      "plugin %s binds role \"%s\"; the roles are \"copy\" and \"fill\"",
                      reg.plugin.c_str(), role);
    reg.roles.emplace_back(index, op);
    return nullptr;
  });
}

TN_API tn_status tn_register_device(tn_plugin* plugin, const tn_device_vtable* vtable) {
  return guard([&]() -> tn_status {
    Registration& reg = staged(plugin);
    if (!TN_HAS(vtable, name))
      return TN_ERROR(TN_INVALID_ARGUMENT, "plugin %s registers a device without a name",
                      reg.plugin.c_str());
    reg.devices.push_back(vtable);
    return nullptr;
  });
}

TN_API tn_status tn_register_fork_handlers(tn_plugin* plugin, const tn_fork_handlers* handlers) {
  return guard([&]() -> tn_status {
    staged(plugin).fork_handlers.push_back(*handlers);
    return nullptr;
  });
}

}  // extern "C"

}  // namespace tenon
