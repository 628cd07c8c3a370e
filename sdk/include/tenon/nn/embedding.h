// Embedding: a trained table of vectors, looked up by index.
#pragma once

#include <tenon/nn/init.h>
#include <tenon/nn/module.h>
#include <tenon/nn/parameter.h>

namespace tn::nn {

// Indices [...] of dtype i64 or i32 in [0, count) to [..., width]. weight is [count, width], drawn
// from N(0, 1). The row `padding_index` starts as zeros and gets no gradient; -1 means no such row.
struct Embedding : Module {
  Tensor weight;
  int64_t padding_index;

  Embedding(int64_t count, int64_t width, int64_t padding_index = -1)
      : weight(parameter({count, width})), padding_index(padding_index) {
    if (padding_index < -1 || padding_index >= count)
      fail(TN_INDEX_ERROR, "Embedding: padding_index %lld is outside [-1, %lld)",
           static_cast<long long>(padding_index), static_cast<long long>(count));
    init::normal(weight);
    if (padding_index >= 0) init::constant(select(detach(weight), 0, padding_index), 0);
  }
  Tensor operator()(const Tensor& indices) const {
    return embedding(weight, indices, padding_index);
  }
  void collect(Members& m) const override { m.parameter("weight", weight); }
};

}  // namespace tn::nn
