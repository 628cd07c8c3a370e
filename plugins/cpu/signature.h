// signature.h - what an element-wise kernel has to know of its operator's schema, at compile time.
#pragma once

#include <string_view>

#include <tenon/base.h>

namespace tn::cpu {

inline constexpr int kMaxInputs = 4, kMaxParams = 4;

// Positions among the schema's arguments.
struct Signature {
  int ntensors = 0;
  int tensors[kMaxInputs] = {};
  int nparams = 0;
  int params[kMaxParams] = {};
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
    if (argument.starts_with("Tensor"))
      s.tensors[s.ntensors++] = position;
    else if (argument.starts_with("str"))
      s.mode = position;
    else
      s.params[s.nparams++] = position;
    ++position;
  }
  return s;
}

}  // namespace tn::cpu
