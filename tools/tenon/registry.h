// registry.h - the operators of the process, found by name.
#pragma once
#include <string>
#include <vector>

#include <tenon/operator.h>

namespace command {

// All that the plugins found declare, in alphabetical order. Loads those plugins; one that cannot
// be loaded costs only its own operators, and the core has logged the reason.
std::vector<const tn_op*> all_operators();

// The overloads of "add", in order of declaration; the one operator of "add.Tensor" or "add_".
// Throws Error when there is none.
std::vector<const tn_op*> operators_named(const std::string& name);

}  // namespace command
