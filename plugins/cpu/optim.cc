// Optimizer steps: each parameter's numbers are read and written once, sixteen or so at a time.
#include "tenon/ops/optim.h"

#include <cmath>

#include "float_types.h"
#include "kernels.h"
#include "parallel.h"
#include "row.h"
#include "tenon/sdk/entry.h"

namespace tn::cpu {
namespace {

// What every step is given beside its own settings.
struct Scaling {
  double divisor = 1;
  bool skip = false;
  Scaling(const Tensor& grad_scale, const Tensor& found_inf) {
    if (grad_scale.defined()) divisor = static_cast<double>(*grad_scale.data<float>());
    if (found_inf.defined()) skip = *found_inf.data<float>() != 0;
  }
};

// A tensor's numbers as one run: itself, or where another tensor of the call has other strides a
// contiguous copy, which is written back at the end.
class Run {
 public:
  Run(const Tensor& t, bool as_is) : target_(t.get()) {
    if (as_is) {
      run_ = Tensor::share(t.get());
      return;
    }
    tn_tensor* copy = nullptr;
    check(api->tensor_contiguous(t.get(), TN_CONTIGUOUS, &copy));
    run_ = Tensor::own(copy);
  }
  template <class E>
  E* data() const {
    return run_.data<E>();
  }
  void write_back() const {
    if (run_.get() != target_) check(api->tensor_copy(target_, run_.get()));
  }

 private:
  tn_tensor* target_;
  Tensor run_;
};

// Whether all tensors are dense with the same strides, so that element i of one belongs to element
// i of each.
bool alike(std::initializer_list<const Tensor*> tensors) {
  const Tensor& first = **tensors.begin();
  for (const Tensor* t : tensors)
    if (!(t->get()->flags & TN_TENSOR_DENSE) || t->strides() != first.strides()) return false;
  return true;
}

template <class T, class F>
void over_elements(int64_t count, F f) {
  parallel_for(count, kGrain / 4, static_cast<int64_t>(Vec<T>::lanes),
               [&](int64_t begin, int64_t end) {
                 by_vector<T>(end - begin, [&](int64_t i, auto lanes) { f(begin + i, lanes); });
               });
}

struct Sgd {
  double weight_decay, momentum, lr, dampening;
  bool nesterov, maximize, first;
  Scaling scaling;

  template <class E>
  void step(int64_t count, E* p, E* g, E* buffer) const {
    using V = Vec<Sum<E>>;
    const double sign = maximize ? -1 : 1;
    over_elements<Sum<E>>(count, [&](int64_t i, auto n) {
      V gradient = get<Sum<E>>(g + i, n) / V(scaling.divisor);
      if (scaling.divisor != 1) put(gradient, g + i, n);
      const V parameter = get<Sum<E>>(p + i, n);
      gradient = fma(parameter, V(weight_decay), gradient * V(sign));
      if (buffer) {
        const V velocity =
            first ? gradient
                  : fma(get<Sum<E>>(buffer + i, n), V(momentum), gradient * V(1 - dampening));
        put(velocity, buffer + i, n);
        gradient = nesterov ? fma(velocity, V(momentum), gradient) : velocity;
      }
      put(parameter - gradient * V(lr), p + i, n);
    });
  }
};

void fused_sgd(Tensors self, Tensors grads, Tensors buffers, double weight_decay, double momentum,
               double lr, double dampening, bool nesterov, bool maximize, bool is_first_step,
               const Tensor& grad_scale, const Tensor& found_inf) {
  const Sgd sgd{weight_decay,
                momentum,
                lr,
                dampening,
                nesterov,
                maximize,
                is_first_step,
                Scaling(grad_scale, found_inf)};
  if (sgd.scaling.skip) return;
  for (size_t i = 0; i < self.size(); ++i) {
    const Tensor& velocity = momentum == 0 ? self[i] : buffers[i];
    const bool as_is = alike({&self[i], &grads[i], &velocity});
    const Run p(self[i], as_is), g(grads[i], as_is), b(velocity, as_is);
    with_float(self[i].dtype(), [&](auto e) {
      using E = decltype(e);
      sgd.step<E>(self[i].numel(), p.data<E>(), g.data<E>(), momentum == 0 ? nullptr : b.data<E>());
    });
    p.write_back();
    if (sgd.scaling.divisor != 1) g.write_back();
    if (momentum != 0) b.write_back();
  }
}

struct Adam {
  double lr, beta1, beta2, weight_decay, eps;
  bool amsgrad, maximize, decoupled;
  Scaling scaling;

  template <class E>
  void step(int64_t count, double number, E* p, E* g, E* average, E* square, E* largest) const {
    using V = Vec<Sum<E>>;
    const double sign = maximize ? -1 : 1;
    const double step_size = lr / (1 - std::pow(beta1, number));
    const double root = std::sqrt(1 - std::pow(beta2, number));
    over_elements<Sum<E>>(count, [&](int64_t i, auto n) {
      V gradient = get<Sum<E>>(g + i, n) / V(scaling.divisor);
      if (scaling.divisor != 1) put(gradient, g + i, n);
      gradient = gradient * V(sign);
      V parameter = get<Sum<E>>(p + i, n);
      if (decoupled)
        parameter = parameter * V(1 - lr * weight_decay);
      else
        gradient = fma(parameter, V(weight_decay), gradient);
      const V old_average = get<Sum<E>>(average + i, n);
      const V m = fma(gradient - old_average, V(1 - beta1), old_average);
      V v = fma(get<Sum<E>>(square + i, n), V(beta2), gradient * gradient * V(1 - beta2));
      put(m, average + i, n);
      put(v, square + i, n);
      if (amsgrad) {
        v = maximum(get<Sum<E>>(largest + i, n), v);
        put(v, largest + i, n);
      }
      put(parameter - m * V(step_size) / (sqrt(v) / V(root) + V(eps)), p + i, n);
    });
  }
};

template <bool decoupled>
void fused_adam(Tensors self, Tensors grads, Tensors averages, Tensors squares, Tensors largest,
                Tensors steps, double lr, double beta1, double beta2, double weight_decay,
                double eps, bool amsgrad, bool maximize, const Tensor& grad_scale,
                const Tensor& found_inf) {
  const Adam adam{lr,           beta1,     beta2,
                  weight_decay, eps,       amsgrad,
                  maximize,     decoupled, Scaling(grad_scale, found_inf)};
  if (adam.scaling.skip) return;
  for (size_t i = 0; i < self.size(); ++i) {
    const Tensor& most = amsgrad ? largest[i] : self[i];
    const bool as_is = alike({&self[i], &grads[i], &averages[i], &squares[i], &most});
    const Run p(self[i], as_is), g(grads[i], as_is), m(averages[i], as_is), v(squares[i], as_is),
        l(most, as_is);
    const double step = static_cast<double>(*steps[i].data<float>());
    with_float(self[i].dtype(), [&](auto e) {
      using E = decltype(e);
      adam.step<E>(self[i].numel(), step, p.data<E>(), g.data<E>(), m.data<E>(), v.data<E>(),
                   l.data<E>());
    });
    p.write_back();
    if (adam.scaling.divisor != 1) g.write_back();
    m.write_back();
    v.write_back();
    if (amsgrad) l.write_back();
  }
}

}  // namespace

void register_optim(tn_plugin* plugin) {
  tn_caps caps = TN_INIT(tn_caps);
  caps.flags = TN_CAP_DETERMINISTIC | TN_CAP_ALIAS_SAFE;
  register_kernel<fused_sgd>(plugin, "_fused_sgd_", "cpu", caps);
  register_kernel<fused_adam<false>>(plugin, "_fused_adam_", "cpu", caps);
  register_kernel<fused_adam<true>>(plugin, "_fused_adamw_", "cpu", caps);
}

}  // namespace tn::cpu
