// Gradients on their way: made to fit their target, and added up.
#pragma once

#include "node.h"

namespace tn::graph {

// The gradient that `node` computed for its edge `edge`, as the edge's target wants it: summed
// where broadcasting repeated elements, converted to its dtype. Throws Error when that is
// impossible.
Tensor conform(Tensor grad, const Node& node, uint32_t edge);

// Adds an owned gradient to what has arrived at `*slot`; in place where nobody else can see that,
// unless `recorded`.
void accumulate(tn_tensor** slot, Tensor grad, bool recorded);

// True when nobody but the holder of the only reference can see this memory, and each element lies
// at one place.
bool unshared(const tn_tensor* tensor);

}  // namespace tn::graph
