// Linear: y = x W^T + b.
#pragma once

#include <tenon/nn/init.h>
#include <tenon/nn/module.h>
#include <tenon/nn/parameter.h>

namespace tn::nn {

// [..., in] to [..., out]. weight is [out, in], bias [out] or undefined.
struct Linear : Module {
  Tensor weight, bias;

  Linear(int64_t in, int64_t out, bool with_bias = true) : weight(parameter({out, in})) {
    if (with_bias) bias = parameter({out});
    init::weight_and_bias(weight, bias);
  }
  Tensor operator()(const Tensor& x) const { return linear(x, weight, bias); }
  void collect(Members& m) const override {
    m.parameter("weight", weight);
    m.parameter("bias", bias);
  }
};

}  // namespace tn::nn
