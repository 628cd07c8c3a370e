// Backward passes as users ask for them: arguments checked, gradients to start from made.
#pragma once

#include "node.h"

namespace tn::graph {

// As tn_autograd.backward and tn_autograd.grad_of; throw Error.
void backward(tn_tensor* const* tensors, tn_tensor* const* grads, uint32_t count, uint32_t flags);
void gradients_of(tn_tensor* const* outputs, tn_tensor* const* grads, uint32_t noutputs,
                  tn_tensor* const* inputs, uint32_t ninputs, uint32_t flags, tn_tensor** results);

}  // namespace tn::graph
