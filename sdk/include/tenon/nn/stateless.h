// Layers without parameters, so that they can stand in a Sequential. Each keeps the input's dtype.
#pragma once

#include <tenon/nn/module.h>
#include <tenon/nn/pair.h>

namespace tn::nn {

// A module that has nothing to save.
struct Stateless : Module {
  void collect(Members&) const override {}
};

// max(x, 0)
struct ReLU : Stateless {
  Tensor operator()(const Tensor& x) const { return relu(x); }
};

// x Phi(x) with the normal distribution's Phi, or with `tanh` its approximation (Hendrycks & Gimpel
// 2016).
struct GELU : Stateless {
  bool with_tanh;
  explicit GELU(bool with_tanh = false) : with_tanh(with_tanh) {}
  Tensor operator()(const Tensor& x) const { return gelu(x, with_tanh ? "tanh" : "none"); }
};

// x sigmoid(x)
struct SiLU : Stateless {
  Tensor operator()(const Tensor& x) const { return silu(x); }
};

struct Tanh : Stateless {
  Tensor operator()(const Tensor& x) const { return tanh(x); }
};

// 1 / (1 + exp(-x))
struct Sigmoid : Stateless {
  Tensor operator()(const Tensor& x) const { return sigmoid(x); }
};

// In training, sets each number to zero with probability p in [0, 1] and divides the others by 1 -
// p (Srivastava et al., JMLR 2014); in evaluation the input itself.
struct Dropout : Stateless {
  double p;
  explicit Dropout(double p = 0.5) : p(p) {
    if (!(p >= 0 && p <= 1)) fail(TN_INVALID_ARGUMENT, "Dropout: p must lie in [0, 1], got %g", p);
  }
  Tensor operator()(const Tensor& x) const { return dropout(x, p, is_training()); }
};

// The largest number of each window of [N, C, H, W] or [C, H, W]; the stride is by default the
// kernel's size, so that windows do not overlap.
struct MaxPool2d : Stateless {
  Pair kernel, stride, padding;
  explicit MaxPool2d(Pair kernel) : MaxPool2d(kernel, kernel) {}
  MaxPool2d(Pair kernel, Pair stride, Pair padding = 0)
      : kernel(kernel), stride(stride), padding(padding) {}
  Tensor operator()(const Tensor& x) const { return max_pool2d(x, kernel, stride, padding); }
};

// Joins the dimensions first to last into one: [N, C, H, W] to [N, C H W] by default.
struct Flatten : Stateless {
  int64_t first, last;
  explicit Flatten(int64_t first = 1, int64_t last = -1) : first(first), last(last) {}
  Tensor operator()(const Tensor& x) const { return flatten(x, first, last); }
};

}  // namespace tn::nn
