// Where the elements of a strided tensor lie in its storage, and how a gradient moves between two
// geometries.
#pragma once

#include <vector>

#include "node.h"

namespace tn::graph {

// In elements. The arrays belong to whoever made it.
struct Geometry {
  Ints sizes;
  Ints strides;
  int64_t offset = 0;
};

// Borrows the tensor's own arrays.
inline Geometry geometry_of(const tn_tensor* t) {
  const size_t rank = static_cast<size_t>(t->dl.ndim);
  return {{t->dl.shape, rank}, {t->dl.strides, rank}, api->tensor_storage_offset(t)};
}

// A copy whose arrays lie at `room`, which moves past them.
Geometry copy_geometry(const Geometry& g, int64_t*& room);

// The same memory in real numbers, for one of complex ones: a new last dimension of size 2.
struct RealGeometry {
  std::vector<int64_t> sizes, strides;
  int64_t offset;

  explicit RealGeometry(const Geometry& complex);
  operator Geometry() const { return {sizes, strides, offset}; }
};

// Elements from the first to the last one, both included; 0 when empty.
int64_t span(const Geometry& g);
int64_t count(const Geometry& g);
// Row-major and dense.
bool contiguous(const Geometry& g);
// Two indices may lead to the same element. Exact for geometries that slicing, transposing and
// expanding make.
bool overlapping(const Geometry& g);

// The gradient of a base, given the gradient of a view of it: elements that the view does not show
// get 0, elements that it shows several times get the sum. The result has base's sizes.
Tensor gradient_of_base(const Geometry& base, const Geometry& view, Tensor grad);

}  // namespace tn::graph
