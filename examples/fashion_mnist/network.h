// The network: two convolutions, each followed by ReLU and a maximum over 2 x 2 pixels, and a
// linear layer.
#pragma once

#include <tenon/sdk.h>

namespace fashion {

// f32 [N, 1, 28, 28] to the ten classes' logits, [N, 10].
struct Network : tn::nn::Module {
  tn::nn::Conv2d conv1{1, 16, 3, 1, 1}, conv2{16, 32, 3, 1, 1};
  tn::nn::Linear linear{1568, 10};
  tn::nn::MaxPool2d pool{2};

  tn::Tensor operator()(const tn::Tensor& images) const {
    const tn::Tensor a = pool(tn::relu(conv1(images)));  // [N, 16, 14, 14]
    const tn::Tensor b = pool(tn::relu(conv2(a)));       // [N, 32, 7, 7]
    return linear(tn::flatten(b, 1));                    // of [N, 1568]
  }
  void collect(tn::nn::Members& m) const override {
    m.module("conv1", conv1);
    m.module("conv2", conv2);
    m.module("linear", linear);
  }
  static constexpr auto kDescription =
      "conv1 3x3 1-16, relu, max_pool 2, conv2 3x3 16-32, relu, max_pool 2, linear 1568-10";
};

}  // namespace fashion
