// flip, tril and triu.
#include <tenon/ops/shape.h>
#include <tenon/sdk/entry.h>

#include "element_types.h"
#include "kernels.h"
#include "walk.h"

namespace tn::cpu {
namespace {

// Reads from the last index of each flipped dimension on, backwards.
void flip(const Tensor& self, Ints dims, Out out) {
  if (self.numel() == 0) return;
  const uint64_t flipped = ops::dim_set(dims, self.dim());
  Walk<2> walk(self.sizes());
  walk.operand(0, out->strides());
  walk.operand(1, self.strides());
  for (int d = 0; d < walk.ndim; ++d) {
    if (!(flipped >> d & 1)) continue;
    walk.offsets[1] += (walk.shape[d] - 1) * walk.strides[1][d];
    walk.strides[1][d] = -walk.strides[1][d];
  }
  with_size(self.dtype(), [&](auto type) {
    using T = decltype(type);
    T* to = out->data<T>();
    const T* from = self.data<T>();
    walk.parallel_lines(-1, [=](int64_t count, auto at, auto step) {
      for (int64_t i = 0; i < count; ++i) to[at[0] + i * step[0]] = from[at[1] + i * step[1]];
    });
  });
}

// Keeps columns up to row + diagonal (lower), or from there on. The row comes from a third operand
// that has no memory: its offset counts rows. Lines along columns are not split.
template <bool lower>
void triangle(const Tensor& self, int64_t diagonal, Out out) {
  Walk<3> walk(self.sizes());
  walk.operand(0, out->strides());
  walk.operand(1, self.strides());
  walk.operand(2, {});
  walk.strides[2][walk.ndim - 2] = 1;
  // Beyond the matrix all diagonals are alike; clamping keeps the sum below from overflowing.
  const int64_t shift =
      std::clamp(diagonal, -self.size(-2) - 1, self.size(-1) + 1) + (lower ? 1 : 0);
  with_size(self.dtype(), [&](auto type) {
    using T = decltype(type);
    T* to = out->data<T>();
    const T* from = self.data<T>();
    walk.parallel_lines(walk.ndim - 1, [=](int64_t count, auto at, auto step) {
      const int64_t edge = std::clamp<int64_t>(at[2] + shift, 0, count);
      for (int64_t i = 0; i < edge; ++i)
        to[at[0] + i * step[0]] = lower ? from[at[1] + i * step[1]] : T{};
      for (int64_t i = edge; i < count; ++i)
        to[at[0] + i * step[0]] = lower ? T{} : from[at[1] + i * step[1]];
    });
  });
}

}  // namespace

void register_rearrange(tn_plugin* plugin) {
  tn_caps caps = TN_INIT(tn_caps);
  caps.flags = TN_CAP_DETERMINISTIC;
  register_kernel<flip>(plugin, "flip", "cpu", caps);
  caps.flags |= TN_CAP_ALIAS_SAFE;  // each element is read before it is written
  register_kernel<triangle<true>>(plugin, "tril", "cpu", caps);
  register_kernel<triangle<false>>(plugin, "triu", "cpu", caps);
}

}  // namespace tn::cpu
