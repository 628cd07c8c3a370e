// Normalisation layers.
#pragma once

#include <vector>

#include <tenon/nn/init.h>
#include <tenon/nn/module.h>
#include <tenon/nn/parameter.h>

namespace tn::nn {

// Ba et al., "Layer normalization", 2016: (x - mean) / sqrt(variance + eps) * weight + bias over
// the last dimensions, whose sizes are `shape`. weight and bias are of these sizes, or undefined.
struct LayerNorm : Module {
  std::vector<int64_t> shape;
  double eps;
  Tensor weight, bias;

  explicit LayerNorm(std::vector<int64_t> shape, double eps = 1e-5, bool affine = true)
      : shape(std::move(shape)), eps(eps) {
    if (!affine) return;
    weight = parameter(this->shape, 1);
    bias = parameter(this->shape, 0);
  }
  explicit LayerNorm(int64_t width, double eps = 1e-5, bool affine = true)
      : LayerNorm(std::vector<int64_t>{width}, eps, affine) {}

  Tensor operator()(const Tensor& x) const { return layer_norm(x, shape, weight, bias, eps); }
  void collect(Members& m) const override {
    m.parameter("weight", weight);
    m.parameter("bias", bias);
  }
};

// Ioffe & Szegedy, "Batch normalization", ICML 2015, by channel of images [N, channels, H, W]. In
// training the batch's own statistics count, and the running ones move towards them by `momentum`;
// in evaluation the running ones count. weight, bias, running_mean and running_var are [channels].
struct BatchNorm2d : Module {
  double eps, momentum;
  Tensor weight, bias;                                    // undefined unless affine
  Tensor running_mean, running_var, num_batches_tracked;  // the last is one i64

  explicit BatchNorm2d(int64_t channels, double eps = 1e-5, double momentum = 0.1,
                       bool affine = true)
      : eps(eps),
        momentum(momentum),
        running_mean(zeros({channels})),
        running_var(ones({channels})),
        num_batches_tracked(zeros({}, TN_I64)) {
    if (!affine) return;
    weight = parameter({channels}, 1);
    bias = parameter({channels}, 0);
  }
  Tensor operator()(const Tensor& x) const {
    if (x.dim() != 4)
      fail(TN_INVALID_ARGUMENT, "BatchNorm2d: the input must be [N, %lld, H, W], got %s",
           static_cast<long long>(running_mean.numel()), x.describe().c_str());
    if (is_training()) {
      const NoGrad no_grad;
      add_(num_batches_tracked, 1);
    }
    return batch_norm(x, weight, bias, running_mean, running_var, is_training(), momentum, eps,
                      false);
  }
  void collect(Members& m) const override {
    m.parameter("weight", weight);
    m.parameter("bias", bias);
    m.buffer("running_mean", running_mean);
    m.buffer("running_var", running_var);
    m.buffer("num_batches_tracked", num_batches_tracked);
  }
};

}  // namespace tn::nn
