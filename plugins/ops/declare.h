// How one list of operators is declared: defined for each list of tenon/ops/all.h in one file of
// this folder, so that the lists compile side by side. A list that no file defines it for fails the
// link.
#pragma once

#include <tenon/sdk/operators.h>
// After the calls, which the decompositions and gradients of a list are instantiated with.
#include <tenon/sdk/declare.h>

namespace ops {

template <class List>
void declare_list(tn_plugin* plugin);

}  // namespace ops
