#include "operator_facts.h"

#include <utility>

#include <tenon/sdk/error.h>

namespace command {
namespace {

// Indexed by the enums of tenon/operator.h.
constexpr const char* kKinds[] = {"?",          "pointwise", "reduction",
                                  "structured", "direct",    "composite"};
constexpr const char* kPromotions[] = {"common", "float", "bool",  "real",
                                       "sum",    "index", "first", "second"};
constexpr const char* kDeviceRules[] = {"same", "of first", "argument", "any"};

// Flags that say what an operator does; those that say which forms it has are answered by `forms`.
constexpr std::pair<std::uint32_t, const char*> kTags[] = {
    {TN_OP_VIEW, "view"},
    {TN_OP_RNG, "rng"},
    {TN_OP_DATA_DEPENDENT, "data-dependent"},
    {TN_OP_SYNCHRONIZES, "synchronizes"},
    {TN_OP_SIDE_EFFECT, "side effect"},
    {TN_OP_NONDETERMINISTIC, "nondeterministic"},
    {TN_OP_UPDATES_SELF, "updates self"},
    {TN_OP_RETURNS_ARGUMENT, "may return an argument"},
    {TN_OP_NOT_DIFFERENTIABLE, "not differentiable"},
    {TN_OP_COMPLEX_REJECTED, "no complex numbers"},
};

template <std::size_t N>
const char* name_of(const char* const (&names)[N], std::size_t value) {
  return value < N ? names[value] : "?";
}

bool has_form(const tn_op* op, tn_form form) {
  const tn_op* other = nullptr;
  tn_status status = tn::api->op_form(op, form, &other);
  const bool exists = status == nullptr;
  tn::api->status_release(status);
  return exists;
}

}  // namespace

OperatorFacts operator_facts(const tn_op* op) {
  const tn_schema* schema = tn::api->op_schema(op);
  const tn_op_desc* desc = tn::api->op_facts(op);
  OperatorFacts facts;
  facts.name = schema->full_name;
  facts.schema = schema->text;
  facts.doc = desc->doc != nullptr ? desc->doc : "";
  facts.kind = name_of(kKinds, desc->kind);
  if (desc->kind == TN_KIND_POINTWISE || desc->kind == TN_KIND_REDUCTION) {
    facts.promotion = name_of(kPromotions, desc->promotion);
  }
  facts.device_rule = name_of(kDeviceRules, desc->device_rule);
  for (const auto& [flag, tag] : kTags) {
    if (desc->flags & flag) facts.tags.emplace_back(tag);
  }
  if (has_form(op, TN_FUNCTIONAL)) facts.forms.emplace_back("functional");
  if (has_form(op, TN_OUT)) facts.forms.emplace_back("out");
  if (has_form(op, TN_INPLACE)) facts.forms.emplace_back("in-place");
  return facts;
}

}  // namespace command
