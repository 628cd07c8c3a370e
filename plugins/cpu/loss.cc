// The negative log-likelihood and its gradient, for one class index per place.
#include "tenon/ops/loss.h"

#include "float_types.h"
#include "gemm.h"
#include "kernels.h"
#include "parallel.h"
#include "tenon/sdk/entry.h"

namespace tn::cpu {
namespace {

// self as [batch, classes, inner], target as [batch, inner]; all contiguous.
struct Places {
  int64_t batch = 1, classes = 1, inner = 1, reduction = 0, ignore = 0;
  const int64_t* target = nullptr;

  Places(Frame& frame, const Tensor& self, const Tensor& indices, int64_t how, int64_t ignored)
      : reduction(how), ignore(ignored) {
    classes = self.size(self.dim() == 1 ? 0 : 1);
    if (self.dim() > 1) batch = self.size(0);
    for (int64_t d = 2; d < self.dim(); ++d) inner *= self.size(d);
    if (indices.dtype() == TN_I64) {
      target = indices.data<int64_t>();
    } else {
      int64_t* const copy = frame.scratch<int64_t>(static_cast<size_t>(count()));
      for (int64_t i = 0; i < count(); ++i) copy[i] = indices.data<uint8_t>()[i];
      target = copy;
    }
    for (int64_t i = 0; i < count(); ++i)
      if (target[i] != ignore && (target[i] < 0 || target[i] >= classes))
        fail(TN_INDEX_ERROR, "target %lld is outside [0, %lld), the classes of %s",
             static_cast<long long>(target[i]), static_cast<long long>(classes),
             self.describe().c_str());
  }
  int64_t count() const { return batch * inner; }
  // Position in self of the class that place i names.
  int64_t at(int64_t i) const { return (i / inner * classes + target[i]) * inner + i % inner; }
};

template <class E>
Sum<E> weight_of(const Tensor& weight, int64_t target) {
  return weight.defined() ? static_cast<Sum<E>>(weight.data<E>()[target]) : Sum<E>(1);
}

// One number per place is little work beside making the log-probabilities: one thread, sums in
// double.
template <class E>
void forward(const Places& p, const Tensor& self, const Tensor& weight, const Tensor& output,
             const Tensor& total) {
  using T = Sum<E>;
  double sum = 0, weights = 0;
  for (int64_t i = 0; i < p.count(); ++i) {
    const bool counts = p.target[i] != p.ignore;
    const T w = counts ? weight_of<E>(weight, p.target[i]) : T(0);
    const T loss = counts ? -w * static_cast<T>(self.data<E>()[p.at(i)]) : T(0);
    if (p.reduction == ops::loss_detail::none) output.data<E>()[i] = static_cast<E>(loss);
    sum += static_cast<double>(loss);
    weights += static_cast<double>(w);
  }
  if (p.reduction != ops::loss_detail::none)
    *output.data<E>() = static_cast<E>(
        static_cast<T>(p.reduction == ops::loss_detail::mean_of_all ? sum / weights : sum));
  *total.data<E>() =
      static_cast<E>(static_cast<T>(p.reduction == ops::loss_detail::none ? 0 : weights));
}

template <class E>
void backward(const Places& p, const Tensor& grad, const Tensor& weight, const Tensor& total,
              const Tensor& out) {
  using T = Sum<E>;
  E* const to = out.data<E>();
  parallel_for(out.numel(), kGrain,
               [&](int64_t begin, int64_t end) { std::fill(to + begin, to + end, E(0.f)); });
  const bool each = p.reduction == ops::loss_detail::none;
  const T divisor =
      p.reduction == ops::loss_detail::mean_of_all ? static_cast<T>(*total.data<E>()) : T(1);
  for (int64_t i = 0; i < p.count(); ++i) {
    if (p.target[i] == p.ignore) continue;
    const T g = static_cast<T>(grad.data<E>()[each ? i : 0]);
    to[p.at(i)] = static_cast<E>(-g * weight_of<E>(weight, p.target[i]) / divisor);
  }
}

void nll_loss_forward(const Tensor& self, const Tensor& target, const Tensor& weight,
                      int64_t reduction, int64_t ignore, Frame& frame, Out output,
                      Out total_weight) {
  const Places p(frame, self, target, reduction, ignore);
  with_float(self.dtype(),
             [&](auto e) { forward<decltype(e)>(p, self, weight, *output, *total_weight); });
}

void nll_loss_backward(const Tensor& grad_output, const Tensor& self, const Tensor& target,
                       const Tensor& weight, int64_t reduction, int64_t ignore,
                       const Tensor& total_weight, Frame& frame, Out out) {
  const Places p(frame, self, target, reduction, ignore);
  with_float(self.dtype(),
             [&](auto e) { backward<decltype(e)>(p, grad_output, weight, total_weight, *out); });
}

}  // namespace

void register_loss(tn_plugin* plugin) {
  tn_caps caps = TN_INIT(tn_caps);
  caps.flags = TN_CAP_DETERMINISTIC | TN_CAP_CONTIGUOUS;
  caps.dtypes = kFloatDtypes | TN_DTYPE_BIT(TN_I64) | TN_DTYPE_BIT(TN_U8);  // the targets
  register_kernel<nll_loss_forward>(plugin, "nll_loss_forward", "cpu", caps);
  register_kernel<nll_loss_backward>(plugin, "nll_loss_backward", "cpu", caps);
}

}  // namespace tn::cpu
