// gemm.h - matrix products: out = alpha * a b + beta * c, for any strides, on one or several
// threads.
//
// The blocking is that of Goto and van de Geijn (ACM TOMS 34, 2008): panels of b that stay in the
// outer caches, blocks of a that stay in L2, tiles in registers (tile.h). Packing converts 16-bit
// numbers to float; they are rounded once, when a sum is complete. Work is split over the output
// only and every sum is made in the same order however it is split, so results do not depend on the
// number of threads.
#pragma once
#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "tile.h"

namespace tn::cpu {

// What sums of E are made in.
template <class E>
using Sum = std::conditional_t<ops::is_half<E>, float, E>;

// element(i, j) = data[i * row + j * column]
template <class E>
struct Matrix {
  E* data;
  std::int64_t row, column;
  E* at(std::int64_t i, std::int64_t j) const { return data + i * row + j * column; }
  Matrix transposed() const { return {data, column, row}; }
};

template <class E>
struct GemmArgs {
  std::int64_t m, n, k;
  Matrix<const E> a, b;
  Matrix<E> out;
  Sum<E> alpha = 1, beta = 0;
  Matrix<const E> c{};  // not read when beta is 0
};

namespace detail {

// How many parts of `size` cover n.
inline std::int64_t parts(std::int64_t n, std::int64_t size) {
  return (n + size - 1) / size;
}

// Writes rows [0, count) of a matrix, depth long, as out[k * Width + i], zeros for count <= i <
// Width.
template <int Width, class E>
void pack(Matrix<const E> m, std::int64_t count, std::int64_t depth, Sum<E>* out) {
  using T = Sum<E>;
  if (count < Width)
    for (std::int64_t k = 0; k < depth; ++k)
      std::fill(out + k * Width + count, out + (k + 1) * Width, T(0));
  if (m.row == 1) {
    for (std::int64_t k = 0; k < depth; ++k)
      for (std::int64_t i = 0; i < count; ++i)
        out[k * Width + i] = static_cast<T>(m.data[k * m.column + i]);
    return;
  }
  // Short runs along k keep both the lines that are read and those that are written in L1.
  constexpr std::int64_t run = 16;
  std::int64_t k = 0;
  if (m.column == 1) {
    for (; k + run <= depth; k += run)
      for (std::int64_t i = 0; i < count; ++i) {
        const E* const from = m.data + i * m.row + k;
        T* const to = out + k * Width + i;
#pragma GCC unroll 16
        for (std::int64_t j = 0; j < run; ++j) to[j * Width] = static_cast<T>(from[j]);
      }
  }
  for (; k < depth; k += run) {
    const std::int64_t end = std::min(depth, k + run);
    for (std::int64_t i = 0; i < count; ++i) {
      const E* const from = m.data + i * m.row;
      for (std::int64_t j = k; j < end; ++j)
        out[j * Width + i] = static_cast<T>(from[j * m.column]);
    }
  }
}

}  // namespace detail

// One product, not empty: how it is blocked and split, and its tasks, which may run in any order
// and at once.
template <class E>
class Gemm {
  using T = Sum<E>;
  static constexpr std::int64_t tile_rows = Tile<T>::rows, tile_columns = Tile<T>::columns;
  static constexpr std::int64_t few_rows = 4;  // for which b is read once and from where it lies
  static constexpr std::int64_t depth_block =
      1024 / sizeof(T);  // a panel of b takes 32 KB at AVX-512
  static constexpr std::int64_t row_block = tile_rows * (kVectorBytes == 64 ? 18 : 24);

 public:
  // Splits the output over at most `threads` tasks.
  Gemm(const GemmArgs<E>& args, int threads) : p_(args) {
    // Few columns would leave a tile empty; few rows do not.
    if (p_.n <= 4 && p_.m > p_.n) p_ = transposed(args);
    // Few rows do not repay a copy of b whose columns lie side by side already.
    direct_b_ = std::is_same_v<E, T> && p_.b.column == 1 && p_.m <= 3 * tile_rows;
    dots_ = p_.m <= few_rows && p_.b.row == 1 && p_.a.column == 1 && p_.k >= 32;
    rows_of_b_ = p_.m <= few_rows && p_.b.column == 1 && p_.n >= tile_columns;
    split(threads);
    const std::int64_t by_cache = (std::int64_t{8} << 20) / static_cast<std::int64_t>(sizeof(T)) /
                                  std::max<std::int64_t>(p_.k, 1) / tile_columns * tile_columns;
    column_block_ = std::min(std::clamp(by_cache, tile_columns, 32 * tile_columns), part_n_);
    rows_packed_ = std::min(row_block, part_m_);
    depth_packed_ = std::min(depth_block, p_.k);
  }

  std::int64_t tasks() const { return parts_m_ * parts_n_; }
  // Numbers of type T that each task needs to work in.
  std::int64_t workspace() const {
    return dots_ || rows_of_b_ ? 0 : packed_b() + packed_a() + rows_packed_ * column_block_;
  }

  void run(std::int64_t task, T* workspace) const {
    const std::int64_t i0 = task / parts_n_ * part_m_, i1 = std::min(p_.m, i0 + part_m_);
    const std::int64_t j0 = task % parts_n_ * part_n_, j1 = std::min(p_.n, j0 + part_n_);
    if (i0 >= i1) return;
    if (dots_) return dot_products(j0, j1, i0, i1);
    if (rows_of_b_) return row_sums(j0, j1, i0, i1);
    for (std::int64_t j = j0; j < j1; j += column_block_)
      columns(i0, i1, j, std::min(j1, j + column_block_), workspace);
  }

 private:
  // The same numbers as out^T = b^T a^T.
  static GemmArgs<E> transposed(const GemmArgs<E>& p) {
    GemmArgs<E> t{p.n, p.m, p.k, p.b.transposed(), p.a.transposed(), p.out.transposed()};
    t.alpha = p.alpha;
    t.beta = p.beta;
    t.c = p.c.transposed();
    return t;
  }

  void split(int threads) {
    constexpr double work_per_task = 1 << 18;  // multiplications that repay a thread's start
    const double work =
        static_cast<double>(p_.m) * static_cast<double>(p_.n) * static_cast<double>(p_.k);
    const auto wanted = static_cast<std::int64_t>(
        std::clamp(work / work_per_task, 1.0, static_cast<double>(threads)));
    const std::int64_t tiles_m = detail::parts(p_.m, tile_rows);
    const std::int64_t tiles_n = detail::parts(p_.n, tile_columns);
    // The longer side first, since each task copies the part of the other operand that it reads.
    if (p_.n >= p_.m) {
      parts_n_ = std::min(wanted, tiles_n);
      parts_m_ = std::min(std::max<std::int64_t>(wanted / parts_n_, 1), tiles_m);
    } else {
      parts_m_ = std::min(wanted, tiles_m);
      parts_n_ = std::min(std::max<std::int64_t>(wanted / parts_m_, 1), tiles_n);
    }
    part_m_ = detail::parts(tiles_m, parts_m_) * tile_rows;
    part_n_ = detail::parts(tiles_n, parts_n_) * tile_columns;
  }

  std::int64_t packed_b() const { return p_.k * column_block_; }
  std::int64_t packed_a() const { return rows_packed_ * depth_packed_; }

  // Output columns [j0, j1), at most column_block_ of them.
  void columns(std::int64_t i0, std::int64_t i1, std::int64_t j0, std::int64_t j1,
               T* workspace) const {
    T* const b = workspace;
    T* const a = b + packed_b();
    T* const sums = a + packed_a();
    for (std::int64_t j = j0; j < j1; j += tile_columns) {
      const std::int64_t count = std::min(tile_columns, j1 - j);
      if (direct_b_ && count == tile_columns) continue;
      detail::pack<tile_columns, E>({p_.b.at(0, j), p_.b.column, p_.b.row}, count, p_.k,
                                    b + (j - j0) * p_.k);
    }
    for (std::int64_t i = i0; i < i1; i += row_block)
      rows(i, std::min(i1, i + row_block), j0, j1, a, b, sums);
  }

  void rows(std::int64_t i0, std::int64_t i1, std::int64_t j0, std::int64_t j1, T* a, const T* b,
            T* sums) const {
    // Sums over several blocks of k stay in the output where it can hold them unrounded.
    const bool in_place = std::is_same_v<E, T> && p_.out.column == 1 && p_.beta == 0;
    std::int64_t k = 0;
    do {
      const std::int64_t depth = std::min(depth_block, p_.k - k);
      const bool last = k + depth == p_.k;
      for (std::int64_t i = i0; i < i1; i += tile_rows)
        detail::pack<tile_rows, E>({p_.a.at(i, k), p_.a.row, p_.a.column},
                                   std::min(tile_rows, i1 - i), depth, a + (i - i0) * depth);
      for (std::int64_t j = j0; j < j1; j += tile_columns) {
        const std::int64_t width = std::min(tile_columns, j1 - j);
        TileColumns<T> columns{b + (j - j0) * p_.k + k * tile_columns, tile_columns};
        if constexpr (std::is_same_v<E, T>)
          if (direct_b_ && width == tile_columns) columns = {p_.b.at(k, j), p_.b.row};
        for (std::int64_t i = i0; i < i1; i += tile_rows) {
          const std::int64_t height = std::min(tile_rows, i1 - i);
          const TileRows<T> rows{a + (i - i0) * depth, 1, tile_rows};
          if constexpr (std::is_same_v<E, T>) {
            if (in_place && width == tile_columns) {
              tile_of<T>(height)(rows, columns, depth, p_.out.at(i, j), p_.out.row, k > 0);
              if (last && p_.alpha != 1) finish(p_.out.at(i, j), p_.out.row, i, j, height, width);
              continue;
            }
          }
          T* const sum = sums + (i - i0) * column_block_ + (j - j0);
          tile_of<T>(height)(rows, columns, depth, sum, column_block_, k > 0);
          if (last) finish(sum, column_block_, i, j, height, width);
        }
      }
      k += depth;
    } while (k < p_.k);
  }

  // Writes complete sums to the output.
  void finish(const T* sum, std::int64_t sum_row, std::int64_t i0, std::int64_t j0,
              std::int64_t height, std::int64_t width) const {
    for (std::int64_t i = 0; i < height; ++i) {
      E* const to = p_.out.at(i0 + i, j0);
      const T* const from = sum + i * sum_row;
      if (p_.beta == 0) {
        for (std::int64_t j = 0; j < width; ++j)
          to[j * p_.out.column] = static_cast<E>(p_.alpha * from[j]);
      } else {
        const E* const c = p_.c.at(i0 + i, j0);
        for (std::int64_t j = 0; j < width; ++j)
          to[j * p_.out.column] =
              static_cast<E>(p_.alpha * from[j] + p_.beta * static_cast<T>(c[j * p_.c.column]));
      }
    }
  }

  // For a few rows and rows of b that are contiguous: sums of as many columns as stay in L1, to
  // which four rows of b are added at a time, so that memory is read in long runs.
  void row_sums(std::int64_t j0, std::int64_t j1, std::int64_t i0, std::int64_t i1) const {
    constexpr std::int64_t most = 2048, group = 4;
    alignas(kVectorBytes) T sums[few_rows * most];
    for (std::int64_t j = j0; j < j1; j += most) {
      const std::int64_t width = std::min(most, j1 - j);
      std::fill(sums, sums + few_rows * most, T(0));
      std::int64_t k = 0;
      for (; k + group <= p_.k; k += group) add_rows<group>(k, j, width, i0, i1, sums, most);
      for (; k < p_.k; ++k) add_rows<1>(k, j, width, i0, i1, sums, most);
      for (std::int64_t i = i0; i < i1; ++i) finish(sums + (i - i0) * most, most, i, j, 1, width);
    }
  }
  template <int Group>
  void add_rows(std::int64_t k, std::int64_t j, std::int64_t width, std::int64_t i0,
                std::int64_t i1, T* sums, std::int64_t sums_row) const {
    using V = Vec<T>;
    constexpr std::int64_t lanes = static_cast<std::int64_t>(V::lanes);
    V factors[few_rows][Group];
    for (std::int64_t i = i0; i < i1; ++i)
      for (int g = 0; g < Group; ++g) factors[i - i0][g] = V(static_cast<T>(*p_.a.at(i, k + g)));
    for (std::int64_t c = 0; c < width; c += lanes) {
      const bool whole = c + lanes <= width;
      const std::size_t rest = static_cast<std::size_t>(width - c);
      V b[Group];
#pragma GCC unroll 4
      for (int g = 0; g < Group; ++g) {
        const E* const from = p_.b.at(k + g, j + c);
        // The processor does not foresee rows that lie far apart.
        __builtin_prefetch(from + Group * p_.b.row, 0, 2);
        b[g] = whole ? load<V>(from) : load_n<V>(from, rest % V::lanes);
      }
      for (std::int64_t i = i0; i < i1; ++i) {
        T* const to = sums + (i - i0) * sums_row + c;
        V sum = load<V>(to);
#pragma GCC unroll 4
        for (int g = 0; g < Group; ++g) sum = fma(factors[i - i0][g], b[g], sum);
        store(sum, to);
      }
    }
  }

  // For a few rows and columns of b that are contiguous along k: the sums of four columns at a
  // time.
  void dot_products(std::int64_t j0, std::int64_t j1, std::int64_t i0, std::int64_t i1) const {
    constexpr int group = 4;
    for (std::int64_t j = j0; j < j1; j += group) {
      const int count = static_cast<int>(std::min<std::int64_t>(group, j1 - j));
      for (std::int64_t i = i0; i < i1; ++i) {
        T sums[group];
        count == group ? dots<group>(i, j, sums) : tail_dots(i, j, count, sums);
        finish(sums, group, i, j, 1, count);
      }
    }
  }
  void tail_dots(std::int64_t i, std::int64_t j, int count, T* sums) const {
    for (int c = 0; c < count; ++c) dots<1>(i, j + c, sums + c);
  }
  // Two chains of sums per column hide the latency of the additions.
  template <int Columns>
  void dots(std::int64_t i, std::int64_t j, T* sums) const {
    using V = Vec<T>;
    constexpr std::int64_t lanes = static_cast<std::int64_t>(V::lanes);
    const E* const a = p_.a.at(i, 0);
    V sum[Columns][2];
    for (int c = 0; c < Columns; ++c) sum[c][0] = sum[c][1] = V(0);
    std::int64_t k = 0;
    for (; k + 2 * lanes <= p_.k; k += 2 * lanes) {
      const V a0 = load<V>(a + k), a1 = load<V>(a + k + lanes);
#pragma GCC unroll 4
      for (int c = 0; c < Columns; ++c) {
        const E* const b = p_.b.at(0, j + c) + k;
        sum[c][0] = fma(a0, load<V>(b), sum[c][0]);
        sum[c][1] = fma(a1, load<V>(b + lanes), sum[c][1]);
      }
    }
    for (; k < p_.k; k += lanes) {
      const std::size_t n = static_cast<std::size_t>(std::min(lanes, p_.k - k));
      const V last = load_n<V>(a + k, n);
#pragma GCC unroll 4
      for (int c = 0; c < Columns; ++c)
        sum[c][0] = fma(last, load_n<V>(p_.b.at(0, j + c) + k, n), sum[c][0]);
    }
    for (int c = 0; c < Columns; ++c)
      sums[c] = hn::GetLane(hn::SumOfLanes(Tag<T>(), (sum[c][0] + sum[c][1]).raw));
  }

  GemmArgs<E> p_;
  bool direct_b_ = false, dots_ = false, rows_of_b_ = false;
  std::int64_t parts_m_ = 1, parts_n_ = 1, part_m_ = 0, part_n_ = 0;
  std::int64_t column_block_ = 0, rows_packed_ = 0, depth_packed_ = 0;
};

}  // namespace tn::cpu
