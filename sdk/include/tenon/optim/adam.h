// Adam (Kingma & Ba, ICLR 2015) and AdamW (Loshchilov & Hutter, ICLR 2019).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <tenon/optim/optimizer.h>

namespace tn::optim {

struct AdamOptions {
  double lr = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 0;
  bool amsgrad = false;  // divide by the largest second moment so far (Reddi et al., ICLR 2018)
  bool maximize = false;
};

// With g the gradient plus weight_decay times the parameter p, and t the parameter's step from 1:
//   m = beta1 m + (1 - beta1) g,  v = beta2 v + (1 - beta2) g^2
//   p = p - lr (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + eps)
class Adam : public Optimizer {
 public:
  // Throws Error for a setting outside its range: betas in [0, 1), the others not negative.
  explicit Adam(std::vector<Tensor> parameters, const AdamOptions& options = {})
      : Adam(std::move(parameters), options, false) {}

  void step() override {
    const NoGrad no_grad;
    std::vector<Tensor> targets, grads, averages, squares, largest, steps;
    std::vector<Moments> first(
        moments_.size());  // of parameters' first steps: kept once all is done
    for (size_t i = 0; i < parameters_.size(); ++i) {
      const Tensor grad = parameters_[i].grad();
      if (!grad.defined()) continue;
      if (!moments_[i].step.defined()) first[i] = first_moments(parameters_[i]);
      const Moments& m = first[i].step.defined() ? first[i] : moments_[i];
      targets.push_back(parameters_[i]);
      grads.push_back(grad);
      averages.push_back(m.average);
      squares.push_back(m.square);
      if (options_.amsgrad) largest.push_back(m.largest);
      steps.push_back(m.step);
    }
    if (targets.empty()) return;
    for (const Tensor& step : steps) add_(step, 1);
    const auto update = decoupled_ ? _fused_adamw_ : _fused_adam_;
    update(targets, grads, averages, squares, largest, steps, lr(), options_.beta1, options_.beta2,
           options_.weight_decay, options_.eps, options_.amsgrad, options_.maximize, {}, {});
    for (size_t i = 0; i < first.size(); ++i)
      if (first[i].step.defined()) moments_[i] = std::move(first[i]);
  }
  // "INDEX.step" (one f32), "INDEX.exp_avg", "INDEX.exp_avg_sq", with amsgrad
  // "INDEX.max_exp_avg_sq"
  StateDict state_dict() const override {
    StateDict dict;
    for (size_t i = 0; i < moments_.size(); ++i) {
      for (const auto& [what, member] : kinds())
        if (const Tensor& t = moments_[i].*member; t.defined())
          dict.emplace(std::to_string(i) + "." + what, t);
    }
    return dict;
  }
  void load_state_dict(const StateDict& dict) override {
    const NoGrad no_grad;
    Mismatch mismatch;
    std::vector<Moments> loaded(parameters_.size());
    for (const auto& [name, tensor] : dict) {
      size_t index = 0;
      std::string what;
      Tensor Moments::*member = split(name, &index, &what) ? member_of(what) : nullptr;
      if (!member) {
        mismatch.add("\"" + name + "\" is nothing that this optimizer keeps");
        continue;
      }
      if (!loaded[index].step.defined()) loaded[index] = first_moments(parameters_[index]);
      const Tensor& own = loaded[index].*member;
      if (mismatch.expect_sizes(name, own, tensor)) loaded[index].*member = adopt(own, tensor);
    }
    for (size_t i = 0; i < loaded.size(); ++i) {
      for (const auto& [what, member] : kinds()) {
        const std::string name = std::to_string(i) + "." + what;
        if ((loaded[i].*member).defined() && !dict.count(name))
          mismatch.add("\"" + name + "\" is missing");
      }
    }
    mismatch.raise("the state does not fit this optimizer");
    moments_ = std::move(loaded);
  }

 protected:
  Adam(std::vector<Tensor> parameters, const AdamOptions& options, bool decoupled)
      : Optimizer(std::move(parameters), options.lr),
        options_(options),
        decoupled_(decoupled),
        moments_(this->parameters().size()) {
    expect("beta1", options.beta1, options.beta1 >= 0 && options.beta1 < 1);
    expect("beta2", options.beta2, options.beta2 >= 0 && options.beta2 < 1);
    expect("eps", options.eps, options.eps >= 0);
    expect("weight_decay", options.weight_decay, options.weight_decay >= 0);
  }

 private:
  struct Moments {  // undefined before a parameter's first step
    Tensor step, average, square, largest;
  };
  using Kind = std::pair<const char*, Tensor Moments::*>;

  // The names in the state dict, PyTorch's.
  std::vector<Kind> kinds() const {
    std::vector<Kind> kinds = {
        {"step", &Moments::step}, {"exp_avg", &Moments::average}, {"exp_avg_sq", &Moments::square}};
    if (options_.amsgrad) kinds.emplace_back("max_exp_avg_sq", &Moments::largest);
    return kinds;
  }
  Tensor Moments::*member_of(const std::string& what) const {
    for (const auto& [name, member] : kinds())
      if (what == name) return member;
    return nullptr;
  }
  Moments first_moments(const Tensor& parameter) const {
    const Tensor like = detach(parameter);
    return {zeros({}, TN_F32, like.device()), zeros_like(like), zeros_like(like),
            options_.amsgrad ? zeros_like(like) : Tensor()};
  }

  AdamOptions options_;
  bool decoupled_;  // weight decay shrinks the parameter itself
  std::vector<Moments> moments_;
};

struct AdamWOptions {
  double lr = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 1e-2;
  bool amsgrad = false;
  bool maximize = false;
};

// As Adam, but weight decay is no part of g: p is multiplied by 1 - lr weight_decay first.
class AdamW : public Adam {
 public:
  explicit AdamW(std::vector<Tensor> parameters, const AdamWOptions& options = {})
      : Adam(std::move(parameters),
             AdamOptions{options.lr, options.beta1, options.beta2, options.eps,
                         options.weight_decay, options.amsgrad, options.maximize},
             true) {}
};

}  // namespace tn::optim
