// SGD: stochastic gradient descent, with momentum (Sutskever et al., ICML 2013).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <tenon/optim/optimizer.h>

namespace tn::optim {

struct SGDOptions {
  double lr = 1e-3;
  double momentum = 0;
  double dampening = 0;
  double weight_decay = 0;
  bool nesterov = false;
  bool maximize = false;
};

// With g the gradient plus weight_decay times the parameter p, negated when maximizing:
//   v = momentum v + (1 - dampening) g   (at a parameter's first step v = g)
//   p = p - lr v                         (nesterov: p - lr (g + momentum v); no momentum: p - lr g)
class SGD : public Optimizer {
 public:
  // Throws Error for negative settings, and for nesterov without momentum or with dampening.
  explicit SGD(std::vector<Tensor> parameters, const SGDOptions& options = {})
      : Optimizer(std::move(parameters), options.lr),
        options_(options),
        velocities_(this->parameters().size()) {
    expect("momentum", options.momentum, options.momentum >= 0);
    expect("weight_decay", options.weight_decay, options.weight_decay >= 0);
    if (options.nesterov && (options.momentum <= 0 || options.dampening != 0))
      fail(TN_INVALID_ARGUMENT, "nesterov needs a momentum above 0 and no dampening, got %g and %g",
           options.momentum, options.dampening);
  }

  void step() override {
    const NoGrad no_grad;
    update(false);
    update(true);
  }
  // "INDEX.momentum_buffer"
  StateDict state_dict() const override {
    StateDict dict;
    for (size_t i = 0; i < velocities_.size(); ++i)
      if (velocities_[i].defined())
        dict.emplace(std::to_string(i) + ".momentum_buffer", velocities_[i]);
    return dict;
  }
  void load_state_dict(const StateDict& dict) override {
    const NoGrad no_grad;
    Mismatch mismatch;
    std::vector<Tensor> loaded(parameters_.size());
    for (const auto& [name, tensor] : dict) {
      size_t index = 0;
      std::string what;
      if (!split(name, &index, &what) || what != "momentum_buffer" || options_.momentum == 0)
        mismatch.add("\"" + name + "\" is nothing that this optimizer keeps");
      else if (mismatch.expect_sizes(name, parameters_[index], tensor))
        loaded[index] = adopt(parameters_[index], tensor);
    }
    mismatch.raise("the state does not fit this SGD");
    velocities_ = std::move(loaded);
  }

 private:
  // Steps with the parameters that have a gradient and make their first step now, or a later one.
  void update(bool first) {
    std::vector<Tensor> targets, grads, velocities;
    std::vector<size_t> places;
    for (size_t i = 0; i < parameters_.size(); ++i) {
      const Tensor grad = parameters_[i].grad();
      const bool is_first = options_.momentum != 0 && !velocities_[i].defined();
      if (!grad.defined() || is_first != first) continue;
      targets.push_back(parameters_[i]);
      grads.push_back(grad);
      places.push_back(i);
      if (first) velocities.push_back(empty_like(detach(parameters_[i])));
      if (!first && options_.momentum != 0) velocities.push_back(velocities_[i]);
    }
    if (targets.empty()) return;
    _fused_sgd_(targets, grads, velocities, options_.weight_decay, options_.momentum, lr(),
                options_.dampening, options_.nesterov, options_.maximize, first);
    for (size_t k = 0; first && k < places.size(); ++k) velocities_[places[k]] = velocities[k];
  }

  SGDOptions options_;
  std::vector<Tensor> velocities_;  // undefined before a parameter's first step
};

}  // namespace tn::optim
