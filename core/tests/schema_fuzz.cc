// Any text as an operator's schema: refused with the place, or a signature whose parts fit
// together.
#include <tenon/operator.h>
#include <tenon/plugin.h>

#include <memory>
#include <string>
#include <string_view>

#include "core/registration.h"
#include "core/schema.h"
#include "core/tests/fuzz_check.h"

using tenon::require;
using tenon::require_clear;

namespace {

// The tag of a default value of a parameter's type.
bool fits(const tn_param& p, const tn_value& v) {
  if (v.tag == TN_TAG_NONE) return p.flags & TN_PARAM_OPTIONAL;
  const bool list = p.flags & TN_PARAM_LIST;
  switch (p.type) {
    case TN_TYPE_TENSOR:
      return list && v.tag == TN_TAG_TENSORS && v.len == 0;
    case TN_TYPE_INT:
      return v.tag == (list ? TN_TAG_INTS : TN_TAG_INT);
    case TN_TYPE_FLOAT:
      return v.tag == (list ? TN_TAG_FLOATS : TN_TAG_FLOAT);
    case TN_TYPE_BOOL:
      return v.tag == (list ? TN_TAG_BOOLS : TN_TAG_BOOL);
    case TN_TYPE_SCALAR:
      return !list && (v.tag == TN_TAG_INT || v.tag == TN_TAG_FLOAT || v.tag == TN_TAG_BOOL);
    case TN_TYPE_STRING:
      return !list && v.tag == TN_TAG_STRING && std::string_view(v.u.str).size() == v.len;
    case TN_TYPE_DTYPE:
      return !list && v.tag == TN_TAG_DTYPE && tn_dtype_size(static_cast<tn_dtype>(v.u.i)) > 0;
    case TN_TYPE_LAYOUT:
      return !list && v.tag == TN_TAG_LAYOUT;
    case TN_TYPE_MEMORY_FORMAT:
      return !list && v.tag == TN_TAG_MEMORY_FORMAT;
    default:
      return false;  // devices and objects have no literal
  }
}

// Every entry of a list can be read.
void read_list(const tn_value& v) {
  volatile double sum = 0;
  for (uint32_t i = 0; i < v.len; ++i) {
    if (v.tag == TN_TAG_INTS) sum = sum + static_cast<double>(v.u.ints[i]);
    if (v.tag == TN_TAG_FLOATS) sum = sum + v.u.floats[i];
    if (v.tag == TN_TAG_BOOLS) require(v.u.bools[i] <= 1);
  }
}

void check(const tn_schema& s) {
  require(s.nrequired <= s.nargs && s.npositional <= s.nargs && s.nargs <= 64);
  const std::string name = s.name, overload = s.overload;
  require(!name.empty() && s.full_name == (overload.empty() ? name : name + "." + overload));
  for (uint32_t i = 0; i < s.nargs; ++i) {
    const tn_param& p = s.args[i];
    require(*p.name != '\0' && p.list_length <= TN_MAX_DIMS);
    require(!(p.flags & TN_PARAM_KEYWORD_ONLY) == (i < s.npositional));
    if (i + 1 == s.nrequired) require(!(p.flags & TN_PARAM_HAS_DEFAULT));
    if (!(p.flags & TN_PARAM_HAS_DEFAULT)) continue;
    require(fits(p, p.default_value));
    read_list(p.default_value);
  }
  for (uint32_t i = 0; i < s.nrets; ++i) require(s.rets[i].name != nullptr);
  require(tenon::schema_hash(s, s.nargs) == s.hash);
}

tn_status infer_nothing(tn_frame*, void*, const tn_value*, uint32_t, tn_meta*, uint32_t) {
  return nullptr;
}

// As a plugin's entry does, which then fails: nothing may remain.
void declare(const char* text, uint16_t kind, uint32_t flags) {
  tn_plugin plugin = TN_INIT(tn_plugin);
  auto* registration = tenon::registration_begin("acme");
  plugin.registration = registration;
  tn_op_desc desc = TN_INIT(tn_op_desc);
  desc.schema = text;
  desc.kind = kind;
  desc.flags = flags;
  desc.infer = infer_nothing;
  if (tn_status status = tn_register_op(&plugin, &desc))
    require_clear(tenon::to_problem(status));
  else
    require(tenon::to_problem(tn_register_op(&plugin, &desc)).code == TN_ALREADY_EXISTS);
  tenon::registration_abort(registration);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  tn_schema* schema = nullptr;
  if (tn_status status = tn_schema_parse(text.c_str(), &schema)) {
    require_clear(tenon::to_problem(status));
    return 0;
  }
  check(*schema);
  tn_schema* again = nullptr;
  require(tn_schema_parse(schema->text, &again) == nullptr && again->hash == schema->hash);
  tn_schema_free(again);
  tn_schema_free(schema);
  declare(text.c_str(), TN_KIND_STRUCTURED, 0);
  declare(text.c_str(), TN_KIND_POINTWISE, TN_OP_INPLACE);
  declare(text.c_str(), TN_KIND_STRUCTURED, TN_OP_INPLACE_ONLY);
  return 0;
}
