// loss.h - what training minimises. Each takes `reduction`: 0 none, 1 mean, 2 sum.
#pragma once

#include <vector>

#include <tenon/sdk/declare.h>

namespace tn::ops {

namespace loss_detail {

enum Reduction : int64_t {
  none = 0,
  mean_of_all = 1,
  sum_of_all = 2
};

inline void expect_reduction(int64_t reduction) {
  if (reduction < none || reduction > sum_of_all)
    fail(TN_INVALID_ARGUMENT, "reduction must be 0 (none), 1 (mean) or 2 (sum), got %lld",
         static_cast<long long>(reduction));
}
// Real numbers, and at least one of the two of a float dtype.
inline void expect_real(const Tensor& self, const Tensor& target) {
  const bool complex = is_complex(self.dtype()) || is_complex(target.dtype());
  if (complex || (!is_floating(self.dtype()) && !is_floating(target.dtype())))
    fail(TN_NOT_IMPLEMENTED, "self and target must be of a float dtype, got %s and %s",
         self.describe().c_str(), target.describe().c_str());
}
template <class T>
T reduced(const T& loss, int64_t reduction) {
  expect_reduction(reduction);
  return reduction == mean_of_all ? T(mean(loss)) : reduction == sum_of_all ? T(sum(loss)) : loss;
}

// Log-probabilities [C], [N, C] or [N, C, ...] and one class index per place.
inline void expect_classes(const Tensor& self, const Tensor& target, const Tensor& weight,
                           int64_t reduction) {
  expect_reduction(reduction);
  if (!is_floating(self.dtype()))
    fail(TN_NOT_IMPLEMENTED, "self must be of a float dtype, got %s", self.describe().c_str());
  if (self.dim() < 1)
    fail(TN_INVALID_ARGUMENT, "self must be [C] or [N, C, ...], got %s", self.describe().c_str());
  if (target.dtype() != TN_I64 && target.dtype() != TN_U8)
    fail(TN_TYPE_ERROR, "target must hold class indices of dtype i64, got %s",
         target.describe().c_str());
  std::vector<dim> sizes = self.sizes().vector();
  sizes.erase(sizes.begin() + (sizes.size() == 1 ? 0 : 1));
  if (target.sizes() != Ints(sizes))
    fail(TN_INVALID_ARGUMENT, "target must have self's sizes without the classes, got %s for %s",
         target.describe().c_str(), self.describe().c_str());
  const dim classes = self.size(self.dim() == 1 ? 0 : 1);
  if (weight.defined() &&
      (weight.dim() != 1 || weight.size(0) != classes || weight.dtype() != self.dtype()))
    fail(TN_INVALID_ARGUMENT,
         "weight must hold one number of self's dtype for each of %lld classes, got %s",
         static_cast<long long>(classes), weight.describe().c_str());
}

}  // namespace loss_detail

struct NllLossForward : structured {
  static constexpr auto schema =
      "nll_loss_forward(Tensor self, Tensor target, Tensor? weight, int reduction, int "
      "ignore_index) -> (Tensor output, "
      "Tensor total_weight)";
  static constexpr auto doc =
      "Minus the log-probability of each target class, times the class's weight; the mean is "
      "divided by the sum of the "
      "weights, which is the second result. Targets equal to ignore_index do not count.";
  static void infer(const Tensor& self, const Tensor& target, const Tensor& weight,
                    int64_t reduction, int64_t, MetaOut output, MetaOut total_weight) {
    loss_detail::expect_classes(self, target, weight, reduction);
    output.set(reduction == loss_detail::none ? target.sizes() : Ints(), self.dtype());
    total_weight.set(Ints(), self.dtype());
  }
  static constexpr auto gradients = std::make_tuple(gradient<0>(
      reads<arg<0>, arg<1>, arg<2>, ret<1>, integer<3>, integer<4>>,
      [](auto g, auto self, auto target, auto weight, auto total_weight, int64_t reduction,
         int64_t ignore_index) {
        return nll_loss_backward(g, self, target, weight, reduction, ignore_index, total_weight);
      }));
};

struct NllLossBackward : structured {
  static constexpr auto schema =
      "nll_loss_backward(Tensor grad_output, Tensor self, Tensor target, Tensor? weight, int "
      "reduction, int "
      "ignore_index, Tensor total_weight) -> Tensor";
  static constexpr auto doc = "The gradient of nll_loss_forward's self.";
  static void infer(const Tensor& grad_output, const Tensor& self, const Tensor& target,
                    const Tensor& weight, int64_t reduction, int64_t, const Tensor& total_weight,
                    MetaOut out) {
    loss_detail::expect_classes(self, target, weight, reduction);
    const Ints expected = reduction == loss_detail::none ? target.sizes() : Ints();
    if (grad_output.sizes() != expected || grad_output.dtype() != self.dtype())
      fail(TN_INVALID_ARGUMENT,
           "grad_output must have the loss's sizes and self's dtype, got %s for %s",
           grad_output.describe().c_str(), self.describe().c_str());
    if (total_weight.numel() != 1 || total_weight.dtype() != self.dtype())
      fail(TN_INVALID_ARGUMENT, "total_weight must be one number of self's dtype, got %s",
           total_weight.describe().c_str());
    out.set(self.sizes(), self.dtype());
  }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<arg<2>, arg<3>, integer<4>, integer<5>>,
                  [](auto g, auto target, auto weight, int64_t reduction, int64_t ignore_index) {
                    return std::get<0>(
                        nll_loss_forward(g, target, weight, reduction, ignore_index));
                  }),
      // The result is the same for all log-probabilities.
      gradient<1>(reads<>, [](auto g) { return decltype(g)(); }));
};

struct NllLoss : composite {
  static constexpr auto schema =
      "nll_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, int "
      "ignore_index=-100) -> Tensor";
  static constexpr auto doc = "nll_loss_forward's first result.";
  template <class T>
  static T decompose(const T& self, const T& target, const T& weight, int64_t reduction,
                     int64_t ignore_index) {
    return std::get<0>(nll_loss_forward(self, target, weight, reduction, ignore_index));
  }
};

struct CrossEntropyLoss : composite {
  static constexpr auto schema =
      "cross_entropy_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, int "
      "ignore_index=-100, float "
      "label_smoothing=0.0) -> Tensor";
  static constexpr auto doc =
      "The cross entropy of softmax(self) over the classes with the targets: class indices, or "
      "probabilities of self's "
      "sizes. label_smoothing mixes the targets with a uniform distribution (Szegedy et al. 2016).";
  template <class T>
  static T decompose(const T& self, const T& target, const T& weight, int64_t reduction,
                     int64_t ignore_index, double label_smoothing) {
    loss_detail::expect_reduction(reduction);
    if (!(label_smoothing >= 0 && label_smoothing <= 1))
      fail(TN_INVALID_ARGUMENT, "label_smoothing must lie in [0, 1], got %g", label_smoothing);
    if (self.dim() < 1)
      fail(TN_INVALID_ARGUMENT, "self must be [C] or [N, C, ...], got %s", self.describe().c_str());
    const int64_t dim = self.dim() == 1 ? 0 : 1;
    const T logs = _log_softmax(self, dim, false);
    if (target.sizes() == self.sizes() && is_floating(target.dtype()))
      return probabilities(logs, target, weight, reduction, label_smoothing, dim);
    T loss, total;
    std::tie(loss, total) = nll_loss_forward(logs, target, weight, reduction, ignore_index);
    if (label_smoothing == 0) return loss;
    const double classes = static_cast<double>(self.size(dim));
    T smooth = neg(
        sum(weight.defined() ? T(logs * along(weight, logs, dim)) : logs, Ints(&dim, 1), false));
    const T ignored = eq(target, Scalar(ignore_index));
    smooth = masked_fill(smooth, ignored, Scalar(0));
    if (reduction == loss_detail::mean_of_all) smooth = sum(smooth) / total;
    if (reduction == loss_detail::sum_of_all) smooth = sum(smooth);
    return loss * (1 - label_smoothing) + smooth * (label_smoothing / classes);
  }

 private:
  // [C] as [1, C, 1, ...].
  template <class T>
  static T along(const T& weight, const T& logs, int64_t dim) {
    std::vector<int64_t> sizes(logs.sizes().size(), 1);
    sizes[static_cast<size_t>(dim)] = weight.numel();
    return reshape(weight, sizes);
  }
  template <class T>
  static T probabilities(const T& logs, const T& target, const T& weight, int64_t reduction,
                         double smoothing, int64_t dim) {
    const double classes = static_cast<double>(logs.size(dim));
    const T wanted = smoothing == 0 ? target : T(target * (1 - smoothing) + smoothing / classes);
    const T terms = logs * wanted;
    const T weighted = weight.defined() ? T(terms * along(weight, logs, dim)) : terms;
    const T loss = neg(sum(weighted, Ints(&dim, 1), false));
    if (reduction != loss_detail::mean_of_all) return loss_detail::reduced(loss, reduction);
    // The mean counts rows, whatever the weights.
    return sum(loss) / (static_cast<double>(logs.numel()) / classes);
  }
};

struct MseLoss : composite {
  static constexpr auto schema = "mse_loss(Tensor self, Tensor target, int reduction=1) -> Tensor";
  static constexpr auto doc = "(self - target) squared.";
  template <class T>
  static T decompose(const T& self, const T& target, int64_t reduction) {
    loss_detail::expect_real(self, target);
    const T apart = self - target;
    return loss_detail::reduced(T(apart * apart), reduction);
  }
};

struct L1Loss : composite {
  static constexpr auto schema = "l1_loss(Tensor self, Tensor target, int reduction=1) -> Tensor";
  static constexpr auto doc = "|self - target|.";
  template <class T>
  static T decompose(const T& self, const T& target, int64_t reduction) {
    loss_detail::expect_real(self, target);
    return loss_detail::reduced(T(abs(self - target)), reduction);
  }
};

struct HuberLoss : composite {
  static constexpr auto schema =
      "huber_loss(Tensor self, Tensor target, int reduction=1, float delta=1.0) -> Tensor";
  static constexpr auto doc =
      "d * d / 2 where d = |self - target| is at most delta, else delta * (d - delta / 2) (Huber "
      "1964).";
  template <class T>
  static T decompose(const T& self, const T& target, int64_t reduction, double delta) {
    loss_detail::expect_real(self, target);
    if (!(delta > 0)) fail(TN_INVALID_ARGUMENT, "delta must be positive, got %g", delta);
    const T d = abs(self - target);
    return loss_detail::reduced(
        T(where(le(d, Scalar(delta)), d * d * 0.5, (d - delta / 2) * delta)), reduction);
  }
};

struct SmoothL1Loss : composite {
  static constexpr auto schema =
      "smooth_l1_loss(Tensor self, Tensor target, int reduction=1, float beta=1.0) -> Tensor";
  static constexpr auto doc =
      "d * d / (2 beta) where d = |self - target| is less than beta, else d - beta / 2.";
  template <class T>
  static T decompose(const T& self, const T& target, int64_t reduction, double beta) {
    loss_detail::expect_real(self, target);
    if (!(beta >= 0)) fail(TN_INVALID_ARGUMENT, "beta must not be negative, got %g", beta);
    const T d = abs(self - target);
    if (beta == 0) return loss_detail::reduced(d, reduction);
    return loss_detail::reduced(T(where(lt(d, Scalar(beta)), d * d * (0.5 / beta), d - beta / 2)),
                                reduction);
  }
};

struct BinaryCrossEntropyWithLogits : composite {
  static constexpr auto schema =
      "binary_cross_entropy_with_logits(Tensor self, Tensor target, Tensor? weight=None, Tensor? "
      "pos_weight=None, int "
      "reduction=1) -> Tensor";
  static constexpr auto doc =
      "The cross entropy of sigmoid(self) with target in [0, 1], stable for logits of any size; "
      "pos_weight multiplies "
      "the term of target 1.";
  template <class T>
  static T decompose(const T& self, const T& target, const T& weight, const T& pos_weight,
                     int64_t reduction) {
    loss_detail::expect_real(self, target);
    // log(1 + exp(-x)); from 40 on, it is -x in f64 too.
    const T softened = softplus(neg(self), Scalar(1), Scalar(40));
    const T scale = pos_weight.defined() ? T(target * (pos_weight - 1.0) + 1.0) : T();
    T loss = self * (neg(target) + 1.0) + (scale.defined() ? T(scale * softened) : softened);
    if (weight.defined()) loss = loss * weight;
    return loss_detail::reduced(loss, reduction);
  }
};

struct BinaryCrossEntropy : composite {
  static constexpr auto schema =
      "binary_cross_entropy(Tensor self, Tensor target, Tensor? weight=None, int reduction=1) -> "
      "Tensor";
  static constexpr auto doc =
      "The cross entropy of probabilities with target in [0, 1]; logarithms are held at -100 and "
      "above.";
  template <class T>
  static T decompose(const T& self, const T& target, const T& weight, int64_t reduction) {
    loss_detail::expect_real(self, target);
    const T yes = clamp(log(self), Scalar(-100.0)), no = clamp(log1p(neg(self)), Scalar(-100.0));
    T loss = (target - 1.0) * no - target * yes;
    if (weight.defined()) loss = loss * weight;
    return loss_detail::reduced(loss, reduction);
  }
};

struct KlDiv : composite {
  static constexpr auto schema =
      "kl_div(Tensor self, Tensor target, int reduction=1, *, bool log_target=False) -> Tensor";
  static constexpr auto doc =
      "target * (log(target) - self), 0 where target is 0: self holds log-probabilities, target "
      "probabilities or, with "
      "log_target, their logarithms.";
  template <class T>
  static T decompose(const T& self, const T& target, int64_t reduction, bool log_target) {
    loss_detail::expect_real(self, target);
    const T loss =
        log_target ? T(exp(target) * (target - self)) : T(xlogy(target, target) - target * self);
    return loss_detail::reduced(loss, reduction);
  }
};

using loss_ops =
    list<NllLossForward, NllLossBackward, NllLoss, CrossEntropyLoss, MseLoss, L1Loss, HuberLoss,
         SmoothL1Loss, BinaryCrossEntropyWithLogits, BinaryCrossEntropy, KlDiv>;

}  // namespace tn::ops
