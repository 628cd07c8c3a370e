// Views of a part of a tensor: one index, a range, a diagonal, windows; and several views at once.
#pragma once

#include <algorithm>

#include <tenon/ops/shape.h>

namespace tn::ops {

// A dimension of a tensor that must have one.
inline int64_t sliced_dim(const Tensor& self, int64_t dim, const char* what = "dim") {
  if (self.dim() == 0) fail(TN_INDEX_ERROR, "a 0-dim tensor has no %s that could be sliced", what);
  return wrap_dim(dim, self.dim(), what);
}

struct Select : view_of {
  static constexpr auto schema = "select.int(Tensor(a) self, int dim, int index) -> Tensor(a)";
  static constexpr auto doc = "The slice at one index of dim, without that dimension.";
  static Tensor kernel(const Tensor& self, int64_t dim, int64_t index) {
    const int64_t d = sliced_dim(self, dim);
    const Ints sizes = self.sizes(), strides = self.strides();
    const int64_t n = sizes[static_cast<size_t>(d)];
    if (index < -n || index >= n)
      fail(TN_INDEX_ERROR,
           "index %lld is outside [%lld, %lld) of dimension %lld of a tensor of shape %s",
           static_cast<long long>(index), static_cast<long long>(-n), static_cast<long long>(n),
           static_cast<long long>(d), shape_text(sizes).c_str());
    Geometry g;
    g.offset = stride_sum(self.storage_offset(), stride_product(index < 0 ? index + n : index,
                                                                strides[static_cast<size_t>(d)]));
    for (size_t i = 0; i < sizes.size(); ++i)
      if (i != static_cast<size_t>(d)) g.append(sizes[i], strides[i]);
    return make_view(self, g);
  }
};

struct Slice : view_of {
  static constexpr auto schema =
      "slice.Tensor(Tensor(a) self, int dim=0, int? start=None, int? end=None, int step=1) -> "
      "Tensor(a)";
  static constexpr auto doc =
      "Elements start, start + step, ... before end of dim. Negative numbers count from the end; "
      "both are clamped to the dimension, as in Python.";
  static Tensor kernel(const Tensor& self, int64_t dim, std::optional<int64_t> start,
                       std::optional<int64_t> end, int64_t step) {
    const int64_t d = sliced_dim(self, dim);
    if (step <= 0)
      fail(TN_INVALID_ARGUMENT, "step is %lld; it must be positive", static_cast<long long>(step));
    Geometry g(self);
    const int64_t n = g.sizes[d];
    auto clamped = [n](int64_t i) { return std::clamp(i < 0 ? i + n : i, int64_t{0}, n); };
    const int64_t first = clamped(start.value_or(0));
    const int64_t last = std::max(first, clamped(end.value_or(n)));
    g.narrow(d, first, last == first ? 0 : (last - first - 1) / step + 1);
    // With one element the stride is never used.
    if (g.sizes[d] > 1) g.strides[d] = stride_product(g.strides[d], step);
    return make_view(self, g);
  }
};

struct Narrow : view_of {
  static constexpr auto schema =
      "narrow(Tensor(a) self, int dim, int start, int length) -> Tensor(a)";
  static constexpr auto doc = "length elements of dim from start on, which must all exist.";
  static Tensor kernel(const Tensor& self, int64_t dim, int64_t start, int64_t length) {
    const int64_t d = sliced_dim(self, dim);
    Geometry g(self);
    const int64_t n = g.sizes[d];
    if (length < 0)
      fail(TN_INVALID_ARGUMENT, "length is %lld; it must be 0 or more",
           static_cast<long long>(length));
    if (start < -n || start > n)
      fail(TN_INDEX_ERROR, "start is %lld, outside [%lld, %lld] of dimension %lld",
           static_cast<long long>(start), static_cast<long long>(-n), static_cast<long long>(n),
           static_cast<long long>(d));
    if (start < 0) start += n;
    if (length > n - start)
      fail(TN_INVALID_ARGUMENT, "start %lld and length %lld exceed the size %lld of dimension %lld",
           static_cast<long long>(start), static_cast<long long>(length), static_cast<long long>(n),
           static_cast<long long>(d));
    g.narrow(d, start, length);
    return make_view(self, g);
  }
};

struct Diagonal : view_of {
  static constexpr auto schema =
      "diagonal(Tensor(a) self, int offset=0, int dim1=0, int dim2=1) -> Tensor(a)";
  static constexpr auto doc =
      "The diagonal of the matrices that dim1 and dim2 span, as a new last dimension; offset > 0 "
      "lies above the main one, offset < 0 below.";
  static Tensor kernel(const Tensor& self, int64_t offset, int64_t dim1, int64_t dim2) {
    const int64_t a = sliced_dim(self, dim1, "dim1"), b = sliced_dim(self, dim2, "dim2");
    if (a == b)
      fail(TN_INVALID_ARGUMENT, "dim1 and dim2 are both %lld; a diagonal needs two dimensions",
           static_cast<long long>(a));
    Geometry g(self);
    const int64_t rows = offset >= 0 ? g.sizes[a] : std::max(g.sizes[a] + offset, int64_t{0});
    const int64_t columns = offset <= 0 ? g.sizes[b] : std::max(g.sizes[b] - offset, int64_t{0});
    const int64_t length = std::min(rows, columns);
    const int64_t stride = stride_sum(g.strides[a], g.strides[b]);
    if (length > 0)
      g.offset = stride_sum(g.offset, offset >= 0 ? stride_product(offset, g.strides[b])
                                                  : stride_product(-offset, g.strides[a]));
    g.erase(std::max(a, b));
    g.erase(std::min(a, b));
    g.append(length, stride);
    return make_view(self, g);
  }
};

struct Unfold : view_of {
  static constexpr auto schema =
      "unfold(Tensor(a) self, int dimension, int size, int step) -> Tensor(a)";
  static constexpr auto doc =
      "Windows of the given size along dimension, every step elements; the window is a new last "
      "dimension.";
  static Tensor kernel(const Tensor& self, int64_t dimension, int64_t size, int64_t step) {
    const int64_t d = wrap_dim(dimension, self.dim(), "dimension");
    Geometry g(self);
    const int64_t n = g.rank == 0 ? 1 : g.sizes[d], stride = g.rank == 0 ? 1 : g.strides[d];
    if (size < 0 || size > n)
      fail(TN_INVALID_ARGUMENT,
           "size is %lld; a window along a dimension of size %lld is 0 to %lld long",
           static_cast<long long>(size), static_cast<long long>(n), static_cast<long long>(n));
    if (step <= 0)
      fail(TN_INVALID_ARGUMENT, "step is %lld; it must be positive", static_cast<long long>(step));
    if (g.rank > 0) {
      g.sizes[d] = (n - size) / step + 1;
      if (g.sizes[d] > 1) g.strides[d] = stride_product(stride, step);
    }
    g.append(size, stride);
    return make_view(self, g);
  }
};

struct SplitWithSizes : view_of {
  static constexpr auto schema =
      "split_with_sizes(Tensor(a -> *) self, int[] split_sizes, int dim=0) -> Tensor(a)[]";
  static constexpr auto doc =
      "Consecutive parts of dim of the given sizes, which add up to its size.";
  static std::vector<Tensor> kernel(const Tensor& self, Ints split_sizes, int64_t dim) {
    const int64_t d = sliced_dim(self, dim);
    int64_t total = 0;
    for (int64_t size : split_sizes) {
      if (size < 0 || __builtin_add_overflow(total, size, &total))
        fail(TN_INVALID_ARGUMENT, "split sizes %s: each must be 0 or more and the sum an int64",
             shape_text(split_sizes).c_str());
    }
    if (total != self.size(d))
      fail(TN_INVALID_ARGUMENT, "split sizes %s add up to %lld; dimension %lld has size %lld",
           shape_text(split_sizes).c_str(), static_cast<long long>(total),
           static_cast<long long>(d), static_cast<long long>(self.size(d)));
    std::vector<Tensor> parts;
    parts.reserve(split_sizes.size());
    int64_t start = 0;
    for (int64_t size : split_sizes) {
      Geometry g(self);
      g.narrow(d, start, size);
      parts.push_back(make_view(self, g, TN_ALIAS_MULTI_OUTPUT));
      start += size;
    }
    return parts;
  }
};

struct SplitSizes : SplitWithSizes {
  static constexpr auto schema =
      "split.sizes(Tensor(a -> *) self, int[] split_size, int dim=0) -> Tensor(a)[]";
  static constexpr auto doc = "Another name of split_with_sizes.";
};

struct Split : view_of {
  static constexpr auto schema =
      "split.Tensor(Tensor(a -> *) self, int split_size, int dim=0) -> Tensor(a)[]";
  static constexpr auto doc =
      "Consecutive parts of split_size elements of dim; the last may be smaller.";
  static std::vector<Tensor> kernel(const Tensor& self, int64_t split_size, int64_t dim) {
    const int64_t n = self.size(sliced_dim(self, dim));
    if (split_size < 0 || (split_size == 0 && n > 0))
      fail(TN_INVALID_ARGUMENT,
           "split_size is %lld for a dimension of size %lld; it must be positive",
           static_cast<long long>(split_size), static_cast<long long>(n));
    std::vector<int64_t> sizes;
    for (int64_t left = n; left > 0; left -= sizes.back())
      sizes.push_back(std::min(left, split_size));
    if (sizes.empty()) sizes.push_back(0);
    return SplitWithSizes::kernel(self, sizes, dim);
  }
};

// `count` parts of a tensor; a list of results cannot hold more than 2^32 - 1.
inline std::vector<int64_t> parts_of(int64_t count, int64_t size) {
  if (count > int64_t{0xffffffff})
    fail(TN_INVALID_ARGUMENT, "%lld parts are asked for; a list holds at most 4294967295",
         static_cast<long long>(count));
  return std::vector<int64_t>(static_cast<size_t>(count), size);
}

struct Chunk : view_of {
  static constexpr auto schema = "chunk(Tensor(a -> *) self, int chunks, int dim=0) -> Tensor(a)[]";
  static constexpr auto doc =
      "At most `chunks` parts of equal size along dim; the last may be smaller, and there may be "
      "fewer.";
  static std::vector<Tensor> kernel(const Tensor& self, int64_t chunks, int64_t dim) {
    if (chunks <= 0)
      fail(TN_INVALID_ARGUMENT, "chunks is %lld; it must be positive",
           static_cast<long long>(chunks));
    const int64_t n = self.size(sliced_dim(self, dim));
    if (n == 0) return SplitWithSizes::kernel(self, parts_of(chunks, 0), dim);
    return Split::kernel(self, n / chunks + (n % chunks != 0), dim);
  }
};

struct TensorSplit : view_of {
  static constexpr auto schema =
      "tensor_split.sections(Tensor(a -> *) self, int sections, int dim=0) -> Tensor(a)[]";
  static constexpr auto doc =
      "Exactly `sections` parts along dim, the first ones larger by one where needed.";
  static std::vector<Tensor> kernel(const Tensor& self, int64_t sections, int64_t dim) {
    if (sections <= 0)
      fail(TN_INVALID_ARGUMENT, "sections is %lld; it must be positive",
           static_cast<long long>(sections));
    const int64_t n = self.size(sliced_dim(self, dim));
    std::vector<int64_t> sizes = parts_of(sections, n / sections);
    for (int64_t i = 0; i < n % sections; ++i) ++sizes[static_cast<size_t>(i)];
    return SplitWithSizes::kernel(self, sizes, dim);
  }
};

struct TensorSplitIndices : view_of {
  static constexpr auto schema =
      "tensor_split.indices(Tensor(a -> *) self, int[] indices, int dim=0) -> Tensor(a)[]";
  static constexpr auto doc = "Parts of dim that end before each of the indices, and the rest.";
  static std::vector<Tensor> kernel(const Tensor& self, Ints indices, int64_t dim) {
    const int64_t d = sliced_dim(self, dim);
    std::vector<Tensor> parts;
    parts.reserve(indices.size() + 1);
    const int64_t n = self.size(d);
    auto clamped = [n](int64_t i) { return std::clamp(i < 0 ? i + n : i, int64_t{0}, n); };
    int64_t start = 0;
    for (size_t i = 0; i <= indices.size(); ++i) {
      const int64_t end = i < indices.size() ? clamped(indices[i]) : n;
      Geometry g(self);
      g.narrow(d, start, std::max(end - start, int64_t{0}));
      parts.push_back(make_view(self, g, TN_ALIAS_MULTI_OUTPUT));
      start = end;
    }
    return parts;
  }
};

struct Unbind : view_of {
  static constexpr auto schema = "unbind.int(Tensor(a -> *) self, int dim=0) -> Tensor(a)[]";
  static constexpr auto doc = "The slices at every index of dim, without that dimension.";
  static std::vector<Tensor> kernel(const Tensor& self, int64_t dim) {
    const int64_t d = sliced_dim(self, dim);
    std::vector<Tensor> parts;
    parts.reserve(static_cast<size_t>(self.size(d)));
    for (int64_t i = 0; i < self.size(d); ++i) {
      Geometry g(self);
      g.narrow(d, i, 1);
      g.erase(d);
      parts.push_back(make_view(self, g, TN_ALIAS_MULTI_OUTPUT));
    }
    return parts;
  }
};

using slice_ops = list<Select, Slice, Narrow, Diagonal, Unfold, Split, SplitSizes, SplitWithSizes,
                       Chunk, TensorSplit, TensorSplitIndices, Unbind>;

}  // namespace tn::ops
