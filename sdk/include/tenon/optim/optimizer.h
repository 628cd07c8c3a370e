// tn::optim::Optimizer: what all optimizers have in common.
//
//   tn::optim::SGD optimizer(net.parameters(), {.lr = 0.1, .momentum = 0.9});
//   for (...) {
//     optimizer.zero_grad();
//     tn::nn::cross_entropy(net(images), labels).backward();
//     optimizer.step();
//   }
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <tenon/calls.h>
#include <tenon/nn/state_dict.h>

namespace tn::optim {

class Optimizer {
 public:
  virtual ~Optimizer() = default;
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  // Changes the parameters that have a gradient, in place, and leaves the gradients.
  virtual void step() = 0;

  // Removes the gradients, which frees their memory, or sets them to zero.
  void zero_grad(bool set_to_none = true) {
    const NoGrad no_grad;
    for (Tensor& parameter : parameters_) {
      if (set_to_none) {
        parameter.set_grad({});
      } else if (const Tensor grad = parameter.grad(); grad.defined()) {
        zero_(grad);
      }
    }
  }

  // The learning rate; schedules set it between steps.
  double lr() const { return lr_; }
  void set_lr(double lr) {
    expect("lr", lr, lr >= 0);
    lr_ = lr;
  }
  const std::vector<Tensor>& parameters() const { return parameters_; }

  // What the optimizer remembers, as "INDEX.what", INDEX counting the parameters as they were
  // given. Settings such as the learning rate are the program's to keep.
  virtual StateDict state_dict() const = 0;
  // Goes on from a state, bit for bit. Copies. Throws Error (TN_INVALID_ARGUMENT) that lists what
  // does not fit; nothing has changed then.
  virtual void load_state_dict(const StateDict& dict) = 0;

 protected:
  // Throws Error when there is no parameter, or one that is not a leaf that requires gradients.
  Optimizer(std::vector<Tensor> parameters, double lr) : parameters_(std::move(parameters)) {
    set_lr(lr);
    if (parameters_.empty())
      fail(TN_INVALID_ARGUMENT, "an optimizer needs at least one parameter, got none");
    for (size_t i = 0; i < parameters_.size(); ++i) {
      const Tensor& p = parameters_[i];
      if (!p.defined() || !p.requires_grad() || !autograd().is_leaf(p.get()))
        fail(TN_INVALID_ARGUMENT,
             "parameter %zu, %s, is no leaf that requires gradients; call requires_grad_() on it",
             i, p.describe().c_str());
    }
  }

  // Throws Error that names the setting, unless it is `good`.
  static void expect(const char* name, double value, bool good) {
    if (!good) fail(TN_INVALID_ARGUMENT, "%s cannot be %g", name, value);
  }
  // Splits "12.exp_avg" into a parameter's index and what it is. False for other text.
  bool split(const std::string& name, size_t* index, std::string* what) const {
    const size_t dot = name.find('.');
    if (dot == 0 || dot == std::string::npos || dot > 9) return false;
    if (name.find_first_not_of("0123456789") != dot) return false;
    *index = std::stoul(name.substr(0, dot));
    *what = name.substr(dot + 1);
    return *index < parameters_.size();
  }
  // A copy that belongs to a parameter: on its device, with its dtype and strides.
  static Tensor adopt(const Tensor& parameter, const Tensor& value) {
    Tensor own = empty_like(detach(parameter));
    check(api->tensor_copy(own.get(), value.get()));
    return own;
  }

  std::vector<Tensor> parameters_;

 private:
  double lr_ = 0;
};

}  // namespace tn::optim
