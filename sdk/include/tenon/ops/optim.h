// optim.h - optimizer steps over lists of parameters, in place, each parameter read and written
// once.
//
// All lists are as long as `self` (or empty where a feature is off) and hold tensors of the same
// sizes and dtype. When found_inf, one f32 number, is not zero, nothing changes; gradients are
// divided by grad_scale, one f32 number, first.
#pragma once

#include <tenon/sdk/declare.h>

namespace tn::ops {

struct fused_step : direct {
  static constexpr uint32_t flags = TN_OP_INPLACE_ONLY | TN_OP_NO_OUT | TN_OP_NOT_DIFFERENTIABLE;
};

struct FusedSgd : fused_step {
  static constexpr auto schema =
      "_fused_sgd_(Tensor(a!)[] self, Tensor(b!)[] grads, Tensor(c!)[] momentum_buffer_list, *, "
      "float weight_decay, float "
      "momentum, float lr, float dampening, bool nesterov, bool maximize, bool is_first_step, "
      "Tensor? grad_scale=None, "
      "Tensor? found_inf=None) -> ()";
  static constexpr auto doc =
      "Stochastic gradient descent with momentum (Sutskever et al. 2013). On the first step the "
      "buffers become the "
      "gradients; without momentum the list of buffers is empty. With grad_scale, the gradients "
      "are divided in place.";
};

struct FusedAdam : fused_step {
  static constexpr auto schema =
      "_fused_adam_(Tensor(a!)[] self, Tensor(b!)[] grads, Tensor(c!)[] exp_avgs, Tensor(d!)[] "
      "exp_avg_sqs, "
      "Tensor(e!)[] max_exp_avg_sqs, Tensor[] state_steps, *, float lr, float beta1, float beta2, "
      "float weight_decay, "
      "float eps, bool amsgrad, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None) -> "
      "()";
  static constexpr auto doc =
      "Adam (Kingma & Ba 2015), weight decay added to the gradient. state_steps holds one f32 "
      "number a parameter: the "
      "number of this step, counted from 1 by the caller.";
};

struct FusedAdamw : fused_step {
  static constexpr auto schema =
      "_fused_adamw_(Tensor(a!)[] self, Tensor(b!)[] grads, Tensor(c!)[] exp_avgs, Tensor(d!)[] "
      "exp_avg_sqs, "
      "Tensor(e!)[] max_exp_avg_sqs, Tensor[] state_steps, *, float lr, float beta1, float beta2, "
      "float weight_decay, "
      "float eps, bool amsgrad, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None) -> "
      "()";
  static constexpr auto doc =
      "Adam with weight decay applied to the parameter itself (Loshchilov & Hutter 2019); else as "
      "_fused_adam_.";
};

using optim_ops = list<FusedSgd, FusedAdam, FusedAdamw>;

}  // namespace tn::ops
