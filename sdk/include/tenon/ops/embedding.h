// embedding.h - rows of a table, looked up by index.
#pragma once

#include <vector>

#include <tenon/sdk/declare.h>

namespace tn::ops {

namespace embedding_detail {

inline void expect_indices(const Tensor& indices) {
  if (indices.dtype() != TN_I64 && indices.dtype() != TN_I32)
    fail(TN_TYPE_ERROR, "indices must be of dtype i64 or i32, got %s", indices.describe().c_str());
}

}  // namespace embedding_detail

struct Embedding : structured {
  static constexpr auto schema =
      "embedding(Tensor weight, Tensor indices, int padding_idx=-1, bool scale_grad_by_freq=False, "
      "bool sparse=False) -> "
      "Tensor";
  static constexpr auto doc =
      "The rows of weight, [num, width], that indices names: [..., width]. The row padding_idx "
      "gets no gradient; "
      "scale_grad_by_freq divides a row's gradient by how often it was looked up.";
  static void infer(const Tensor& weight, const Tensor& indices, int64_t, bool, bool sparse,
                    MetaOut out) {
    if (weight.dim() != 2)
      fail(TN_INVALID_ARGUMENT, "weight must be [num, width], got %s", weight.describe().c_str());
    embedding_detail::expect_indices(indices);
    if (sparse) fail(TN_NOT_IMPLEMENTED, "sparse gradients are not supported; pass sparse=False");
    std::vector<dim> sizes = indices.sizes().vector();
    sizes.push_back(weight.size(1));
    out.set(sizes, weight.dtype());
  }
  static constexpr auto complex_gradient = as_written;
  static constexpr auto gradients = std::make_tuple(gradient<0>(
      reads<arg<1>, sizes<0>, integer<2>, flag<3>>,
      [](auto g, auto indices, Ints table, int64_t padding_idx, bool scale_grad_by_freq) {
        return embedding_dense_backward(g, indices, table[0], padding_idx, scale_grad_by_freq);
      }));
};

struct EmbeddingDenseBackward : structured {
  static constexpr auto schema =
      "embedding_dense_backward(Tensor grad_output, Tensor indices, int num_weights, int "
      "padding_idx, bool "
      "scale_grad_by_freq) -> Tensor";
  static constexpr auto doc = "The sum of grad_output's rows for each row of the table.";
  static void infer(const Tensor& grad_output, const Tensor& indices, int64_t num_weights, int64_t,
                    bool, MetaOut out) {
    embedding_detail::expect_indices(indices);
    if (num_weights < 0)
      fail(TN_INVALID_ARGUMENT, "num_weights must not be negative, got %lld",
           static_cast<long long>(num_weights));
    const size_t rank = indices.sizes().size();
    if (grad_output.sizes().size() != rank + 1 ||
        Ints(grad_output.sizes().data(), rank) != indices.sizes())
      fail(TN_INVALID_ARGUMENT,
           "grad_output must have the sizes of indices and one more, got %s for %s",
           grad_output.describe().c_str(), indices.describe().c_str());
    out.set({num_weights, grad_output.size(-1)}, grad_output.dtype());
  }
  static constexpr auto complex_gradient = as_written;
  static constexpr auto gradients = std::make_tuple(gradient<0>(
      reads<arg<1>, integer<3>, flag<4>>,
      [](auto g, auto indices, int64_t padding_idx, bool scale_grad_by_freq) {
        if (scale_grad_by_freq)
          fail(TN_NOT_IMPLEMENTED, "second derivatives of embedding need scale_grad_by_freq=False");
        auto rows = embedding(g, indices);
        if (padding_idx < 0) return rows;
        return masked_fill(rows, unsqueeze(eq(indices, Scalar(padding_idx)), int64_t{-1}),
                           Scalar(0));
      }));
};

using embedding_ops = list<Embedding, EmbeddingDenseBackward>;

}  // namespace tn::ops
