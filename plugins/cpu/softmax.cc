// Softmax and log-softmax along any dimension of contiguous tensors, and their gradients.
//
// Along the last dimension a row is a run of memory; along others, neighbouring rows run side by
// side, and a vector holds one element of each. Both are the same few passes, written once for "the
// step between elements of a row".
#include "tenon/ops/softmax.h"

#include <initializer_list>
#include <limits>

#include "float_types.h"
#include "kernels.h"
#include "parallel.h"
#include "row.h"
#include "tenon/sdk/entry.h"

namespace tn::cpu {
namespace {

// A tensor as [outer, length, inner] around one dimension.
struct Axis {
  int64_t outer = 1, length = 1, inner = 1;
  Axis(const Tensor& t, int64_t dim) {
    if (t.dim() == 0) return;
    dim = dim < 0 ? dim + t.dim() : dim;
    for (int64_t d = 0; d < t.dim(); ++d)
      (d < dim ? outer : d == dim ? length : inner) *= t.size(d);
  }
};

// Passes over one row at a time, laid out as memory is.
template <class E>
struct AlongRow {
  using T = Sum<E>;
  static constexpr int64_t width = 1;
  int64_t length;

  // y = exp(x - max) / sum, or x - max - log(sum).
  template <bool logarithm>
  void forward(const E* x, E* y, int64_t) const {
    const T lowest = -std::numeric_limits<T>::infinity();
    Vec<T> most(lowest);
    by_vector<T>(length, [&](int64_t i, auto n) {
      most = maximum(most, only(get<T>(x + i, n), lowest, n));
    });
    T top = max_of_lanes(most);
    const Mask<T> nan = isnan(most);
    if (hn::CountTrue(Tag<T>(), nan.raw) > 0) top = std::numeric_limits<T>::quiet_NaN();
    const Vec<T> shift(top);
    // 16-bit results would lose what the sum needs, so their exponentials are made twice.
    const T sum = sum_row<T>(length, [&](int64_t i, auto n) {
      const Vec<T> power = only(exp(get<T>(x + i, n) - shift), T(0), n);
      if constexpr (!logarithm && std::is_same_v<E, T>) put(power, y + i, n);
      return power;
    });
    const Vec<T> scale(logarithm ? std::log(sum) : 1 / sum);
    by_vector<T>(length, [&](int64_t i, auto n) {
      if constexpr (logarithm)
        put(get<T>(x + i, n) - shift - scale, y + i, n);
      else if constexpr (std::is_same_v<E, T>)
        put(get<T>(y + i, n) * scale, y + i, n);
      else
        put(exp(get<T>(x + i, n) - shift) * scale, y + i, n);
    });
  }
  template <bool logarithm>
  void backward(const E* g, const E* y, E* out, int64_t) const {
    const Vec<T> sum(sum_row<T>(length, [&](int64_t i, auto n) {
      return logarithm ? get<T>(g + i, n) : get<T>(g + i, n) * get<T>(y + i, n);
    }));
    by_vector<T>(length, [&](int64_t i, auto n) {
      if constexpr (logarithm)
        put(get<T>(g + i, n) - exp(get<T>(y + i, n)) * sum, out + i, n);
      else
        put(get<T>(y + i, n) * (get<T>(g + i, n) - sum), out + i, n);
    });
  }
};

// The same over rows that run side by side, `step` apart in the row: one row in each lane of a few
// vectors. What comes next lies far off, so it is asked for ahead.
template <class E>
struct AcrossRows {
  using T = Sum<E>;
  static constexpr int64_t lanes = static_cast<int64_t>(Vec<T>::lanes);
  static constexpr int together = 4;
  static constexpr int64_t width = together * lanes;
  int64_t length, step;

  template <bool logarithm>
  void forward(const E* x, E* y, int64_t rows) const {
    if (rows == width) return forward_columns<logarithm, together>(x, y, AllLanes());
    by_vector<T>(rows, [&](int64_t r, auto n) { forward_columns<logarithm, 1>(x + r, y + r, n); });
  }
  template <bool logarithm>
  void backward(const E* g, const E* y, E* out, int64_t rows) const {
    if (rows == width) return backward_columns<logarithm, together>(g, y, out, AllLanes());
    by_vector<T>(
        rows, [&](int64_t r, auto n) { backward_columns<logarithm, 1>(g + r, y + r, out + r, n); });
  }

 private:
  // Calls f(v, offset) for each of the vectors of each place in the rows.
  template <int Vectors, class F>
  void each(std::initializer_list<const E*> read, F f) const {
    constexpr int64_t ahead = 8;
    for (int64_t k = 0; k < length; ++k)
#pragma GCC unroll 4
      for (int v = 0; v < Vectors; ++v) {
        const int64_t at = k * step + v * lanes;
        for (const E* from : read) __builtin_prefetch(from + at + ahead * step);
        f(v, at);
      }
  }
  template <bool logarithm, int Vectors, class Lanes>
  void forward_columns(const E* x, E* y, Lanes n) const {
    Vec<T> most[Vectors], sum[Vectors], scale[Vectors];
    for (int v = 0; v < Vectors; ++v) {
      most[v] = Vec<T>(-std::numeric_limits<T>::infinity());
      sum[v] = Vec<T>(0);
    }
    each<Vectors>({x}, [&](int v, int64_t at) { most[v] = maximum(most[v], get<T>(x + at, n)); });
    each<Vectors>({x},
                  [&](int v, int64_t at) { sum[v] = sum[v] + exp(get<T>(x + at, n) - most[v]); });
    for (int v = 0; v < Vectors; ++v) scale[v] = logarithm ? log(sum[v]) : Vec<T>(1) / sum[v];
    each<Vectors>({x}, [&](int v, int64_t at) {
      const Vec<T> shifted = get<T>(x + at, n) - most[v];
      put(logarithm ? shifted - scale[v] : exp(shifted) * scale[v], y + at, n);
    });
  }
  template <bool logarithm, int Vectors, class Lanes>
  void backward_columns(const E* g, const E* y, E* out, Lanes n) const {
    Vec<T> sum[Vectors];
    for (int v = 0; v < Vectors; ++v) sum[v] = Vec<T>(0);
    each<Vectors>({g, y}, [&](int v, int64_t at) {
      const Vec<T> gradient = get<T>(g + at, n);
      sum[v] = sum[v] + (logarithm ? gradient : gradient * get<T>(y + at, n));
    });
    each<Vectors>({g, y}, [&](int v, int64_t at) {
      const Vec<T> gradient = get<T>(g + at, n), value = get<T>(y + at, n);
      put(logarithm ? gradient - exp(value) * sum[v] : value * (gradient - sum[v]), out + at, n);
    });
  }
};

// Calls run(rows, offset, count) for every group of rows.
template <class E, class F>
void each_group(const Axis& axis, F run) {
  const int64_t work = std::max<int64_t>(1, axis.length);
  if (axis.inner == 1) {
    parallel_for(axis.outer, std::max<int64_t>(1, kGrain / work), [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row)
        run(AlongRow<E>{axis.length}, row * axis.length, int64_t{1});
    });
    return;
  }
  constexpr int64_t width = AcrossRows<E>::width;
  const int64_t groups = (axis.inner + width - 1) / width;
  parallel_for(axis.outer * groups, std::max<int64_t>(1, kGrain / (work * width)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i) {
                   const int64_t first = i % groups * width;
                   run(AcrossRows<E>{axis.length, axis.inner},
                       i / groups * axis.length * axis.inner + first,
                       std::min(width, axis.inner - first));
                 }
               });
}

template <bool logarithm>
void forward(const Tensor& self, int64_t dim, bool, Out out) {
  if (self.numel() == 0) return;
  with_float(self.dtype(), [&](auto e) {
    using E = decltype(e);
    const E* const x = self.data<E>();
    E* const y = out->data<E>();
    each_group<E>(Axis(self, dim), [=](auto rows, int64_t offset, int64_t count) {
      rows.template forward<logarithm>(x + offset, y + offset, count);
    });
  });
}

template <bool logarithm>
void backward(const Tensor& grad_output, const Tensor& output, int64_t dim, DType, Out out) {
  if (output.numel() == 0) return;
  with_float(output.dtype(), [&](auto e) {
    using E = decltype(e);
    const E *const g = grad_output.data<E>(), *const y = output.data<E>();
    E* const to = out->data<E>();
    each_group<E>(Axis(output, dim), [=](auto rows, int64_t offset, int64_t count) {
      rows.template backward<logarithm>(g + offset, y + offset, to + offset, count);
    });
  });
}

}  // namespace

void register_softmax(tn_plugin* plugin) {
  tn_caps caps = TN_INIT(tn_caps);
  caps.flags = TN_CAP_DETERMINISTIC | TN_CAP_CONTIGUOUS;
  caps.dtypes = kFloatDtypes;
  register_kernel<forward<false>>(plugin, "_softmax", "cpu", caps);
  register_kernel<forward<true>>(plugin, "_log_softmax", "cpu", caps);
  register_kernel<backward<false>>(plugin, "_softmax_backward_data", "cpu", caps);
  register_kernel<backward<true>>(plugin, "_log_softmax_backward_data", "cpu", caps);
}

}  // namespace tn::cpu
