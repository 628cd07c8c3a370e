// optim.h - optimizer steps over lists of parameters, in place, each parameter read and written
// once.
//
// All lists are as long as `self` (or empty where a feature is off) and hold tensors of the same
// sizes and dtype. When found_inf, one f32 number, is not zero, nothing changes; gradients are
// divided by grad_scale, one f32 number, first.
#pragma once

#include <tenon/sdk/declare.h>

namespace tn::ops {

// There is no result; infer says what is wrong with the lists.
struct fused_step : structured {
  static constexpr uint32_t flags = TN_OP_INPLACE_ONLY | TN_OP_NO_OUT | TN_OP_NOT_DIFFERENTIABLE;
};

namespace detail {

// As long as the parameters' or, where allowed, empty; each tensor of its parameter's sizes and
// dtype.
inline void require_list(const char* name, Tensors list, Tensors params, bool may_be_empty) {
  if (may_be_empty && list.empty()) return;
  if (list.size() != params.size())
    fail(TN_INVALID_ARGUMENT, "%s must hold one tensor for each of %zu parameters, got %zu", name,
         params.size(), list.size());
  for (size_t i = 0; i < list.size(); ++i) {
    const Tensor &t = list[i], &p = params[i];
    if (!t.defined() || t.sizes() != p.sizes() || t.dtype() != p.dtype())
      fail(TN_INVALID_ARGUMENT, "%s[%zu] must have its parameter's sizes and dtype, got %s for %s",
           name, i, t.describe().c_str(), p.describe().c_str());
  }
}
inline void require_number(const char* name, const Tensor& t) {
  if (t.defined() && (t.numel() != 1 || t.dtype() != TN_F32))
    fail(TN_INVALID_ARGUMENT, "%s must be one f32 number, got %s", name, t.describe().c_str());
}

}  // namespace detail

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
  static void infer(Tensors self, Tensors grads, Tensors buffers, double, double momentum, double,
                    double, bool, bool, bool, const Tensor& grad_scale, const Tensor& found_inf) {
    detail::require_list("grads", grads, self, false);
    detail::require_list("momentum_buffer_list", buffers, self, momentum == 0);
    detail::require_number("grad_scale", grad_scale);
    detail::require_number("found_inf", found_inf);
  }
};

struct fused_adam_step : fused_step {
  static void infer(Tensors self, Tensors grads, Tensors averages, Tensors squares, Tensors largest,
                    Tensors steps, double, double, double, double, double, bool amsgrad, bool,
                    const Tensor& grad_scale, const Tensor& found_inf) {
    detail::require_list("grads", grads, self, false);
    detail::require_list("exp_avgs", averages, self, false);
    detail::require_list("exp_avg_sqs", squares, self, false);
    detail::require_list("max_exp_avg_sqs", largest, self, !amsgrad);
    if (steps.size() != self.size())
      fail(TN_INVALID_ARGUMENT,
           "state_steps must hold one number for each of %zu parameters, got %zu", self.size(),
           steps.size());
    for (const Tensor& step : steps) detail::require_number("state_steps", step);
    detail::require_number("grad_scale", grad_scale);
    detail::require_number("found_inf", found_inf);
  }
};

struct FusedAdam : fused_adam_step {
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

struct FusedAdamw : fused_adam_step {
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
