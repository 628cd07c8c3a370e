// How a schema's types and defaults are written in C++.
#pragma once

#include <string>

#include <tenon/schema.h>

namespace generate {

// The parameter's type: "const Tensor&", "Ints", "std::optional<double>". `operand` makes tensors
// "const Operand&". Throws std::runtime_error for a type that C++ calls have no form of.
std::string parameter_type(const tn_param& param, bool operand);

// What a default is written as: "1", "std::nullopt", "{0, 0}"; "" when there is none.
std::string default_text(const tn_param& param);

// The type of all results together: "void", "Tensor", "std::tuple<Tensor, Tensor>".
std::string result_type(const tn_schema& schema);

// The name itself, or with an underscore where C++ has reserved it.
std::string identifier(const std::string& name);
bool is_keyword(const std::string& name);

}  // namespace generate
