// The interface "tenon.autograd" version 1.
#pragma once

#include <tenon/autograd.h>

namespace tn::graph {

extern const tn_autograd interface_table;

}  // namespace tn::graph
