// attention.h - scaled dot-product attention (Vaswani et al. 2017).
//
// `scaled_dot_product_attention` is written on matrix products, with all scores of a head in
// memory. Where the arguments are simple enough it calls a row of its own instead, which a device
// can serve without ever holding them; that row's gradient makes them again from the logarithms of
// their sums.
#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <tuple>
#include <vector>

#include <tenon/sdk/declare.h>

namespace tn::ops {

namespace attention_detail {

// The dtype of the logarithms.
inline DType logarithm_dtype(const Tensor& query) {
  return query.dtype() == TN_F16 || query.dtype() == TN_BF16 ? TN_F32 : query.dtype();
}
inline std::vector<int64_t> sizes_with(const Tensor& query, std::initializer_list<int64_t> last) {
  std::vector<int64_t> sizes(query.sizes().begin(), query.sizes().end() - 2);
  sizes.insert(sizes.end(), last);
  return sizes;
}
inline bool broadcasts(const Tensor& mask, const std::vector<int64_t>& sizes) {
  if (mask.dim() > static_cast<int64_t>(sizes.size())) return false;
  for (int64_t d = 1; d <= mask.dim(); ++d)
    if (mask.size(-d) != 1 && mask.size(-d) != *(sizes.end() - d)) return false;
  return true;
}
// [..., L, E], [..., S, E], [..., S, V] of one float dtype with the same leading sizes, and a mask
// of bool or that dtype that broadcasts to [..., L, S].
inline bool fits(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask) {
  const int64_t rank = query.dim();
  if (rank < 2 || key.dim() != rank || value.dim() != rank || !is_floating(query.dtype()) ||
      key.dtype() != query.dtype() || value.dtype() != query.dtype())
    return false;
  for (int64_t d = 0; d + 2 < rank; ++d)
    if (key.size(d) != query.size(d) || value.size(d) != query.size(d)) return false;
  if (key.size(-1) != query.size(-1) || value.size(-2) != key.size(-2)) return false;
  return !mask.defined() || ((mask.dtype() == TN_BOOL || mask.dtype() == query.dtype()) &&
                             broadcasts(mask, sizes_with(query, {query.size(-2), key.size(-2)})));
}
inline void expect_fit(const Tensor& query, const Tensor& key, const Tensor& value,
                       const Tensor& mask, bool is_causal) {
  if (!fits(query, key, value, mask))
    fail(TN_INVALID_ARGUMENT,
         "query must be [..., L, E], key [..., S, E] and value [..., S, V] of one float dtype, "
         "attn_mask None or of bool or that dtype and broadcast to [..., L, S]; got %s, %s, %s and "
         "%s",
         query.describe().c_str(), key.describe().c_str(), value.describe().c_str(),
         mask.defined() ? mask.describe().c_str() : "None");
  if (is_causal && mask.defined())
    fail(TN_INVALID_ARGUMENT,
         "attn_mask must be None where is_causal is true; put the causal part into the mask");
}

// query @ key^T * scale with minus infinity where a query does not see a key.
template <class T>
T scores(const T& query, const T& key, const T& attn_mask, bool is_causal, double scale) {
  // Its root goes to each side, which keeps 16-bit products in range.
  const double root = std::sqrt(std::fabs(scale));
  const T products =
      matmul(query * std::copysign(root, scale), transpose(key * root, int64_t{-2}, int64_t{-1}));
  const Scalar excluded(-std::numeric_limits<double>::infinity());
  if (is_causal)
    return masked_fill(products, logical_not(tril(ones_like(products, TN_BOOL), int64_t{0})),
                       excluded);
  if (!attn_mask.defined()) return products;
  return attn_mask.dtype() == TN_BOOL ? T(masked_fill(products, logical_not(attn_mask), excluded))
                                      : T(products + attn_mask);
}
// Their softmax. A query that sees no key would have weights of 0 / 0; what it attends to is
// nothing.
template <class T>
T weights(const T& scores, bool masked) {
  if (!masked || scores.size(-1) == 0) return _softmax(scores, int64_t{-1}, false);
  const T blind = isneginf(amax(detach(scores), Ints{-1}, true));
  return masked_fill(_softmax(masked_fill(scores, blind, Scalar(0)), int64_t{-1}, false), blind,
                     Scalar(0));
}

}  // namespace attention_detail

struct FusedAttentionBackward : structured {
  static constexpr auto schema =
      "_scaled_dot_product_attention_backward(Tensor grad_output, Tensor query, Tensor key, Tensor "
      "value, Tensor? attn_mask, Tensor output, Tensor logsumexp, bool is_causal, float scale) -> "
      "(Tensor, Tensor, Tensor)";
  static constexpr auto doc =
      "The gradients of _scaled_dot_product_attention's query, key and value, from its results.";
  static constexpr uint32_t flags = TN_OP_NO_OUT;
  // No formulas: where a gradient is to be differentiated again, `decompose` is recorded instead.
  static constexpr auto gradients = std::make_tuple();
  static void infer(const Tensor& grad_output, const Tensor& query, const Tensor& key,
                    const Tensor& value, const Tensor& attn_mask, const Tensor& output,
                    const Tensor& logsumexp, bool is_causal, double, MetaOut grad_query,
                    MetaOut grad_key, MetaOut grad_value) {
    attention_detail::expect_fit(query, key, value, attn_mask, is_causal);
    for (const Tensor* t : {&grad_output, &output})
      if (t->sizes() !=
              Ints(attention_detail::sizes_with(query, {query.size(-2), value.size(-1)})) ||
          t->dtype() != query.dtype())
        fail(TN_INVALID_ARGUMENT,
             "grad_output and output must be [..., L, V] of the query's dtype, got %s and %s for "
             "%s and %s",
             grad_output.describe().c_str(), output.describe().c_str(), query.describe().c_str(),
             value.describe().c_str());
    if (logsumexp.sizes() != Ints(attention_detail::sizes_with(query, {query.size(-2)})) ||
        logsumexp.dtype() != attention_detail::logarithm_dtype(query))
      fail(TN_INVALID_ARGUMENT, "logsumexp must be [..., L] of dtype %s, got %s for %s",
           api->dtype_name(attention_detail::logarithm_dtype(query)), logsumexp.describe().c_str(),
           query.describe().c_str());
    grad_query.set(query.sizes(), query.dtype());
    grad_key.set(key.sizes(), key.dtype());
    grad_value.set(value.sizes(), value.dtype());
  }
  // Makes the weights again, so that it can be differentiated.
  template <class T>
  static std::tuple<T, T, T> decompose(const T& grad_output, const T& query, const T& key,
                                       const T& value, const T& attn_mask, const T&, const T&,
                                       bool is_causal, double scale) {
    const T weights = attention_detail::weights(
        attention_detail::scores(query, key, attn_mask, is_causal, scale), attn_mask.defined());
    const T d_weights = matmul(grad_output, transpose(value, int64_t{-2}, int64_t{-1}));
    const T d_scores =
        weights * (d_weights - sum(weights * d_weights, Ints{-1}, true)) * Scalar(scale);
    return {matmul(d_scores, key), matmul(transpose(d_scores, int64_t{-2}, int64_t{-1}), query),
            matmul(transpose(weights, int64_t{-2}, int64_t{-1}), grad_output)};
  }
};

struct FusedAttention : structured {
  static constexpr auto schema =
      "_scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask, "
      "bool is_causal, float scale) -> (Tensor, Tensor)";
  static constexpr auto doc =
      "softmax(query @ key^T * scale + mask) @ value and the logarithm of each row's sum of "
      "exponentials, for a query of [..., L, E], a key of [..., S, E], a value of [..., S, V] with "
      "the same leading sizes, and a mask as of scaled_dot_product_attention, which gets no "
      "gradient. The product of query and key need not exist in memory.";
  static constexpr uint32_t flags = TN_OP_NO_OUT;
  static void infer(const Tensor& query, const Tensor& key, const Tensor& value,
                    const Tensor& attn_mask, bool is_causal, double, MetaOut out,
                    MetaOut logsumexp) {
    attention_detail::expect_fit(query, key, value, attn_mask, is_causal);
    out.set(attention_detail::sizes_with(query, {query.size(-2), value.size(-1)}), query.dtype());
    logsumexp.set(attention_detail::sizes_with(query, {query.size(-2)}),
                  attention_detail::logarithm_dtype(query));
  }
  template <class T>
  static std::tuple<T, T> decompose(const T& query, const T& key, const T& value,
                                    const T& attn_mask, bool is_causal, double scale) {
    const T scores = attention_detail::scores(query, key, attn_mask, is_causal, scale);
    return {matmul(attention_detail::weights(scores, attn_mask.defined()), value),
            logsumexp(scores.to(attention_detail::logarithm_dtype(query)), Ints{-1}, false)};
  }
  static constexpr auto gradients = std::make_tuple(
      gradient<0, 1, 2>(reads<arg<0>, arg<1>, arg<2>, arg<3>, ret<0>, ret<1>, flag<4>, real<5>>,
                        [](auto g, auto query, auto key, auto value, auto mask, auto output,
                           auto logsumexp, bool is_causal, double scale) {
                          if (is_recording())
                            return FusedAttentionBackward::decompose(
                                g, query, key, value, mask, output, logsumexp, is_causal, scale);
                          return _scaled_dot_product_attention_backward(
                              g, query, key, value, mask, output, logsumexp, is_causal, scale);
                        }));
};

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
    const double factor = scale.value_or(1 / std::sqrt(static_cast<double>(query.size(-1))));
    if (dropout_p == 0 && query.size(-2) >= kManyQueries &&
        attention_detail::fits(query, keys, values, attn_mask) &&
        !(attn_mask.defined() && attn_mask.get()->layers != 0))  // a mask that wants a gradient
      return std::get<0>(
          _scaled_dot_product_attention(query, keys, values, attn_mask, is_causal, factor));
    T weights = attention_detail::weights(
        attention_detail::scores(query, keys, attn_mask, is_causal, factor), attn_mask.defined());
    if (dropout_p > 0) weights = dropout(weights, dropout_p, true);
    return matmul(weights, values);
  }

 private:
  // The scores of fewer take no memory to speak of, and plain products are faster.
  static constexpr int64_t kManyQueries = 8;

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

using attention_ops = list<FusedAttention, FusedAttentionBackward, ScaledDotProductAttention>;

}  // namespace tn::ops
