// Initial values of parameters, written in place. All draw from the device's default generator
// (tn_manual_seed).
#pragma once

#include <cmath>

#include <tenon/calls.h>
#include <tenon/sdk/autograd.h>

namespace tn::nn::init {

// Inputs that one output of a weight [out, in, kernel...] sums over.
inline int64_t fan_in(const Tensor& weight) {
  if (weight.dim() < 2)
    fail(TN_INVALID_ARGUMENT, "a fan-in needs a weight [out, in, ...], got %s",
         weight.describe().c_str());
  return weight.size(0) == 0 ? 0 : weight.numel() / weight.size(0);
}

inline void uniform(const Tensor& tensor, double low, double high) {
  const NoGrad no_grad;
  uniform_(tensor, low, high);
}
inline void normal(const Tensor& tensor, double mean = 0, double std = 1) {
  const NoGrad no_grad;
  normal_(tensor, mean, std);
}
inline void constant(const Tensor& tensor, double value) {
  const NoGrad no_grad;
  fill_(tensor, value);
}

// He et al., "Delving deep into rectifiers", ICCV 2015, for a leaky ReLU of slope `a`:
// U(-bound, bound) with bound = sqrt(6 / ((1 + a^2) fan_in)).
inline void kaiming_uniform(const Tensor& weight, double a = 0) {
  const int64_t fan = fan_in(weight);
  if (fan == 0) return;
  const double bound = std::sqrt(6 / ((1 + a * a) * static_cast<double>(fan)));
  uniform(weight, -bound, bound);
}

// What PyTorch gives linear and convolution layers: kaiming_uniform(a = sqrt(5)), which is
// U(-1 / sqrt(fan_in), 1 / sqrt(fan_in)), and the same bound for the bias.
inline void weight_and_bias(const Tensor& weight, const Tensor& bias) {
  kaiming_uniform(weight, std::sqrt(5.0));
  const int64_t fan = fan_in(weight);
  if (!bias.defined() || fan == 0) return;
  const double bound = 1 / std::sqrt(static_cast<double>(fan));
  uniform(bias, -bound, bound);
}

}  // namespace tn::nn::init
