// The gradient of scaled dot-product attention. Scores are made again, block by block, from the
// logarithms of their sums: with P the weights, dP = dO V^T and D the row sums of dO * O,
//
//   dV = P^T dO,   dS = P * (dP - D),   dQ = scale dS K,   dK = scale dS^T Q.
#include <cmath>

#include "attention.h"
#include "float_types.h"
#include "kernels.h"
#include "tenon/ops/attention.h"
#include "tenon/sdk/entry.h"

namespace tn::cpu {
namespace {

template <class E>
class Backward {
  using T = Sum<E>;
  static constexpr std::int64_t queries_at_once = 8 * kTileRows<T>, most_keys = 256;

 public:
  struct Tensors {
    const Tensor &grad, &query, &key, &value, &output, &logsumexp;
    const Tensor &grad_query, &grad_key, &grad_value;
  };
  Backward(const AttentionShape& s, const Tensors& t, const AttentionMask& mask)
      : s_(s),
        t_(t),
        mask_(mask),
        depth_(whole_tiles<T>(s.depth)),
        width_(whole_tiles<T>(s.width)),
        keys_at_once_(std::min(most_keys, whole_tiles<T>(s.keys))),
        row_(keys_at_once_ + static_cast<std::int64_t>(Vec<T>::lanes)) {}

  void run(const Frame& frame) const {
    over_items<T>(frame, s_, s_.heads, Work(*this, nullptr).size,
                  [&](std::int64_t begin, std::int64_t end, T* memory) {
                    const Work w(*this, memory);
                    for (std::int64_t head = begin; head < end; ++head) run_head(head, w);
                  });
  }

 private:
  // What one head needs, laid out one after the other.
  struct Work {
    std::int64_t size = 0;
    T* memory;
    T *queries, *grads;                                 // rows; queries scaled
    T *keys_t, *values_t, *keys, *queries_c, *grads_c;  // packed columns
    T *weights, *d_scores;                              // a block of scores each
    T *d_queries, *d_keys, *d_values;                   // sums; of a block of keys
    T *shifts, *centers;                                // per query
    T* added;                                           // a row of the mask

    Work(const Backward& b, T* start) : memory(start) {
      const AttentionShape& s = b.s_;
      const std::int64_t all_keys = whole_tiles<T>(s.keys);
      queries = place(s.queries * s.depth);
      grads = place(s.queries * s.width);
      keys_t = place(all_keys * s.depth);
      values_t = place(all_keys * s.width);
      keys = place(s.keys * b.depth_);
      queries_c = place(s.queries * b.depth_);
      grads_c = place(s.queries * b.width_);
      weights = place(queries_at_once * b.row_);
      d_scores = place(queries_at_once * b.row_);
      d_queries = place(s.queries * b.depth_);
      d_keys = place(b.keys_at_once_ * b.depth_);
      d_values = place(b.keys_at_once_ * b.width_);
      shifts = place(s.queries);
      centers = place(s.queries);
      added = place(b.keys_at_once_);
    }
    T* place(std::int64_t count) {
      T* const at = memory ? memory + size : nullptr;
      size += (count + 15) / 16 * 16;
      return at;
    }
  };

  void run_head(std::int64_t head, const Work& w) const {
    prepare(head, w);
    std::fill(w.d_queries, w.d_queries + s_.queries * depth_, T(0));
    for (std::int64_t key = 0; key < s_.keys; key += keys_at_once_) {
      const std::int64_t keys = std::min(keys_at_once_, s_.keys - key);
      std::fill(w.d_keys, w.d_keys + keys * depth_, T(0));
      std::fill(w.d_values, w.d_values + keys * width_, T(0));
      for (std::int64_t query = 0; query < s_.queries; query += queries_at_once) {
        const std::int64_t queries = std::min(queries_at_once, s_.queries - query);
        const std::int64_t end = std::min(key + keys, s_.seen(query + queries));
        if (end > key) block(head, {w.weights, row_, query, queries, key, end - key}, w);
      }
      write(t_.grad_key, head, key, keys, s_.depth, w.d_keys, depth_, T(1));
      write(t_.grad_value, head, key, keys, s_.width, w.d_values, width_, T(1));
    }
    write(t_.grad_query, head, 0, s_.queries, s_.depth, w.d_queries, depth_,
          static_cast<T>(s_.scale));
  }

  void prepare(std::int64_t head, const Work& w) const {
    const auto query = head_matrix<const E>(t_.query, t_.query, head),
               key = head_matrix<const E>(t_.key, t_.query, head),
               value = head_matrix<const E>(t_.value, t_.query, head),
               grad = head_matrix<const E>(t_.grad, t_.query, head),
               output = head_matrix<const E>(t_.output, t_.query, head);
    copy_scaled<E>(query, s_.queries, s_.depth, static_cast<T>(s_.scale), w.queries);
    copy_scaled<E>(grad, s_.queries, s_.width, T(1), w.grads);
    pack_columns<E>(key.transposed(), s_.depth, s_.keys, w.keys_t);
    pack_columns<E>(value.transposed(), s_.width, s_.keys, w.values_t);
    pack_columns<E>(key, s_.keys, s_.depth, w.keys);
    pack_columns<T>({w.queries, s_.depth, 1}, s_.queries, s_.depth, w.queries_c);
    pack_columns<T>({w.grads, s_.width, 1}, s_.queries, s_.width, w.grads_c);
    const T* const logarithms =
        t_.logsumexp.template data<T>() + head_offset(t_.logsumexp, t_.query, head, 1);
    for (std::int64_t i = 0; i < s_.queries; ++i) {
      // A query that sees nothing has no weights: e^(s - inf).
      const T logarithm = logarithms[i * t_.logsumexp.stride(-1)];
      w.shifts[i] = logarithm == -std::numeric_limits<T>::infinity() ? -logarithm : logarithm;
      T sum = 0;
      for (std::int64_t j = 0; j < s_.width; ++j)
        sum += w.grads[i * s_.width + j] * static_cast<T>(*output.at(i, j));
      w.centers[i] = sum;
    }
  }

  void block(std::int64_t head, const ScoreBlock<T>& p, const Work& w) const {
    const ScoreBlock<T> d{w.d_scores, row_, p.query, p.queries, p.key, p.keys};
    p.fill(s_, w.queries + p.query * s_.depth, s_.depth, {w.keys_t, s_.depth});
    d.fill(s_, w.grads + p.query * s_.width, s_.width, {w.values_t, s_.width});
    for (std::int64_t i = 0; i < p.queries; ++i) score_gradients(head, p, d, i, w);
    const auto later_queries = [&](std::int64_t i, std::int64_t) {
      const std::int64_t first =
          s_.causal ? std::clamp<std::int64_t>(p.key + i - p.query, 0, p.queries) : 0;
      return std::pair<std::int64_t, std::int64_t>(first, p.queries);
    };
    multiply<T>({p.data, 1, row_}, p.keys, {w.grads_c, s_.queries}, p.query, s_.width, w.d_values,
                width_, true, later_queries);
    multiply<T>({d.data, 1, row_}, p.keys, {w.queries_c, s_.queries}, p.query, s_.depth, w.d_keys,
                depth_, true, later_queries);
    multiply<T>({d.data, row_, 1}, p.queries, {w.keys, s_.keys}, p.key, s_.depth,
                w.d_queries + p.query * depth_, depth_, true,
                [&](std::int64_t i, std::int64_t height) {
                  return std::pair<std::int64_t, std::int64_t>(0, p.seen(s_, i + height - 1));
                });
  }

  // Row i of the block: scores become weights, their gradients those of the scores.
  void score_gradients(std::int64_t head, const ScoreBlock<T>& p, const ScoreBlock<T>& d,
                       std::int64_t i, const Work& w) const {
    const std::int64_t seen = p.seen(s_, i);
    if (mask_.given()) mask_.read<E>(head, p.query + i, p.key, seen, w.added);
    T *const weights = p.at(i), *const grads = d.at(i);
    const Vec<T> shift(w.shifts[p.query + i]), center(w.centers[p.query + i]);
    by_vector<T>(seen, [&](std::int64_t j, auto n) {
      Vec<T> score = get<T>(weights + j, n);
      if (mask_.given()) score = score + get<T>(w.added + j, n);
      const Vec<T> weight = exp(score - shift);
      put(weight, weights + j, n);
      put(weight * (get<T>(grads + j, n) - center), grads + j, n);
    });
    std::fill(weights + seen, weights + p.keys, T(0));
    std::fill(grads + seen, grads + p.keys, T(0));
  }

  static void write(const Tensor& out, std::int64_t head, std::int64_t first, std::int64_t rows,
                    std::int64_t columns, const T* sums, std::int64_t sums_row, T factor) {
    const auto to = head_matrix<E>(out, out, head);
    for (std::int64_t i = 0; i < rows; ++i)
      write_scaled<E>(sums + i * sums_row, columns, factor, to.at(first + i, 0), to.column);
  }

  const AttentionShape& s_;
  const Tensors& t_;
  const AttentionMask& mask_;
  std::int64_t depth_, width_, keys_at_once_, row_;
};

void attention_backward(const Tensor& grad_output, const Tensor& query, const Tensor& key,
                        const Tensor& value, const Tensor& mask, const Tensor& output,
                        const Tensor& logsumexp, bool is_causal, double scale, Frame& frame,
                        Out grad_query, Out grad_key, Out grad_value) {
  const AttentionShape s(query, key, value, is_causal, scale);
  if (s.heads == 0) return;
  with_float(query.dtype(), [&](auto e) {
    using Kernel = Backward<decltype(e)>;
    const typename Kernel::Tensors t{grad_output, query,       key,       value,      output,
                                     logsumexp,   *grad_query, *grad_key, *grad_value};
    Kernel(s, t, AttentionMask(mask, query)).run(frame);
  });
}

}  // namespace

void register_attention_backward(tn_plugin* plugin) {
  tn_caps caps = TN_INIT(tn_caps);
  caps.flags = TN_CAP_DETERMINISTIC;
  // f32 and bool also for the logarithms and the mask.
  caps.dtypes = kFloatDtypes | TN_DTYPE_BIT(TN_BOOL);
  register_kernel<attention_backward>(plugin, "_scaled_dot_product_attention_backward", "cpu",
                                      caps);
}

}  // namespace tn::cpu
