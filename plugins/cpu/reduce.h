// reduce.h - from a fold's struct (tenon/ops/reduce.h) to its table of inner loops.
#pragma once

#include <utility>

#include <tenon/ops/types.h>
#include <tenon/sdk/declare.h>

#include "reduce_kernel.h"
#include "vector.h"

namespace tn::cpu {
namespace detail {

// The lanes of a vector into one number, pairwise.
template <class Op, size_t count, class T>
[[gnu::noinline]] T fold_lanes(T* lanes) {
  for (size_t half = count / 2; half > 0; half /= 2)
#pragma GCC unroll 1
    for (size_t i = 0; i < half; ++i) lanes[i] = Op::combine(lanes[i], lanes[i + half]);
  return lanes[0];
}

template <class Op, class T>
struct Fold {
  static void identity(void* accumulators, int64_t n) {
    T* a = static_cast<T*>(accumulators);
    for (int64_t i = 0; i < n; ++i) a[i] = Op::template identity<T>();
  }

  static void fold_run(void* accumulator, const void* data, int64_t n) {
    const T* in = static_cast<const T*>(data);
    T& a = *static_cast<T*>(accumulator);
    if constexpr (std::is_floating_point_v<T>) {
      // Four vectors side by side: one addition need not wait for the last, and rounding errors
      // grow with a fraction of n only.
      using V = Vec<T>;
      constexpr int64_t width = V::lanes;
      const auto at = [&](int64_t i) { return Op::prepare(load<V>(in + i)); };
      V v0 = Op::template identity<V>(), v1 = v0, v2 = v0, v3 = v0;
      int64_t i = 0;
      for (; i + 4 * width <= n; i += 4 * width) {
        v0 = Op::combine(v0, at(i));
        v1 = Op::combine(v1, at(i + width));
        v2 = Op::combine(v2, at(i + 2 * width));
        v3 = Op::combine(v3, at(i + 3 * width));
      }
      for (; i + width <= n; i += width) v0 = Op::combine(v0, at(i));
      alignas(kVectorBytes) T lanes[V::lanes];
      store(Op::combine(Op::combine(v0, v1), Op::combine(v2, v3)), lanes);
#pragma GCC unroll 1
      for (int k = 0; i < n; ++i, ++k) lanes[k] = Op::combine(lanes[k], Op::prepare(in[i]));
      a = Op::combine(a, fold_lanes<Op, V::lanes>(lanes));
    } else if constexpr (ops::is_complex_number<T>) {
      // Side by side for the same reasons.
      constexpr int64_t width = 32;
      T lanes[width];
      identity(lanes, width);
      int64_t i = 0;
      for (; i + width <= n; i += width)
        for (int64_t k = 0; k < width; ++k)
          lanes[k] = Op::combine(lanes[k], Op::prepare(in[i + k]));
      for (int64_t k = 0; i < n; ++i, ++k) lanes[k] = Op::combine(lanes[k], Op::prepare(in[i]));
      a = Op::combine(a, fold_lanes<Op, width>(lanes));
    } else {
      T total = Op::template identity<T>();
      for (int64_t i = 0; i < n; ++i) total = Op::combine(total, Op::prepare(in[i]));
      a = Op::combine(a, total);
    }
  }

  // Four rows at a time, which halves the traffic with the accumulators.
  template <class V>
  static V fold_column(V a, const T* const (&row)[4], int64_t c, V (*get)(const T*)) {
    const V first = Op::combine(Op::prepare(get(row[0] + c)), Op::prepare(get(row[1] + c)));
    const V second = Op::combine(Op::prepare(get(row[2] + c)), Op::prepare(get(row[3] + c)));
    return Op::combine(a, Op::combine(first, second));
  }
  static void fold_rows(void* accumulators, const void* data, int64_t stride, int64_t rows,
                        int64_t columns) {
    const char* in = static_cast<const char*>(data);
    T* a = static_cast<T*>(accumulators);
    constexpr auto number = [](const T* p) { return *p; };
    const auto at = [&](int64_t r) { return reinterpret_cast<const T*>(in + r * stride); };
    // Rows in pages of their own, which the processor does not foresee.
    const bool far = stride >= 4096;
    int64_t r = 0;
    for (; r + 4 <= rows; r += 4) {
      const T* const row[] = {at(r), at(r + 1), at(r + 2), at(r + 3)};
      int64_t c = 0;
      if constexpr (std::is_floating_point_v<T>) {
        using V = Vec<T>;
        for (; c + static_cast<int64_t>(V::lanes) <= columns; c += V::lanes) {
          for (int64_t ahead = r + 8; far && ahead < r + 12; ++ahead)
            __builtin_prefetch(at(ahead) + c, 0, 2);
          store(fold_column<V>(load<V>(a + c), row, c, load<V, T>), a + c);
        }
      }
      for (; c < columns; ++c) a[c] = fold_column<T>(a[c], row, c, number);
    }
    for (; r < rows; ++r) {
      const T* row = at(r);
      for (int64_t c = 0; c < columns; ++c) a[c] = Op::combine(a[c], Op::prepare(row[c]));
    }
  }

  static void merge(void* accumulators, const void* others, int64_t n) {
    T* a = static_cast<T*>(accumulators);
    const T* b = static_cast<const T*>(others);
    for (int64_t i = 0; i < n; ++i) a[i] = Op::combine(a[i], b[i]);
  }
  static void finish(void* out, const void* accumulators, int64_t n, int64_t count, double) {
    const T* a = static_cast<const T*>(accumulators);
    auto* results = static_cast<decltype(Op::finish(T(), count))*>(out);
    for (int64_t i = 0; i < n; ++i) results[i] = Op::finish(a[i], count);
  }

  static constexpr ReduceLoops loops() {
    return {sizeof(T), dtype_of<decltype(Op::finish(T(), int64_t()))>(),
            identity,  fold_run,
            fold_rows, merge,
            finish};
  }
};

template <class Op>
struct ArithmeticOf {
  using type = Op;
};
template <class Op>
requires requires {
  typename Op::arithmetic;
}
struct ArithmeticOf<Op> {
  using type = typename Op::arithmetic;
};

template <class Op, template <class, class> class Loops, int... dtype>
constexpr ReduceKernel make_reduce_kernel(int correction, std::integer_sequence<int, dtype...>) {
  ReduceKernel k{};
  k.correction = correction;
  const auto add = [&]<int d>(std::integral_constant<int, d>) {
    if constexpr ((Op::dtypes & TN_DTYPE_BIT(d)) != 0)
      k.loops[d] = Loops<Op, Element<arithmetic_dtype(static_cast<DType>(d))>>::loops();
  };
  (add(std::integral_constant<int, dtype>()), ...);
  return k;
}

}  // namespace detail

template <class Op>
inline constexpr ReduceKernel fold_kernel_of =
    detail::make_reduce_kernel<typename detail::ArithmeticOf<Op>::type, detail::Fold>(
        -1, std::make_integer_sequence<int, kDtypes>());

template <class... Op>
void register_folds(tn_plugin* plugin, ops::list<Op...>) {
  (register_reduction(plugin, Op::schema, Op::dtypes, &fold_kernel_of<Op>), ...);
}

}  // namespace tn::cpu
