// row.h - loops over one row of contiguous numbers by vectors of the type that sums are made in.
#pragma once
#include <cstdint>

#include "gemm.h"
#include "vector.h"

namespace tn::cpu {

// How many lanes of a vector hold numbers: all, or the first n, fewer than all.
struct AllLanes {};
struct FirstLanes {
  std::size_t n;
  // The remainder changes nothing; it tells the compiler that n is in range.
  template <class T>
  std::size_t of() const {
    return n % Vec<T>::lanes;
  }
};

// Calls f(i, lanes) for consecutive vectors of [0, n).
template <class T, class F>
void by_vector(std::int64_t n, F&& f) {
  constexpr std::int64_t lanes = static_cast<std::int64_t>(Vec<T>::lanes);
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) f(i, AllLanes());
  if (i < n) f(i, FirstLanes{static_cast<std::size_t>(n - i)});
}

template <class T, class E>
Vec<T> get(const E* p, AllLanes) {
  return load<Vec<T>>(p);
}
template <class T, class E>
Vec<T> get(const E* p, FirstLanes lanes) {
  return load_n<Vec<T>>(p, lanes.of<T>());
}
template <class T, class E>
void put(Vec<T> v, E* p, AllLanes) {
  store(v, p);
}
template <class T, class E>
void put(Vec<T> v, E* p, FirstLanes lanes) {
  store_n(v, p, lanes.of<T>());
}
// v where there are numbers, `other` in the lanes behind them.
template <class T>
Vec<T> only(Vec<T> v, T, AllLanes) {
  return v;
}
template <class T>
Vec<T> only(Vec<T> v, T other, FirstLanes lanes) {
  return Vec<T>(hn::IfThenElse(hn::FirstN(Tag<T>(), lanes.n), v.raw, Vec<T>(other).raw));
}

template <class T>
T sum_of_lanes(Vec<T> v) {
  return hn::GetLane(hn::SumOfLanes(Tag<T>(), v.raw));
}
template <class T>
T max_of_lanes(Vec<T> v) {
  return hn::GetLane(hn::MaxOfLanes(Tag<T>(), v.raw));
}

// The sum of f(i, lanes), vectors whose unused lanes f leaves zero, over [0, n). Chains of at most
// 256 vectors are added up, so that rounding grows slowly with the length.
template <class T, class F>
T sum_row(std::int64_t n, F&& f) {
  constexpr std::int64_t block = 256 * static_cast<std::int64_t>(Vec<T>::lanes);
  T total = 0;
  for (std::int64_t start = 0; start < n; start += block) {
    Vec<T> sum(0);
    by_vector<T>(n - start < block ? n - start : block,
                 [&](std::int64_t i, auto lanes) { sum = sum + f(start + i, lanes); });
    total += sum_of_lanes(sum);
  }
  return total;
}

}  // namespace tn::cpu
