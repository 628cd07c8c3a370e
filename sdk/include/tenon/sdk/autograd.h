// Gradients from C++: requires_grad, backward, grad, and scopes without recording.
#pragma once

#include <vector>

#include <tenon/sdk/interface.h>
#include <tenon/sdk/tensor.h>

namespace tn {

// The autograd plugin's interface; loads it at the first use. Throws Error when no plugin provides
// it.
inline const tn_autograd& autograd() {
  static const Interface<tn_autograd> table(TN_AUTOGRAD_INTERFACE, 1);
  return table.get();
}

inline bool Tensor::requires_grad() const {
  // A view has the history that its root has got; another thread may be about to note it.
  uint64_t layers = __atomic_load_n(&tensor_->layers, __ATOMIC_RELAXED);
  if (tensor_->flags & TN_TENSOR_TRACKED)
    if (const tn_tensor* root = api->tensor_root(tensor_)) layers |= root->layers;
  return layers != 0 && autograd().requires_grad(tensor_);
}
inline Tensor& Tensor::requires_grad_(bool on) {
  check(autograd().set_requires_grad(tensor_, on));
  return *this;
}
inline Tensor Tensor::grad() const {
  return share(autograd().grad(tensor_));
}
inline void Tensor::set_grad(const Tensor& grad) {
  check(autograd().set_grad(tensor_, grad.get()));
}
inline void Tensor::backward(const Tensor& gradient, uint32_t flags) const {
  tn_tensor* grad = gradient.get();
  check(autograd().backward(&tensor_, &grad, 1, flags));
}

// Gradients of `outputs` with respect to `inputs`; undefined tensors where unused (with
// TN_BACKWARD_ALLOW_UNUSED).
inline std::vector<Tensor> grad(Tensors outputs, Tensors inputs, Tensors grads = {},
                                uint32_t flags = 0) {
  auto raw = [](Tensors list) { return reinterpret_cast<tn_tensor* const*>(list.data()); };
  std::vector<tn_tensor*> none(outputs.size(), nullptr), found(inputs.size(), nullptr);
  std::vector<Tensor> out;
  out.reserve(found.size());  // before there is something to lose
  check(autograd().grad_of(raw(outputs), grads.empty() ? none.data() : raw(grads),
                           static_cast<uint32_t>(outputs.size()), raw(inputs),
                           static_cast<uint32_t>(inputs.size()), flags, found.data()));
  for (tn_tensor* t : found) out.push_back(Tensor::own(t));
  return out;
}

// Changes flags of the thread's state for a scope.
class ThreadFlags {
 public:
  ThreadFlags(uint32_t set, uint32_t clear) {
    api->thread_state_get(&previous_);
    tn_thread_state state = previous_;
    state.flags = (state.flags | set) & ~clear;
    api->thread_state_set(&state, nullptr);
  }
  ~ThreadFlags() { api->thread_state_set(&previous_, nullptr); }
  ThreadFlags(const ThreadFlags&) = delete;
  ThreadFlags& operator=(const ThreadFlags&) = delete;

 private:
  tn_thread_state previous_;
};

// Operators in the scope are not recorded.
struct NoGrad : ThreadFlags {
  NoGrad() : ThreadFlags(TN_THREAD_NO_GRAD, 0) {}
};
// Recorded again inside a NoGrad.
struct EnableGrad : ThreadFlags {
  EnableGrad() : ThreadFlags(0, TN_THREAD_NO_GRAD) {}
};
// Not recorded, and results never will be.
struct InferenceMode : ThreadFlags {
  InferenceMode() : ThreadFlags(TN_THREAD_NO_GRAD | TN_THREAD_INFERENCE, 0) {}
};

}  // namespace tn
