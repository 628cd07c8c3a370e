// Conv2d: correlation of images with trained kernels.
#pragma once

#include <tenon/nn/init.h>
#include <tenon/nn/module.h>
#include <tenon/nn/pair.h>
#include <tenon/nn/parameter.h>

namespace tn::nn {

// [N, in, H, W] (or [in, H, W]) to [N, out, H', W'], with
// H' = floor((H + 2 padding - dilation (kernel - 1) - 1) / stride) + 1 and W' likewise.
// weight is [out, in / groups, kernel height, kernel width], bias [out] or undefined.
struct Conv2d : Module {
  Tensor weight, bias;
  Pair stride, padding, dilation;
  int64_t groups;

  // Throws Error when `groups` does not divide both `in` and `out`.
  Conv2d(int64_t in, int64_t out, Pair kernel, Pair stride = 1, Pair padding = 0, Pair dilation = 1,
         int64_t groups = 1, bool with_bias = true)
      : stride(stride), padding(padding), dilation(dilation), groups(groups) {
    if (groups < 1 || in % groups || out % groups)
      fail(TN_INVALID_ARGUMENT,
           "Conv2d: %lld groups must divide %lld input and %lld output channels",
           static_cast<long long>(groups), static_cast<long long>(in), static_cast<long long>(out));
    weight = parameter({out, in / groups, kernel.sizes[0], kernel.sizes[1]});
    if (with_bias) bias = parameter({out});
    init::weight_and_bias(weight, bias);
  }
  Tensor operator()(const Tensor& x) const {
    return conv2d(x, weight, bias, stride, padding, dilation, groups);
  }
  void collect(Members& m) const override {
    m.parameter("weight", weight);
    m.parameter("bias", bias);
  }
};

}  // namespace tn::nn
