// Variance and standard deviation.
#include <tenon/ops/reduce.h>

#include <algorithm>

#include "kernels.h"
#include "reduce.h"

namespace tn::cpu {
namespace {

// Of the elements so far: how many, their mean, and the sum of squared distances from it.
template <class T>
struct Moments {
  T count, mean, squares;
};

// Chan, Golub and LeVeque, "Updating formulae and a pairwise algorithm", 1979.
template <class T>
Moments<T> merged(Moments<T> a, Moments<T> b) {
  if (a.count == 0) return b;
  if (b.count == 0) return a;
  const T count = a.count + b.count, distance = b.mean - a.mean, share = b.count / count;
  return {count, a.mean + distance * share,
          a.squares + b.squares + distance * distance * a.count * share};
}

template <class Op, class T>
struct MomentLoops {
  static void identity(void* accumulators, int64_t n) {
    std::fill_n(static_cast<Moments<T>*>(accumulators), n, Moments<T>{});
  }

  template <class F>
  static T sum(const T* in, int64_t n, F term) {
    using V = Vec<T>;
    constexpr int64_t width = V::lanes;
    constexpr int count = 4 * static_cast<int>(width);
    V v[4] = {V(0), V(0), V(0), V(0)};
    int64_t i = 0;
    for (; i + count <= n; i += count)
      for (int k = 0; k < 4; ++k) v[k] += term(load<V>(in + i + k * width));
    alignas(kVectorBytes) T lanes[count];
    for (int k = 0; k < 4; ++k) store(v[k], lanes + k * width);
    for (int k = 0; i < n; ++i, k = (k + 1) % count) lanes[k] += term(in[i]);
    for (int half = count / 2; half > 0; half /= 2)
      for (int k = 0; k < half; ++k) lanes[k] += lanes[k + half];
    return lanes[0];
  }
  static void fold_run(void* accumulator, const void* data, int64_t n) {
    if (n == 0) return;
    const T* in = static_cast<const T*>(data);
    const T mean = sum(in, n, [](auto x) { return x; }) / static_cast<T>(n);
    const T squares = sum(in, n, [mean](auto x) {
      const auto distance = x - decltype(x)(mean);
      return distance * distance;
    });
    auto& a = *static_cast<Moments<T>*>(accumulator);
    a = merged(a, {static_cast<T>(n), mean, squares});
  }

  static constexpr int64_t kTile = 64;
  static void fold_rows(void* accumulators, const void* data, int64_t stride, int64_t rows,
                        int64_t columns) {
    if (rows == 0) return;
    auto* a = static_cast<Moments<T>*>(accumulators);
    for (int64_t begin = 0; begin < columns; begin += kTile) {
      const int64_t n = std::min(kTile, columns - begin);
      const char* in = static_cast<const char*>(data) + begin * static_cast<int64_t>(sizeof(T));
      T mean[kTile] = {}, squares[kTile] = {};
      for (int64_t r = 0; r < rows; ++r) {
        const T* row = reinterpret_cast<const T*>(in + r * stride);
        for (int64_t c = 0; c < n; ++c) mean[c] += row[c];
      }
      for (int64_t c = 0; c < n; ++c) mean[c] /= static_cast<T>(rows);
      for (int64_t r = 0; r < rows; ++r) {
        const T* row = reinterpret_cast<const T*>(in + r * stride);
        for (int64_t c = 0; c < n; ++c) squares[c] += (row[c] - mean[c]) * (row[c] - mean[c]);
      }
      for (int64_t c = 0; c < n; ++c)
        a[begin + c] = merged(a[begin + c], {static_cast<T>(rows), mean[c], squares[c]});
    }
  }

  static void merge(void* accumulators, const void* others, int64_t n) {
    auto* a = static_cast<Moments<T>*>(accumulators);
    auto* b = static_cast<const Moments<T>*>(others);
    for (int64_t i = 0; i < n; ++i) a[i] = merged(a[i], b[i]);
  }
  static void finish(void* out, const void* accumulators, int64_t n, int64_t count,
                     double correction) {
    auto* a = static_cast<const Moments<T>*>(accumulators);
    const T degrees = static_cast<T>(static_cast<double>(count) - correction);
    for (int64_t i = 0; i < n; ++i) static_cast<T*>(out)[i] = Op::finish(a[i].squares, degrees);
  }
  static constexpr ReduceLoops loops() {
    return {sizeof(Moments<T>), dtype_of<T>(), identity, fold_run, fold_rows, merge, finish};
  }
};

template <class Op>
constexpr ReduceKernel moments_kernel = detail::make_reduce_kernel<Op, MomentLoops>(
    false, 2, std::make_integer_sequence<int, kDtypes>());

template <class... Op>
void register_all(tn_plugin* plugin, ops::list<Op...>) {
  (register_reduction(plugin, Op::schema, Op::dtypes, &moments_kernel<Op>), ...);
}

}  // namespace

void register_moments(tn_plugin* plugin) {
  register_all(plugin, ops::moment_ops());
}

}  // namespace tn::cpu
