#include "geometry.h"

#include <algorithm>
#include <vector>

#include "operators.h"

namespace tn::graph {

namespace {

// Dimensions of more than one element: those that say where elements lie.
struct Dimension {
  int64_t size;
  int64_t stride;
};
std::vector<Dimension> proper(const Geometry& g) {
  std::vector<Dimension> out;
  for (size_t d = 0; d < g.sizes.size(); ++d)
    if (g.sizes[d] != 1) out.push_back({g.sizes[d], g.strides[d]});
  return out;
}
std::vector<int64_t> sizes_of(const std::vector<Dimension>& dims) {
  std::vector<int64_t> out;
  for (const auto& d : dims) out.push_back(d.size);
  return out;
}

Tensor shaped(const Tensor& t, Ints sizes) {
  return t.sizes() == sizes ? t : ops::reshape(t, sizes);
}

// Which of `from` each of `to` is, or empty where they are not the same dimensions in some order.
std::vector<int64_t> matching(const std::vector<Dimension>& from,
                              const std::vector<Dimension>& to) {
  std::vector<int64_t> order;
  std::vector<bool> used(from.size());
  if (from.size() != to.size()) return {};
  for (const auto& wanted : to) {
    size_t i = 0;
    while (i < from.size() &&
           (used[i] || from[i].size != wanted.size || from[i].stride != wanted.stride))
      ++i;
    if (i == from.size()) return {};
    used[i] = true;
    order.push_back(static_cast<int64_t>(i));
  }
  return order;
}

// Dimensions of stride 0 that base lacks repeat its elements: their gradients add up.
Tensor sum_repeated(const std::vector<Dimension>& base_dims, std::vector<Dimension>& dims,
                    Tensor grad) {
  std::vector<Dimension> kept;
  std::vector<int64_t> repeated;
  std::vector<bool> used(base_dims.size());
  for (size_t i = 0; i < dims.size(); ++i) {
    bool own = dims[i].stride != 0;
    for (size_t j = 0; !own && j < base_dims.size(); ++j)
      if (!used[j] && base_dims[j].stride == 0 && base_dims[j].size == dims[i].size)
        own = used[j] = true;
    if (own)
      kept.push_back(dims[i]);
    else
      repeated.push_back(static_cast<int64_t>(i));
  }
  if (repeated.empty()) return grad;
  dims = std::move(kept);
  return ops::sum(grad, repeated, false);
}

// The general case: a buffer over all memory that either of the two spans, written through the
// view, read as the base.
Tensor through_memory(const Geometry& base, const Geometry& view, const Tensor& grad) {
  const auto dtype = static_cast<uint16_t>(grad.dtype());
  // What is empty may stand at any offset, with any strides.
  if (count(base) == 0 || grad.numel() == 0)
    return ops::filled(base.sizes, dtype, grad.device(), 0);
  const int64_t start = std::min(base.offset, view.offset);
  const int64_t end = std::max(base.offset + span(base), view.offset + span(view));
  const int64_t cells = end - start;
  Tensor memory = ops::filled({cells}, dtype, grad.device(), 0);
  if (overlapping(view)) {
    const Tensor cell = ops::as_strided(ops::count_up(cells, grad.device()), view.sizes,
                                        view.strides, view.offset - start);
    const int64_t flat = count(view);
    memory = ops::index_add(memory, ops::reshape(cell, {flat}), ops::reshape(grad, {flat}));
  } else {
    ops::copy(ops::as_strided(memory, view.sizes, view.strides, view.offset - start), grad);
  }
  // A base that repeats elements: each repetition gets its share, so that what it was expanded from
  // gets the sum.
  int64_t repetitions = 1;
  for (const auto& d : proper(base))
    if (d.stride == 0) repetitions *= d.size;
  if (repetitions > 1) memory = ops::scale(memory, 1.0 / static_cast<double>(repetitions));
  return ops::as_strided(memory, base.sizes, base.strides, base.offset - start);
}

}  // namespace

Geometry copy_geometry(const Geometry& g, int64_t*& room) {
  const size_t rank = g.sizes.size();
  int64_t* sizes = std::copy_n(g.sizes.data(), rank, room) - rank;
  int64_t* strides = std::copy_n(g.strides.data(), rank, room + rank) - rank;
  room += 2 * rank;
  return {{sizes, rank}, {strides, rank}, g.offset};
}

RealGeometry::RealGeometry(const Geometry& complex)
    : sizes(complex.sizes.vector()), strides(complex.strides.vector()), offset(2 * complex.offset) {
  // Nothing steps by strides that are too large for that: the tensor is empty.
  for (int64_t& stride : strides) stride = std::min(stride, INT64_MAX / 2) * 2;
  sizes.push_back(2);
  strides.push_back(1);
}

int64_t count(const Geometry& g) {
  int64_t n = 1;
  for (const int64_t size : g.sizes) n *= size;
  return n;
}

int64_t span(const Geometry& g) {
  int64_t last = 0;
  for (size_t d = 0; d < g.sizes.size(); ++d) {
    if (g.sizes[d] == 0) return 0;
    last += (g.sizes[d] - 1) * g.strides[d];
  }
  return last + 1;
}

bool contiguous(const Geometry& g) {
  int64_t expected = 1;
  for (size_t d = g.sizes.size(); d-- > 0;) {
    if (g.sizes[d] != 1 && g.strides[d] != expected) return false;
    expected *= g.sizes[d];
  }
  return true;
}

bool overlapping(const Geometry& g) {
  std::vector<Dimension> dims = proper(g);
  std::sort(dims.begin(), dims.end(),
            [](const auto& a, const auto& b) { return a.stride < b.stride; });
  int64_t reach = 0;  // offset of the last element of the dimensions seen
  for (const auto& d : dims) {
    if (d.size == 0) return false;
    if (d.stride <= reach) return true;
    reach += (d.size - 1) * d.stride;
  }
  return false;
}

Tensor gradient_of_base(const Geometry& base, const Geometry& view, Tensor grad) {
  if (base.offset == view.offset && count(base) == count(view) && contiguous(base) &&
      contiguous(view))
    return shaped(grad, base.sizes);
  const std::vector<Dimension> base_dims = proper(base);
  std::vector<Dimension> dims = proper(view);
  grad = shaped(grad, sizes_of(dims));
  grad = sum_repeated(base_dims, dims, std::move(grad));
  if (base.offset == view.offset) {
    if (base_dims.empty() && dims.empty()) return shaped(grad, base.sizes);
    const std::vector<int64_t> order = matching(dims, base_dims);
    if (!order.empty())
      return shaped(std::is_sorted(order.begin(), order.end()) ? grad : ops::permute(grad, order),
                    base.sizes);
  }
  std::vector<int64_t> strides;
  for (const auto& d : dims) strides.push_back(d.stride);
  const std::vector<int64_t> sizes = sizes_of(dims);
  return through_memory(base, {sizes, strides, view.offset}, grad);
}

}  // namespace tn::graph
