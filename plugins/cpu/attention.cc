// Scaled dot-product attention: blocks of queries meet blocks of keys, with a running softmax.
#include "attention.h"

#include <cmath>

#include "float_types.h"
#include "kernels.h"
#include "tenon/ops/attention.h"
#include "tenon/sdk/entry.h"

namespace tn::cpu {
namespace {

// The softmax of a row that comes in parts: the largest score so far, and the sum of exponentials
// taken relative to it.
template <class T>
struct RunningSoftmax {
  T most = -std::numeric_limits<T>::infinity();
  T sum = 0;

  // What exponents are taken relative to: never minus infinity, which would make inf - inf of it.
  T shift() const { return most == -std::numeric_limits<T>::infinity() ? T(0) : most; }

  // Turns scores into their exponentials; returns by what earlier ones are to be multiplied.
  T take(T* scores, std::int64_t count, const T* added) {
    const T lowest = -std::numeric_limits<T>::infinity();
    Vec<T> largest(most);
    by_vector<T>(count, [&](std::int64_t i, auto n) {
      Vec<T> score = get<T>(scores + i, n);
      if (added) {
        score = score + get<T>(added + i, n);
        put(score, scores + i, n);
      }
      largest = maximum(largest, only(score, lowest, n));
    });
    const T before = most;
    most = hn::CountTrue(Tag<T>(), isnan(largest).raw) > 0 ? std::numeric_limits<T>::quiet_NaN()
                                                           : max_of_lanes(largest);
    const Vec<T> reference(shift());
    const T more = sum_row<T>(count, [&](std::int64_t i, auto n) {
      const Vec<T> power = only(exp(get<T>(scores + i, n) - reference), T(0), n);
      put(power, scores + i, n);
      return power;
    });
    const T factor = std::exp(before - shift());
    sum = sum * factor + more;
    return factor;
  }
  T scale() const { return sum == 0 ? T(0) : 1 / sum; }
  T logarithm() const { return shift() + std::log(sum); }
};

template <class E>
class Forward {
  using T = Sum<E>;
  static constexpr std::int64_t queries_at_once = 4 * kTileRows<T>, most_keys = 512;

 public:
  Forward(const AttentionShape& s, const Tensor& query, const Tensor& key, const Tensor& value,
          const AttentionMask& mask, const Tensor& out, const Tensor& logsumexp)
      : s_(s),
        query_(query),
        key_(key),
        value_(value),
        mask_(mask),
        out_(out),
        logsumexp_(logsumexp),
        columns_(whole_tiles<T>(s.width)),
        keys_at_once_(std::min(most_keys, whole_tiles<T>(s.keys))),
        row_(keys_at_once_ + static_cast<std::int64_t>(Vec<T>::lanes)) {}

  void run(const Frame& frame) const {
    const std::int64_t blocks = detail::parts(s_.queries, queries_at_once);
    const std::int64_t keys = s_.depth * whole_tiles<T>(s_.keys), values = s_.keys * columns_;
    const std::int64_t workspace =
        keys + values + queries_at_once * (s_.depth + row_ + columns_) + keys_at_once_;
    over_items<T>(frame, s_, s_.heads * blocks, workspace,
                  [&](std::int64_t begin, std::int64_t end, T* memory) {
                    const Work w{memory,
                                 memory + keys,
                                 memory + keys + values,
                                 memory + keys + values + queries_at_once * s_.depth,
                                 memory + keys + values + queries_at_once * (s_.depth + row_),
                                 memory + workspace - keys_at_once_};
                    for (std::int64_t item = begin; item < end; ++item) {
                      if (item == begin || item % blocks == 0) pack(item / blocks, w);
                      block(item / blocks, item % blocks * queries_at_once, w);
                    }
                  });
  }

 private:
  struct Work {
    T *keys, *values;  // packed: transposed keys, values
    T *queries, *scores, *sums;
    T* added;  // a row of the mask
  };

  void pack(std::int64_t head, const Work& w) const {
    pack_columns<E>(head_matrix<const E>(key_, query_, head).transposed(), s_.depth, s_.keys,
                    w.keys);
    pack_columns<E>(head_matrix<const E>(value_, query_, head), s_.keys, s_.width, w.values);
  }

  void block(std::int64_t head, std::int64_t first, const Work& w) const {
    const std::int64_t rows = std::min(queries_at_once, s_.queries - first);
    auto queries = head_matrix<const E>(query_, query_, head);
    queries.data = queries.at(first, 0);
    copy_scaled<E>(queries, rows, s_.depth, static_cast<T>(s_.scale), w.queries);
    RunningSoftmax<T> softmax[queries_at_once];
    const std::int64_t end = s_.seen(first + rows);
    if (end == 0) std::fill(w.sums, w.sums + rows * columns_, T(0));
    for (std::int64_t key = 0; key < end; key += keys_at_once_) {
      const ScoreBlock<T> scores{w.scores, row_, first,
                                 rows,     key,  std::min(keys_at_once_, end - key)};
      scores.fill(s_, w.queries, s_.depth, {w.keys, s_.depth});
      const auto keys_of_tile = [&](std::int64_t i, std::int64_t height) {
        return scores.seen(s_, i + height - 1);
      };
      for (std::int64_t i = 0; i < rows; ++i) {
        const std::int64_t seen = scores.seen(s_, i);
        const std::int64_t tile = i / kTileRows<T> * kTileRows<T>;
        std::fill(scores.at(i) + seen,
                  scores.at(i) + keys_of_tile(tile, std::min(kTileRows<T>, rows - tile)), T(0));
        if (seen == 0) continue;
        if (mask_.given()) mask_.read<E>(head, first + i, key, seen, w.added);
        const T factor = softmax[i].take(scores.at(i), seen, mask_.given() ? w.added : nullptr);
        if (key > 0 && factor != 1) shrink(w.sums + i * columns_, factor);
      }
      multiply<T>({scores.data, row_, 1}, rows, {w.values, s_.keys}, key, s_.width, w.sums,
                  columns_, key > 0, [&](std::int64_t i, std::int64_t height) {
                    return std::pair<std::int64_t, std::int64_t>(0, keys_of_tile(i, height));
                  });
    }
    write(head, first, rows, softmax, w.sums);
  }

  void shrink(T* sums, T factor) const {
    by_vector<T>(columns_, [&](std::int64_t j, auto n) {
      put(get<T>(sums + j, n) * Vec<T>(factor), sums + j, n);
    });
  }

  void write(std::int64_t head, std::int64_t first, std::int64_t rows,
             const RunningSoftmax<T>* softmax, const T* sums) const {
    const auto out = head_matrix<E>(out_, query_, head);
    T* const logarithms = logsumexp_.data<T>() + head_offset(logsumexp_, query_, head, 1);
    for (std::int64_t i = 0; i < rows; ++i) {
      write_scaled<E>(sums + i * columns_, s_.width, softmax[i].scale(), out.at(first + i, 0),
                      out.column);
      logarithms[(first + i) * logsumexp_.stride(-1)] = softmax[i].logarithm();
    }
  }

  const AttentionShape& s_;
  const Tensor &query_, &key_, &value_;
  const AttentionMask& mask_;
  const Tensor &out_, &logsumexp_;
  std::int64_t columns_, keys_at_once_, row_;
};

void attention(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask,
               bool is_causal, double scale, Frame& frame, Out out, Out logsumexp) {
  const AttentionShape s(query, key, value, is_causal, scale);
  if (s.heads == 0 || s.queries == 0) return;
  with_float(query.dtype(), [&](auto e) {
    Forward<decltype(e)>(s, query, key, value, AttentionMask(mask, query), *out, *logsumexp)
        .run(frame);
  });
}

}  // namespace

void register_attention(tn_plugin* plugin) {
  tn_caps caps = TN_INIT(tn_caps);
  caps.flags = TN_CAP_DETERMINISTIC;
  caps.dtypes = kFloatDtypes | TN_DTYPE_BIT(TN_BOOL);  // the mask
  register_kernel<attention>(plugin, "_scaled_dot_product_attention", "cpu", caps);
}

}  // namespace tn::cpu
