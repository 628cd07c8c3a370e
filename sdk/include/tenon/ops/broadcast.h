// Several tensors in one shape.
#pragma once

#include <cstring>

#include <tenon/ops/shape.h>

namespace tn::ops {

// Makes `shape`, so far that of tensors 0 to i - 1, also hold tensor i. Sizes agree from the back;
// 1 stands for any.
inline void broadcast_shape(std::vector<dim>& shape, Ints sizes, size_t i) {
  if (sizes.size() > shape.size()) shape.insert(shape.begin(), sizes.size() - shape.size(), 1);
  for (size_t k = 1; k <= sizes.size(); ++k) {
    dim& size = shape[shape.size() - k];
    const dim other = sizes[sizes.size() - k];
    if (size != other && size != 1 && other != 1)
      fail(TN_INVALID_ARGUMENT, "tensor %zu has shape %s, which does not broadcast with %s", i,
           shape_text(sizes).c_str(), shape_text(shape).c_str());
    if (size == 1) size = other;
  }
}

struct BroadcastTensors : composite {
  static constexpr auto schema = "broadcast_tensors(Tensor[] tensors) -> Tensor[]";
  static constexpr auto doc = "Each tensor expanded to the shape that all broadcast to.";
  static constexpr uint32_t flags = TN_OP_NO_OUT;
  template <class T>
  static std::vector<T> decompose(List<T> tensors) {
    std::vector<dim> shape;
    for (size_t i = 0; i < tensors.size(); ++i) broadcast_shape(shape, tensors[i].sizes(), i);
    std::vector<T> expanded;
    expanded.reserve(tensors.size());
    for (const T& t : tensors) expanded.push_back(expand(t, Ints(shape)));
    return expanded;
  }
};

struct Meshgrid : composite {
  static constexpr auto schema =
      "meshgrid.indexing(Tensor[] tensors, *, str indexing='ij') -> Tensor[]";
  static constexpr auto doc =
      "Of n vectors, n grids of rank n: grid i holds vector i along dimension i. With indexing "
      "'xy' the first two dimensions are exchanged.";
  static constexpr uint32_t flags = TN_OP_NO_OUT;
  template <class T>
  static std::vector<T> decompose(List<T> tensors, const char* indexing) {
    const bool xy = std::strcmp(indexing, "xy") == 0;
    if (!xy && std::strcmp(indexing, "ij") != 0)
      fail(TN_INVALID_ARGUMENT, "indexing is '%s'; it must be 'ij' or 'xy'", indexing);
    if (tensors.empty()) fail(TN_INVALID_ARGUMENT, "tensors is empty; at least one is needed");
    Geometry grid;
    for (size_t i = 0; i < tensors.size(); ++i) {
      if (tensors[i].dim() > 1)
        fail(TN_INVALID_ARGUMENT, "tensor %zu is %s; each must be a vector or a number", i,
             tensors[i].describe().c_str());
      grid.append(tensors[i].numel(), 0);
    }
    std::vector<T> grids;
    grids.reserve(tensors.size());
    for (int64_t i = 0; i < grid.rank; ++i) {
      Geometry line;
      for (int64_t d = 0; d < grid.rank; ++d) line.append(d == i ? grid.sizes[d] : 1, 0);
      T whole = expand(view(tensors[static_cast<size_t>(i)], line.shape()), grid.shape());
      grids.push_back(xy && grid.rank > 1 ? transpose(whole, 0, 1) : whole);
    }
    return grids;
  }
};

using broadcast_ops = list<BroadcastTensors, Meshgrid>;

}  // namespace tn::ops
