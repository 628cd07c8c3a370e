// Making parameters: tensors of the default dtype on the default device (tenon.toml's
// default_device) that require gradients. A module moves to others with to().
#pragma once

#include <tenon/calls.h>
#include <tenon/sdk/autograd.h>

namespace tn::nn {

// Uninitialised.
inline Tensor parameter(Ints sizes) {
  Tensor t = empty(sizes);
  t.requires_grad_();
  return t;
}
inline Tensor parameter(Ints sizes, double value) {
  Tensor t = full(sizes, value);
  t.requires_grad_();
  return t;
}

}  // namespace tn::nn
