// attention.h - what attention and its gradient share: one head's matrices, the blocks they are
// worked on in, and products of them by tiles.
//
// Scores of a block of queries and a block of keys stay in the caches; they never exist all at once
// (Dao et al. 2022, "FlashAttention", for the order of the loops; Milakov and Gimelshein 2018 for
// the running softmax). A head is worked on by one thread at a time, a row's sums always in the
// same order, so results do not depend on the number of threads.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>

#include "gemm.h"
#include "parallel.h"
#include "row.h"
#include "tenon/sdk/kernel.h"

namespace tn::cpu {

struct AttentionShape {
  std::int64_t heads, queries, keys, depth, width;  // depth of query and key, width of value
  bool causal;
  double scale;
  AttentionShape(const Tensor& query, const Tensor& key, const Tensor& value, bool is_causal,
                 double factor)
      : heads(1),
        queries(query.size(-2)),
        keys(key.size(-2)),
        depth(query.size(-1)),
        width(value.size(-1)),
        causal(is_causal),
        scale(factor) {
    for (std::int64_t d = 0; d + 2 < query.dim(); ++d) heads *= query.size(d);
  }
  // Keys that the queries before `end` see.
  std::int64_t seen(std::int64_t end) const { return causal ? std::min(keys, end) : keys; }
};

// Where the last `inner` dimensions of head number `head` begin; `t` may be broadcast over heads
// that `like` has.
inline std::int64_t head_offset(const Tensor& t, const Tensor& like, std::int64_t head,
                                std::int64_t inner = 2) {
  std::int64_t offset = 0;
  const std::int64_t shift = like.dim() - 2 - (t.dim() - inner);
  for (std::int64_t d = like.dim() - 3; d >= 0; --d) {
    const std::int64_t at = head % like.size(d);
    head /= like.size(d);
    if (d >= shift && t.size(d - shift) > 1) offset += at * t.stride(d - shift);
  }
  return offset;
}
template <class E>
Matrix<E> head_matrix(const Tensor& t, const Tensor& like, std::int64_t head) {
  return {t.data<std::remove_const_t<E>>() + head_offset(t, like, head), t.stride(-2),
          t.stride(-1)};
}

// A mask's numbers for parts of rows of scores: what is added to them.
class AttentionMask {
 public:
  AttentionMask(const Tensor& mask, const Tensor& query) : mask_(mask), query_(query) {
    if (!mask.defined()) return;
    row_ = step(2);
    column_ = step(1);
  }
  bool given() const { return mask_.defined(); }

  // Of keys [begin, begin + count) for one query.
  template <class E, class T>
  void read(std::int64_t head, std::int64_t query, std::int64_t begin, std::int64_t count,
            T* to) const {
    const std::int64_t at = head_offset(mask_, query_, head) + query * row_ + begin * column_;
    if (mask_.dtype() == TN_BOOL)
      spread(mask_.data<bool>() + at, count, to, [](bool takes_part) {
        return takes_part ? T(0) : -std::numeric_limits<T>::infinity();
      });
    else
      spread(mask_.data<E>() + at, count, to, [](E number) { return static_cast<T>(number); });
  }

 private:
  std::int64_t step(std::int64_t from_end) const {
    return mask_.dim() < from_end || mask_.size(-from_end) == 1 ? 0 : mask_.stride(-from_end);
  }
  template <class M, class T, class F>
  void spread(const M* from, std::int64_t count, T* to, F f) const {
    if (column_ == 1)
      for (std::int64_t i = 0; i < count; ++i) to[i] = f(from[i]);
    else
      for (std::int64_t i = 0; i < count; ++i) to[i] = f(from[i * column_]);
  }
  const Tensor& mask_;
  const Tensor& query_;
  std::int64_t row_ = 0, column_ = 0;
};

template <class T>
inline constexpr std::int64_t kTileRows = Tile<T>::rows;
template <class T>
inline constexpr std::int64_t kTileColumns = Tile<T>::columns;

template <class T>
std::int64_t whole_tiles(std::int64_t columns) {
  return (columns + kTileColumns<T> - 1) / kTileColumns<T> * kTileColumns<T>;
}

// The matrix as tiles read columns: for each tile's columns, all rows; zeros behind the last one.
template <class E>
void pack_columns(Matrix<const E> m, std::int64_t rows, std::int64_t columns, Sum<E>* to) {
  constexpr std::int64_t width = kTileColumns<Sum<E>>;
  for (std::int64_t j = 0; j < columns; j += width)
    detail::pack<width, E>({m.at(0, j), m.column, m.row}, std::min(width, columns - j), rows,
                           to + j * rows);
}

// A packed matrix of `rows` rows.
template <class T>
struct Packed {
  const T* data;
  std::int64_t rows;
  TileColumns<T> columns(std::int64_t j, std::int64_t first_row) const {
    return {data + j * rows + first_row * kTileColumns<T>, kTileColumns<T>};
  }
};

// A block of scores, row by row.
template <class T>
struct ScoreBlock {
  T* data;
  std::int64_t row;  // elements between rows
  std::int64_t query, queries, key, keys;
  T* at(std::int64_t i) const { return data + i * row; }

  // = rows of `a` times the columns of b, transposed keys or values; only what the causal mask
  // leaves, rounded up to tiles.
  void fill(const AttentionShape& s, const T* a, std::int64_t depth, Packed<T> b) const {
    for (std::int64_t j = 0; j < keys; j += kTileColumns<T>)
      for (std::int64_t i = 0; i < queries; i += kTileRows<T>) {
        const std::int64_t height = std::min(kTileRows<T>, queries - i);
        if (key + j >= s.seen(query + i + height)) continue;
        tile_of<T>(height)({a + i * depth, depth, 1}, b.columns(key + j, 0), depth, at(i) + j, row,
                           false);
      }
  }
  // How many of the block's keys query i sees.
  std::int64_t seen(const AttentionShape& s, std::int64_t i) const {
    return std::clamp<std::int64_t>(s.seen(query + i + 1) - key, 0, keys);
  }
};

// out = or += the product of rows of `a` and rows of b from `first_row` on. Of the product's
// summands, range(i, h) says which take part for rows [i, i + h): first and end.
template <class T, class Range>
void multiply(TileRows<T> a, std::int64_t rows, Packed<T> b, std::int64_t first_row,
              std::int64_t columns, T* out, std::int64_t out_row, bool add, Range range) {
  for (std::int64_t j = 0; j < columns; j += kTileColumns<T>)
    for (std::int64_t i = 0; i < rows; i += kTileRows<T>) {
      const std::int64_t height = std::min(kTileRows<T>, rows - i);
      const auto [first, end] = range(i, height);
      if (add && first >= end) continue;
      tile_of<T>(height)({a.data + i * a.row + first * a.step, a.row, a.step},
                         b.columns(j, first_row + first), end - first, out + i * out_row + j,
                         out_row, add);
    }
}

// to[i, e] = factor * m(i, e), contiguous.
template <class E>
void copy_scaled(Matrix<const E> m, std::int64_t rows, std::int64_t columns, Sum<E> factor,
                 Sum<E>* to) {
  using T = Sum<E>;
  for (std::int64_t i = 0; i < rows; ++i, to += columns) {
    if (m.column == 1)
      by_vector<T>(columns, [&](std::int64_t j, auto n) {
        put(get<T>(m.at(i, j), n) * Vec<T>(factor), to + j, n);
      });
    else
      for (std::int64_t j = 0; j < columns; ++j) to[j] = static_cast<T>(*m.at(i, j)) * factor;
  }
}
// The way back: out(i, j) = factor * from[j], for one row.
template <class E>
void write_scaled(const Sum<E>* from, std::int64_t columns, Sum<E> factor, E* out,
                  std::int64_t step) {
  using T = Sum<E>;
  if (step == 1)
    by_vector<T>(columns, [&](std::int64_t j, auto n) {
      put(get<T>(from + j, n) * Vec<T>(factor), out + j, n);
    });
  else
    for (std::int64_t j = 0; j < columns; ++j) out[j * step] = static_cast<E>(from[j] * factor);
}

// Calls part(begin, end, workspace) for ranges that cover [0, items), on several threads where
// there is work for them.
template <class T, class F>
void over_items(const Frame& frame, const AttentionShape& s, std::int64_t items,
                std::int64_t workspace, F&& part) {
  const std::int64_t work = s.heads * s.queries * s.keys * (s.depth + s.width);
  const std::int64_t pieces =
      work < (std::int64_t{1} << 18) ? 1 : std::min<std::int64_t>(thread_count(), items);
  T* const memory = frame.scratch<T>(static_cast<std::size_t>(pieces * workspace));
  parallel_for(pieces, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t p = begin; p < end; ++p)
      part(p * items / pieces, (p + 1) * items / pieces, memory + p * workspace);
  });
}

}  // namespace tn::cpu
