// attention.h - scaled dot-product attention (Vaswani et al. 2017).
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include <tenon/sdk/declare.h>

namespace tn::ops {

struct ScaledDotProductAttention : composite {
  static constexpr auto schema =
      "scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? "
      "attn_mask=None, float dropout_p=0.0, "
      "bool is_causal=False, *, float? scale=None, bool enable_gqa=False) -> Tensor";
  static constexpr auto doc =
      "softmax(query @ key^T * scale + mask) @ value, for a query of [..., L, E], a key of [..., "
      "S, E] and a value of "
      "[..., S, V]. attn_mask broadcasts to [..., L, S]: added, or as bool, true where a key takes "
      "part. is_causal lets "
      "query i see keys 0 to i. scale is 1 / sqrt(E) by default. enable_gqa repeats the heads of "
      "key and value, in "
      "dimension -3, to match the query's.";
  static constexpr uint32_t flags = TN_OP_RNG;
  template <class T>
  static T decompose(const T& query, const T& key, const T& value, const T& attn_mask,
                     double dropout_p, bool is_causal, std::optional<double> scale,
                     bool enable_gqa) {
    if (query.dim() < 2 || key.dim() < 2 || value.dim() < 2)
      fail(TN_INVALID_ARGUMENT,
           "query, key and value must have at least two dimensions, got %s, %s and %s",
           query.describe().c_str(), key.describe().c_str(), value.describe().c_str());
    if (is_causal && attn_mask.defined())
      fail(TN_INVALID_ARGUMENT,
           "attn_mask must be None where is_causal is true; put the causal part into the mask");
    const T keys = enable_gqa ? heads_of(query, key) : key,
            values = enable_gqa ? heads_of(query, value) : value;
    // Its root goes to each side, which keeps 16-bit products in range.
    const double factor =
        std::sqrt(scale.value_or(1 / std::sqrt(static_cast<double>(query.size(-1)))));
    T scores = matmul(query * factor, transpose(keys * factor, int64_t{-2}, int64_t{-1}));
    const Scalar excluded(-std::numeric_limits<double>::infinity());
    if (is_causal) {
      const T allowed = tril(ones_like(scores, TN_BOOL), int64_t{0});
      scores = masked_fill(scores, logical_not(allowed), excluded);
    } else if (attn_mask.defined()) {
      scores = attn_mask.dtype() == TN_BOOL
                   ? T(masked_fill(scores, logical_not(attn_mask), excluded))
                   : T(scores + attn_mask);
    }
    T weights = _softmax(scores, int64_t{-1}, false);
    // A query that sees no key has weights of 0 / 0; what it attends to is nothing.
    if (attn_mask.defined() && attn_mask.dtype() == TN_BOOL)
      weights = masked_fill(weights, logical_not(any(attn_mask, int64_t{-1}, true)), Scalar(0));
    if (dropout_p > 0) weights = dropout(weights, dropout_p, true);
    return matmul(weights, values);
  }

 private:
  template <class T>
  static T heads_of(const T& query, const T& t) {
    if (query.dim() < 3 || t.dim() < 3 || t.size(-3) == 0 || query.size(-3) % t.size(-3))
      fail(TN_INVALID_ARGUMENT,
           "the query's heads must be a multiple of the key's and value's, got %s and %s",
           query.describe().c_str(), t.describe().c_str());
    std::vector<int64_t> sizes = t.sizes().vector();
    sizes.insert(sizes.end() - 2, query.size(-3) / t.size(-3));
    return flatten(expand(unsqueeze(t, int64_t{-3}), sizes), int64_t{-4}, int64_t{-3});
  }
};

using attention_ops = list<ScaledDotProductAttention>;

}  // namespace tn::ops
