// Losses: what training minimises.
#pragma once

#include <tenon/calls.h>

namespace tn::nn {

// What becomes of the losses of single examples; the numbers are the operators'.
enum class Reduction : int64_t {
  none = 0,
  mean = 1,
  sum = 2
};

// The cross entropy of softmax(logits) with the targets. logits are [N, classes] (or [N, classes,
// ...]), target class indices [N] of dtype i64, or probabilities of the logits' sizes. The result
// is one number, or [N] without a reduction. label_smoothing in [0, 1] mixes the targets with a
// uniform distribution; class_weights is [classes] or undefined; examples whose target is
// ignore_index do not count.
inline Tensor cross_entropy(const Tensor& logits, const Tensor& target,
                            Reduction reduction = Reduction::mean, double label_smoothing = 0,
                            const Tensor& class_weights = {}, int64_t ignore_index = -100) {
  return cross_entropy_loss(logits, target, class_weights, static_cast<int64_t>(reduction),
                            ignore_index, label_smoothing);
}

// Minus the log-probability of each target: as cross_entropy, of logarithms of probabilities.
inline Tensor nll_loss(const Tensor& log_probabilities, const Tensor& target,
                       Reduction reduction = Reduction::mean, const Tensor& class_weights = {},
                       int64_t ignore_index = -100) {
  return tn::nll_loss(log_probabilities, target, class_weights, static_cast<int64_t>(reduction),
                      ignore_index);
}

// (prediction - target)^2, of tensors of the same sizes.
inline Tensor mse_loss(const Tensor& prediction, const Tensor& target,
                       Reduction reduction = Reduction::mean) {
  return tn::mse_loss(prediction, target, static_cast<int64_t>(reduction));
}

}  // namespace tn::nn
