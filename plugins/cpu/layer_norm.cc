// Layer normalisation of contiguous rows and its gradient.
#include <cmath>

#include "float_types.h"
#include "kernels.h"
#include "norm_rows.h"
#include "tenon/ops/norm.h"
#include "tenon/sdk/entry.h"

namespace tn::cpu {
namespace {

struct Rows {
  int64_t count = 1, width = 1;
  Rows(const Tensor& input, Ints shape) {
    for (int64_t size : shape) width *= size;
    for (size_t d = 0; d + shape.size() < input.sizes().size(); ++d) count *= input.sizes()[d];
  }
  int64_t grain() const { return std::max<int64_t>(1, kGrain / std::max<int64_t>(1, width)); }
};

void native_layer_norm(const Tensor& input, Ints shape, const Tensor& weight, const Tensor& bias,
                       double eps, Frame& frame, Out out, Out means, Out rstds) {
  const Rows rows(input, shape);
  with_float(input.dtype(), [&](auto e) {
    using E = decltype(e);
    using T = Sum<E>;
    const T *const w = read_parameter<E>(frame, weight, rows.width, T(1)), *const b =
                                                                               read_parameter<E>(
                                                                                   frame, bias,
                                                                                   rows.width,
                                                                                   T(0));
    parallel_for(rows.count, rows.grain(), [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        const E* const x = input.data<E>() + r * rows.width;
        const T count = static_cast<T>(rows.width);
        const T mean =
            sum_row<T>(rows.width, [&](int64_t i, auto n) { return get<T>(x + i, n); }) / count;
        const Vec<T> center(mean);
        const T variance = sum_row<T>(rows.width,
                                      [&](int64_t i, auto n) {
                                        const Vec<T> apart =
                                            only(get<T>(x + i, n) - center, T(0), n);
                                        return apart * apart;
                                      }) /
                           count;
        const T rstd = static_cast<T>(1 / std::sqrt(static_cast<double>(variance) + eps));
        means->data<T>()[r] = mean;
        rstds->data<T>()[r] = rstd;
        const Vec<T> scale(rstd);
        E* const y = out->data<E>() + r * rows.width;
        by_vector<T>(rows.width, [&](int64_t i, auto n) {
          put(fma((get<T>(x + i, n) - center) * scale, get<T>(w + i, n), get<T>(b + i, n)), y + i,
              n);
        });
      }
    });
  });
}

// d_x = rstd * (g w - mean(g w) - x^ mean(g w x^)), x^ the normalised row.
template <class E>
void row_gradients(const Rows& rows, const E* g, const E* x, const Sum<E>* w, const Sum<E>* means,
                   const Sum<E>* rstds, E* to) {
  using T = Sum<E>;
  parallel_for(rows.count, rows.grain(), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const E *const gr = g + r * rows.width, *const xr = x + r * rows.width;
      const Vec<T> center(means[r]), scale(rstds[r]);
      auto weighted = [&](int64_t i, auto n) { return get<T>(gr + i, n) * get<T>(w + i, n); };
      const T count = static_cast<T>(rows.width);
      const Vec<T> mean(sum_row<T>(rows.width, weighted) / count);
      const Vec<T> tilt(sum_row<T>(rows.width,
                                   [&](int64_t i, auto n) {
                                     return weighted(i, n) * ((get<T>(xr + i, n) - center) * scale);
                                   }) /
                        count);
      by_vector<T>(rows.width, [&](int64_t i, auto n) {
        const Vec<T> normal = (get<T>(xr + i, n) - center) * scale;
        put((weighted(i, n) - mean - normal * tilt) * scale, to + r * rows.width + i, n);
      });
    }
  });
}

// Sums over the rows, each thread for some of the columns, so that every sum is made in one order.
template <class E>
struct ColumnGradients {
  using T = Sum<E>;
  static constexpr int64_t lanes = static_cast<int64_t>(Vec<T>::lanes);
  static constexpr int together = 8;  // vectors of a row that are read at a time, side by side
  const Rows& rows;
  const E *g, *x;
  const T *means, *rstds;
  T *grad_weight, *grad_bias;

  void run() const {
    const int64_t grain = std::max<int64_t>(1, kGrain / std::max<int64_t>(1, rows.count));
    parallel_for(rows.width, grain, together * lanes, [&](int64_t begin, int64_t end) {
      for (; begin + together * lanes <= end; begin += together * lanes)
        sum<together>(begin, AllLanes());
      by_vector<T>(end - begin, [&](int64_t i, auto n) { sum<1>(begin + i, n); });
    });
  }

 private:
  template <int Vectors, class Lanes>
  void sum(int64_t column, Lanes n) const {
    Vec<T> weight[Vectors], bias[Vectors];
    for (int v = 0; v < Vectors; ++v) weight[v] = bias[v] = Vec<T>(0);
    for (int64_t r = 0; r < rows.count; ++r) {
      const Vec<T> center(means[r]), scale(rstds[r]);
      const int64_t at = r * rows.width + column;
#pragma GCC unroll 8
      for (int v = 0; v < Vectors; ++v) {
        const Vec<T> gradient = get<T>(g + at + v * lanes, n);
        weight[v] = fma(gradient, (get<T>(x + at + v * lanes, n) - center) * scale, weight[v]);
        bias[v] = bias[v] + gradient;
      }
    }
    for (int v = 0; v < Vectors; ++v) {
      put(weight[v], grad_weight + column + v * lanes, n);
      put(bias[v], grad_bias + column + v * lanes, n);
    }
  }
};

template <class E>
void write_column(const Out& out, const Sum<E>* values, int64_t count) {
  if (!out.defined()) return;
  const bool wide = api->dtype_size(out->dtype()) == sizeof(Sum<E>);
  for (int64_t i = 0; i < count; ++i) {
    if (wide)
      out->data<Sum<E>>()[i] = values[i];
    else
      out->data<E>()[i] = static_cast<E>(values[i]);
  }
}

void native_layer_norm_backward(const Tensor& grad_out, const Tensor& input, Ints shape,
                                const Tensor& mean, const Tensor& rstd, const Tensor& weight,
                                const Tensor&, Bools, Frame& frame, Out grad_input, Out grad_weight,
                                Out grad_bias) {
  const Rows rows(input, shape);
  with_float(input.dtype(), [&](auto e) {
    using E = decltype(e);
    using T = Sum<E>;
    const E *const g = grad_out.data<E>(), *const x = input.data<E>();
    const T *const means = mean.data<T>(), *const rstds = rstd.data<T>();
    if (grad_input.defined()) {
      const T* const w = read_parameter<E>(frame, weight, rows.width, T(1));
      row_gradients<E>(rows, g, x, w, means, rstds, grad_input->data<E>());
    }
    if (grad_weight.defined() || grad_bias.defined()) {
      const size_t n = static_cast<size_t>(rows.width);
      T *const d_weight = frame.scratch<T>(n), *const d_bias = frame.scratch<T>(n);
      ColumnGradients<E>{rows, g, x, means, rstds, d_weight, d_bias}.run();
      write_column<E>(grad_weight, d_weight, rows.width);
      write_column<E>(grad_bias, d_bias, rows.width);
    }
  });
}

}  // namespace

void register_layer_norm(tn_plugin* plugin) {
  tn_caps caps = TN_INIT(tn_caps);
  caps.flags = TN_CAP_DETERMINISTIC | TN_CAP_CONTIGUOUS;
  caps.dtypes = kFloatDtypes;
  register_kernel<native_layer_norm>(plugin, "native_layer_norm", "cpu", caps);
  register_kernel<native_layer_norm_backward>(plugin, "native_layer_norm_backward", "cpu", caps);
}

}  // namespace tn::cpu
