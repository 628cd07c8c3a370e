// Variance and standard deviation.
#include <tenon/ops/reduce.h>

#include <algorithm>

#include "kernels.h"
#include "reduce.h"

namespace tn::cpu {
namespace {

template <class T>
struct RealOf {
  using type = T;
};
template <class T>
struct RealOf<std::complex<T>> {
  using type = T;
};
template <class T>
using Real = typename RealOf<T>::type;

// The square of a distance; of a complex one, that of its magnitude.
template <class T>
auto squared(T distance) {
  if constexpr (ops::is_complex_number<T>)
    return std::norm(distance);
  else
    return distance * distance;
}

// Of the elements so far: how many, their mean, and the sum of squared distances from it.
template <class T>
struct Moments {
  Real<T> count;
  T mean;
  Real<T> squares;
};

// Chan, Golub and LeVeque, "Updating formulae and a pairwise algorithm", 1979.
template <class T>
void add(Moments<T>& a, const Moments<T>& b) {
  if (b.count == 0) return;
  if (a.count == 0) {
    a = b;
    return;
  }
  const T distance = b.mean - a.mean;
  const Real<T> count = a.count + b.count, share = b.count / count;
  a.mean += distance * share;
  a.squares += b.squares + squared(distance) * a.count * share;
  a.count = count;
}

template <class Op, class T>
struct MomentLoops {
  static void identity(void* accumulators, int64_t n) {
    std::fill_n(static_cast<Moments<T>*>(accumulators), n, Moments<T>{});
  }

  template <class F>
  static auto sum(const T* in, int64_t n, F term) {
    constexpr int count = 4 * static_cast<int>(Vec<Real<T>>::lanes);
    alignas(kVectorBytes) decltype(term(T())) lanes[count] = {};
    int64_t i = 0;
    if constexpr (ops::is_complex_number<T>) {
      for (; i + count <= n; i += count)
        for (int k = 0; k < count; ++k) lanes[k] += term(in[i + k]);
    } else {
      using V = Vec<T>;
      constexpr int64_t width = V::lanes;
      V v[4] = {V(0), V(0), V(0), V(0)};
      for (; i + count <= n; i += count)
        for (int k = 0; k < 4; ++k) v[k] += term(load<V>(in + i + k * width));
      for (int k = 0; k < 4; ++k) store(v[k], lanes + k * width);
    }
    for (int k = 0; i < n; ++i, k = (k + 1) % count) lanes[k] += term(in[i]);
    for (int half = count / 2; half > 0; half /= 2)
      for (int k = 0; k < half; ++k) lanes[k] += lanes[k + half];
    return lanes[0];
  }
  static void fold_run(void* accumulator, const void* data, int64_t n) {
    if (n == 0) return;
    const T* in = static_cast<const T*>(data);
    const T mean = sum(in, n, [](auto x) { return x; }) / static_cast<Real<T>>(n);
    const Real<T> squares = sum(in, n, [mean](auto x) { return squared(x - decltype(x)(mean)); });
    add(*static_cast<Moments<T>*>(accumulator), {static_cast<Real<T>>(n), mean, squares});
  }

  static constexpr int64_t kTile = 64;
  static void fold_rows(void* accumulators, const void* data, int64_t stride, int64_t rows,
                        int64_t columns) {
    if (rows == 0) return;
    auto* a = static_cast<Moments<T>*>(accumulators);
    for (int64_t begin = 0; begin < columns; begin += kTile) {
      const int64_t n = std::min(kTile, columns - begin);
      const char* in = static_cast<const char*>(data) + begin * static_cast<int64_t>(sizeof(T));
      T mean[kTile] = {};
      Real<T> squares[kTile] = {};
      for (int64_t r = 0; r < rows; ++r) {
        const T* row = reinterpret_cast<const T*>(in + r * stride);
        for (int64_t c = 0; c < n; ++c) mean[c] += row[c];
      }
      for (int64_t c = 0; c < n; ++c) mean[c] /= static_cast<Real<T>>(rows);
      for (int64_t r = 0; r < rows; ++r) {
        const T* row = reinterpret_cast<const T*>(in + r * stride);
        for (int64_t c = 0; c < n; ++c) squares[c] += squared(row[c] - mean[c]);
      }
      for (int64_t c = 0; c < n; ++c)
        add(a[begin + c], {static_cast<Real<T>>(rows), mean[c], squares[c]});
    }
  }

  static void merge(void* accumulators, const void* others, int64_t n) {
    auto* a = static_cast<Moments<T>*>(accumulators);
    auto* b = static_cast<const Moments<T>*>(others);
    for (int64_t i = 0; i < n; ++i) add(a[i], b[i]);
  }
  static void finish(void* out, const void* accumulators, int64_t n, int64_t count,
                     double correction) {
    auto* a = static_cast<const Moments<T>*>(accumulators);
    const auto degrees = static_cast<Real<T>>(static_cast<double>(count) - correction);
    for (int64_t i = 0; i < n; ++i)
      static_cast<Real<T>*>(out)[i] = Op::finish(a[i].squares, degrees);
  }
  static constexpr ReduceLoops loops() {
    return {sizeof(Moments<T>), dtype_of<Real<T>>(), identity, fold_run, fold_rows, merge, finish};
  }
};

template <class Op>
constexpr ReduceKernel moments_kernel =
    detail::make_reduce_kernel<Op, MomentLoops>(2, std::make_integer_sequence<int, kDtypes>());

template <class... Op>
void register_all(tn_plugin* plugin, ops::list<Op...>) {
  (register_reduction(plugin, Op::schema, Op::dtypes, &moments_kernel<Op>), ...);
}

}  // namespace

void register_moments(tn_plugin* plugin) {
  register_all(plugin, ops::moment_ops());
}

}  // namespace tn::cpu
