// signature.h - what has to be known of an element-wise operator's schema at compile time.
#pragma once

#include <string_view>

#include <tenon/plan.h>

namespace tn::ops {

// Positions among the schema's arguments.
struct Signature {
  int ntensors = 0;
  int tensors[TN_PLAN_MAX_OPERANDS] = {};
  int nparams = 0;
  int params[TN_PLAN_MAX_OPERANDS] = {};
  int mode = -1;  // of the string, -1 when there is none
};

constexpr Signature parse_signature(std::string_view schema) {
  Signature s;
  std::string_view rest = schema.substr(schema.find('(') + 1);
  rest = rest.substr(0, rest.find(") ->"));
  for (int position = 0; !rest.empty();) {
    const size_t comma = rest.find(", ");
    const std::string_view argument = rest.substr(0, comma);
    rest = comma == rest.npos ? std::string_view() : rest.substr(comma + 2);
    if (argument == "*") continue;
    if (argument.substr(0, 6) == "Tensor")
      s.tensors[s.ntensors++] = position;
    else if (argument.substr(0, 3) == "str")
      s.mode = position;
    else
      s.params[s.nparams++] = position;
    ++position;
  }
  return s;
}

}  // namespace tn::ops
