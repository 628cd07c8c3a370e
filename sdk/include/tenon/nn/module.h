// tn::nn::Module: what layers and networks have in common.
//
// A module is a value: it holds tensors and other modules as ordinary members and names them once,
// in collect(). Everything else follows from that list: parameters, state dicts, moving to a device
// or a dtype, training and evaluation mode. What it computes is its operator().
//
//   struct Net : tn::nn::Module {
//     tn::nn::Linear hidden{784, 128}, out{128, 10};
//
//     tn::Tensor operator()(const tn::Tensor& x) const { return out(tn::relu(hidden(x))); }
//     void collect(tn::nn::Members& m) const override {
//       m.module("hidden", hidden);
//       m.module("out", out);
//     }
//   };
//
// Tensors are references, so a copy of a module shares its parameters with the original.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include <tenon/calls.h>
#include <tenon/nn/state_dict.h>

namespace tn::nn {

class Module;

// The names of a module's tensors and of its children's, gathered by collect(). Naming two tensors
// alike is an error.
class Members {
 public:
  struct Named {
    std::string name;  // with the path of modules before it: "hidden.weight"
    Tensor tensor;
  };

  // A tensor that is trained. One that is not defined (a bias switched off) is left out.
  void parameter(const char* name, const Tensor& tensor) { add(parameters_, name, tensor); }
  // A tensor that is saved but not trained, such as a running mean.
  void buffer(const char* name, const Tensor& tensor) { add(buffers_, name, tensor); }
  void module(const std::string& name, const Module& module);

  const std::vector<Named>& parameters() const { return parameters_; }
  const std::vector<Named>& buffers() const { return buffers_; }
  const std::vector<const Module*>& modules() const { return modules_; }

 private:
  friend class Module;
  void root(const Module& module);
  void add(std::vector<Named>& list, const char* name, const Tensor& tensor) {
    if (!tensor.defined()) return;
    if (!names_.insert(prefix_ + name).second)
      fail(TN_ALREADY_EXISTS, "collect() names two tensors \"%s%s\"", prefix_.c_str(), name);
    list.push_back({prefix_ + name, tensor});
  }

  std::string prefix_;
  std::set<std::string> names_;
  std::vector<Named> parameters_, buffers_;
  std::vector<const Module*> modules_;
};

class Module {
 public:
  virtual ~Module() = default;

  // Names the members, in the order in which parameters() shall list them.
  virtual void collect(Members& members) const = 0;

  // Each tensor once, also where two modules share it.
  std::vector<Members::Named> named_parameters() const {
    std::vector<Members::Named> unique;
    std::set<tn_tensor*> seen;
    const Members all = members();
    for (const auto& named : all.parameters())
      if (seen.insert(named.tensor.get()).second) unique.push_back(named);
    return unique;
  }
  std::vector<Tensor> parameters() const {
    std::vector<Tensor> tensors;
    for (const auto& named : named_parameters()) tensors.push_back(named.tensor);
    return tensors;
  }
  // The number of trained numbers.
  int64_t parameter_count() const {
    int64_t count = 0;
    for (const Tensor& t : parameters()) count += t.numel();
    return count;
  }

  // Parameters and buffers by name, detached but sharing memory; for PyTorch's layers the names are
  // PyTorch's.
  StateDict state_dict() const {
    StateDict dict;
    const Members all = members();
    for (const auto* list : {&all.parameters(), &all.buffers()})
      for (const auto& [name, tensor] : *list) dict.emplace(name, detach(tensor));
    return dict;
  }
  // Copies values into the parameters and buffers, converting dtype and device. Throws Error
  // (TN_INVALID_ARGUMENT) that lists everything missing, of other sizes and, when `strict`,
  // unknown here; nothing has changed then.
  void load_state_dict(const StateDict& dict, bool strict = true) {
    const Members all = members();
    std::vector<std::pair<Tensor, Tensor>> copies;
    std::set<std::string, std::less<>> known;
    Mismatch mismatch;
    for (const auto* list : {&all.parameters(), &all.buffers()}) {
      for (const auto& [name, tensor] : *list) {
        known.insert(name);
        const auto found = dict.find(name);
        if (found != dict.end()) {
          mismatch.expect_sizes(name, tensor, found->second);
          copies.emplace_back(tensor, found->second);
        } else if (strict) {
          mismatch.add("\"" + name + "\" is missing, expected " + tensor.describe());
        }
      }
    }
    for (const auto& [name, tensor] : dict)
      if (strict && !known.count(name))
        mismatch.add("\"" + name + "\", " + tensor.describe() + ", is not part of the module");
    mismatch.raise("the state dict does not fit the module");
    const NoGrad no_grad;
    for (const auto& [own, given] : copies) check(api->tensor_copy(own.get(), given.get()));
  }

  // Moves all parameters and buffers; optimizers that hold them go on. Gradients move along.
  void to(const Device& device) {
    convert([&](const Tensor& t) { return t.to(device); });
  }
  // Converts the floating ones.
  void to(DType dtype) {
    convert([&](const Tensor& t) { return tn::is_floating(t.dtype()) ? t.to(dtype) : t; });
  }

  // Training mode, as a module is at first: dropout drops, batch norm uses the batch's statistics.
  void train(bool on = true) {
    const Members all = members();
    // The tree is reached through the const view that collect() gives, but belongs to this object,
    // which is not const here.
    for (const Module* module : all.modules()) const_cast<Module*>(module)->training_ = on;
  }
  void eval() { train(false); }
  bool is_training() const { return training_; }

  void zero_grad() {
    for (const Tensor& t : parameters())
      if (t.requires_grad()) Tensor(t).set_grad({});
  }

 private:
  Members members() const {
    Members all;
    all.root(*this);
    return all;
  }
  // Each tensor once and in place, so that whoever shares it sees the change.
  template <class F>
  void convert(F&& converted) {
    const NoGrad no_grad;
    const Members all = members();
    std::set<tn_tensor*> seen;
    for (const auto* list : {&all.parameters(), &all.buffers()}) {
      for (const auto& named : *list) {
        Tensor own = named.tensor;
        if (!seen.insert(own.get()).second) continue;
        const Tensor moved = converted(own);
        if (moved.get() == own.get()) continue;
        const Tensor grad = own.requires_grad() ? own.grad() : Tensor();
        if (grad.defined()) own.set_grad({});
        check(api->tensor_set_data(own.get(), moved.get()));
        if (grad.defined()) own.set_grad(converted(grad));
      }
    }
  }

  bool training_ = true;
};

inline void Members::root(const Module& module) {
  modules_.push_back(&module);
  module.collect(*this);
}
inline void Members::module(const std::string& name, const Module& module) {
  const size_t length = prefix_.size();
  prefix_ += name + ".";
  root(module);
  prefix_.resize(length);
}

}  // namespace tn::nn
