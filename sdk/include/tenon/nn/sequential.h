// Sequential: modules one after the other.
#pragma once

#include <string>
#include <tuple>
#include <utility>

#include <tenon/nn/module.h>

namespace tn::nn {

// Each layer gets what the one before it returned. Their names are their places, as in PyTorch:
// "0.weight", "2.bias".
//
//   tn::nn::Sequential net(tn::nn::Linear(784, 128), tn::nn::ReLU(), tn::nn::Linear(128, 10));
//   tn::Tensor y = net(x);
//   std::get<0>(net.layers).weight
template <class... Layers>
struct Sequential : Module {
  std::tuple<Layers...> layers;

  explicit Sequential(Layers... given) : layers(std::move(given)...) {}

  Tensor operator()(const Tensor& x) const {
    Tensor y = x;
    std::apply([&](const auto&... layer) { ((y = layer(y)), ...); }, layers);
    return y;
  }
  void collect(Members& m) const override {
    size_t place = 0;
    std::apply([&](const auto&... layer) { (m.module(std::to_string(place++), layer), ...); },
               layers);
  }
};

}  // namespace tn::nn
