// tile.h - the innermost loop of every matrix product and convolution: one tile of sums in
// registers.
//
// A tile is up to `rows` x `columns` sums of products a(i, k) * b(k, j). b is read by whole
// vectors, so its columns lie side by side; a is read one number at a time and may lie anywhere on
// two strides. That asymmetry lets a convolution read its image in place, one pixel per row,
// without unfolding it.
#pragma once
#include <array>
#include <cstdint>
#include <utility>

#include "vector_memory.h"
#include "vector_type.h"

namespace tn::cpu {

// Sized by the registers: rows x vectors sums, one number of a and `vectors` vectors of b stay
// resident among 32 registers (AVX-512) or 16 (AVX2).
template <class T>
struct Tile {
  static constexpr int vectors = kVectorBytes >= 32 ? 2 : 4;
  static constexpr int rows = kVectorBytes == 64 ? 14 : 6;
  static constexpr int columns = vectors * static_cast<int>(Vec<T>::lanes);
};

// a(i, k) = data[i * row + k * step]. Several runs of k may follow one another, each `next`
// elements behind the one before; in b they are side by side.
template <class T>
struct TileRows {
  const T* data;
  std::int64_t row, step;
  std::int64_t runs = 1, next = 0;
};
// b(k, j) = data[k * step + j]
template <class T>
struct TileColumns {
  const T* data;
  std::int64_t step;
};

// out[i * out_row + j] = (add ? the same : 0) + sum over k < depth, of every run, of a(i, k) b(k,
// j), for all columns.
template <class T>
using TileFn = void (*)(TileRows<T> a, TileColumns<T> b, std::int64_t depth, T* out,
                        std::int64_t out_row, bool add);

namespace detail {

template <class T, int Rows>
void tile(TileRows<T> a, TileColumns<T> b, std::int64_t depth, T* out, std::int64_t out_row,
          bool add) {
  constexpr int vectors = Tile<T>::vectors, lanes = static_cast<int>(Vec<T>::lanes);
  Vec<T> sum[Rows][vectors];
#pragma GCC unroll 16
  for (int i = 0; i < Rows; ++i)
#pragma GCC unroll 16
    for (int v = 0; v < vectors; ++v)
      sum[i][v] = add ? load<Vec<T>>(out + i * out_row + v * lanes) : Vec<T>(0);
  for (std::int64_t run = 0; run < a.runs; ++run, a.data += a.next) {
    const T* data = a.data;
    for (std::int64_t k = 0; k < depth; ++k) {
      Vec<T> columns[vectors];
#pragma GCC unroll 16
      for (int v = 0; v < vectors; ++v) columns[v] = load<Vec<T>>(b.data + v * lanes);
#pragma GCC unroll 16
      for (int i = 0; i < Rows; ++i) {
        const Vec<T> number(data[i * a.row]);
#pragma GCC unroll 16
        for (int v = 0; v < vectors; ++v) sum[i][v] = fma(number, columns[v], sum[i][v]);
      }
      data += a.step;
      b.data += b.step;
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < Rows; ++i)
#pragma GCC unroll 16
    for (int v = 0; v < vectors; ++v) store(sum[i][v], out + i * out_row + v * lanes);
}

template <class T, int... Rows>
constexpr std::array<TileFn<T>, sizeof...(Rows)> tile_functions(
    std::integer_sequence<int, Rows...>) {
  return {tile<T, Rows + 1>...};
}

}  // namespace detail

// The tile of `rows` rows, 1 <= rows <= Tile<T>::rows.
template <class T>
TileFn<T> tile_of(std::int64_t rows) {
  static constexpr auto functions =
      detail::tile_functions<T>(std::make_integer_sequence<int, Tile<T>::rows>());
  return functions[static_cast<std::size_t>(rows - 1)];
}

}  // namespace tn::cpu
