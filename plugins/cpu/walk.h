// walk.h - a loop nest over several tensors of different strides, for kernels that get no plan.
#pragma once

#include <algorithm>
#include <array>

#include <tenon/sdk/tensor.h>

#include "parallel.h"

namespace tn::cpu {

// N operands over one shape. Strides and offsets count elements.
template <int N>
struct Walk {
  int ndim = 0;
  int64_t shape[TN_MAX_DIMS];
  int64_t strides[N][TN_MAX_DIMS];
  std::array<int64_t, N> offsets{};

  explicit Walk(Ints sizes) : ndim(static_cast<int>(sizes.size())) {
    std::copy(sizes.begin(), sizes.end(), shape);
  }
  // A 0-dim operand's strides are zero.
  void operand(int i, Ints steps) {
    for (int d = 0; d < ndim; ++d)
      strides[i][d] = static_cast<size_t>(d) < steps.size() ? steps[static_cast<size_t>(d)] : 0;
  }
  int64_t numel() const {
    int64_t n = 1;
    for (int d = 0; d < ndim; ++d) n *= shape[d];
    return n;
  }

  // Calls f(count, offsets, strides) for each line along the last dimension, in row-major order.
  template <class F>
  void lines(F&& f) const {
    std::array<int64_t, N> at = offsets, step{};
    if (ndim == 0) {
      f(int64_t{1}, at, step);
      return;
    }
    if (numel() == 0) return;
    const int inner = ndim - 1;
    for (int i = 0; i < N; ++i) step[static_cast<size_t>(i)] = strides[i][inner];
    int64_t index[TN_MAX_DIMS] = {};
    for (;;) {
      f(shape[inner], at, step);
      int d = inner - 1;
      for (; d >= 0; --d) {
        for (int i = 0; i < N; ++i) at[static_cast<size_t>(i)] += strides[i][d];
        if (++index[d] < shape[d]) break;
        for (int i = 0; i < N; ++i) at[static_cast<size_t>(i)] -= strides[i][d] * shape[d];
        index[d] = 0;
      }
      if (d < 0) return;
    }
  }

  // As lines, split over threads along one dimension other than `whole`, whose elements stay with
  // one thread each (-1: none has to).
  template <class F>
  void parallel_lines(int whole, F&& f) const {
    int split = -1;
    for (int d = 0; d < ndim; ++d)
      if (d != whole && (split < 0 || shape[d] > shape[split])) split = d;
    const int64_t total = numel();
    if (split < 0 || total <= kGrain || shape[split] < 2) {
      lines(f);
      return;
    }
    parallel_for(shape[split], std::max<int64_t>(kGrain * shape[split] / total, 1),
                 [&](int64_t begin, int64_t end) {
                   Walk part = *this;
                   part.shape[split] = end - begin;
                   for (int i = 0; i < N; ++i)
                     part.offsets[static_cast<size_t>(i)] += begin * strides[i][split];
                   part.lines(f);
                 });
  }
};

}  // namespace tn::cpu
