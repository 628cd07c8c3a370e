// Copies of a tensor in which a part is replaced, and matrices made from their diagonals.
#pragma once

#include <tenon/ops/slice.h>

namespace tn::ops {

struct SelectScatter : composite {
  static constexpr auto schema =
      "select_scatter(Tensor self, Tensor src, int dim, int index) -> Tensor";
  static constexpr auto doc = "self with the slice at one index of dim replaced by src.";
  template <class T>
  static T decompose(const T& self, const T& src, int64_t dim, int64_t index) {
    return replaced(self, src, [&](const T& copy) { return select(copy, dim, index); });
  }
  // A copy of self in which `part`, a view of it, is src.
  template <class T, class Part>
  static T replaced(const T& self, const T& src, Part&& part) {
    const T copy = clone(self);
    const T place = part(copy);
    if (place.sizes() != src.sizes())
      fail(TN_INVALID_ARGUMENT, "src has shape %s; the part that it replaces has %s",
           shape_text(src.sizes()).c_str(), shape_text(place.sizes()).c_str());
    copy_(place, src);
    return copy;
  }
};

struct SliceScatter : composite {
  static constexpr auto schema =
      "slice_scatter(Tensor self, Tensor src, int dim=0, int? start=None, int? end=None, int "
      "step=1) -> Tensor";
  static constexpr auto doc =
      "self with elements start, start + step, ... before end of dim replaced by src.";
  template <class T>
  static T decompose(const T& self, const T& src, int64_t dim, std::optional<int64_t> start,
                     std::optional<int64_t> end, int64_t step) {
    return SelectScatter::replaced(
        self, src, [&](const T& copy) { return slice(copy, dim, start, end, step); });
  }
};

struct DiagonalScatter : composite {
  static constexpr auto schema =
      "diagonal_scatter(Tensor self, Tensor src, int offset=0, int dim1=0, int dim2=1) -> Tensor";
  static constexpr auto doc = "self with a diagonal replaced by src.";
  template <class T>
  static T decompose(const T& self, const T& src, int64_t offset, int64_t dim1, int64_t dim2) {
    return SelectScatter::replaced(
        self, src, [&](const T& copy) { return diagonal(copy, offset, dim1, dim2); });
  }
};

struct DiagEmbed : composite {
  static constexpr auto schema =
      "diag_embed(Tensor self, int offset=0, int dim1=-2, int dim2=-1) -> Tensor";
  static constexpr auto doc =
      "Matrices, in the new dimensions dim1 and dim2, whose diagonal is the last dimension of "
      "self; zero elsewhere.";
  template <class T>
  static T decompose(const T& self, int64_t offset, int64_t dim1, int64_t dim2) {
    const int64_t rank = self.dim() + 1;
    const int64_t a = wrap_dim(dim1, rank, "dim1"), b = wrap_dim(dim2, rank, "dim2");
    if (self.dim() == 0 || a == b)
      fail(TN_INVALID_ARGUMENT,
           "self is %s and the dimensions are %lld and %lld; a diagonal and two dimensions are "
           "needed",
           self.describe().c_str(), static_cast<long long>(a), static_cast<long long>(b));
    int64_t n;
    if (offset < 0 ? __builtin_sub_overflow(self.size(-1), offset, &n)
                   : __builtin_add_overflow(self.size(-1), offset, &n))
      fail(TN_INVALID_ARGUMENT, "offset is %lld; no matrix is that large",
           static_cast<long long>(offset));
    Geometry g;
    for (int64_t d = 0; d < self.dim() - 1; ++d) g.append(self.size(d), 0);
    g.insert(std::min(a, b), n, 0);
    g.insert(std::max(a, b), n, 0);
    const T out = new_zeros(self, g.shape());
    copy_(diagonal(out, offset, a, b), self);
    return out;
  }
};

struct Diag : composite {
  static constexpr auto schema = "diag(Tensor self, int diagonal=0) -> Tensor";
  static constexpr auto doc =
      "The matrix that has a vector on that diagonal, or a copy of that diagonal of a matrix.";
  template <class T>
  static T decompose(const T& self, int64_t offset) {
    if (self.dim() == 1) return diag_embed(self, offset);
    if (self.dim() != 2)
      fail(TN_INVALID_ARGUMENT, "self is %s; a vector or a matrix is needed",
           self.describe().c_str());
    return clone(diagonal(self, offset), TN_CONTIGUOUS);
  }
};

using slice_scatter_ops = list<SelectScatter, SliceScatter, DiagonalScatter, DiagEmbed, Diag>;

}  // namespace tn::ops
