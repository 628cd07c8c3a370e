// Reading and writing at the indices that a tensor holds.
//
// Index tensors are i32 or i64 and count from 0; negative ones are errors, as in PyTorch. Kernels
// check every index against the dimension before they write anything.
#pragma once

#include <tenon/ops/factor.h>
#include <tenon/ops/shape.h>

namespace tn::ops {

inline void require_index(const Tensor& index) {
  if (index.dtype() != TN_I64 && index.dtype() != TN_I32)
    fail(TN_TYPE_ERROR, "index is %s; it must be i64 or i32", index.describe().c_str());
}

// A vector of indices: rank 1, or 0 for a single one.
inline void require_index_vector(const Tensor& index) {
  require_index(index);
  if (index.dim() > 1)
    fail(TN_INVALID_ARGUMENT, "index is %s; it must be a vector", index.describe().c_str());
}

inline void require_same_dtype(const Tensor& self, const Tensor& other, const char* name) {
  if (self.dtype() != other.dtype())
    fail(TN_TYPE_ERROR, "self is %s and %s is %s; they must have the same dtype",
         self.describe().c_str(), name, other.describe().c_str());
}

// The size in a dimension; a 0-dim tensor counts as a vector of one element.
template <class T>
auto size_as_vector(const T& t, int64_t d) {
  return t.dim() == 0 ? 1 : t.size(d);
}

// gather and scatter: index has the rank of `t` and does not exceed it, except in `dim`.
inline void require_index_within(const Tensor& index, const Tensor& t, const char* name,
                                 int64_t dim, bool also_in_dim) {
  const int64_t rank = std::max<int64_t>(t.dim(), 1);
  if (std::max<int64_t>(index.dim(), 1) != rank)
    fail(TN_INVALID_ARGUMENT, "index is %s and %s is %s; their ranks must agree",
         index.describe().c_str(), name, t.describe().c_str());
  for (int64_t d = 0; d < rank; ++d)
    if ((d != dim || also_in_dim) && size_as_vector(index, d) > size_as_vector(t, d))
      fail(TN_INVALID_ARGUMENT,
           "index is %s and %s is %s; index must not be larger in dimension %lld",
           index.describe().c_str(), name, t.describe().c_str(), static_cast<long long>(d));
}

// Operators that change some elements of self: the result starts as self.
struct updates_self : structured {
  static constexpr uint32_t flags = TN_OP_UPDATES_SELF | TN_OP_INPLACE;
};

struct IndexSelect : structured {
  static constexpr auto schema = "index_select(Tensor self, int dim, Tensor index) -> Tensor";
  static constexpr auto doc = "The slices of dim at the indices of a vector, in its order.";
  static void infer(const Tensor& self, int64_t dim, const Tensor& index, MetaOut out) {
    require_index_vector(index);
    const int64_t d = wrap_dim(dim, self.dim());
    if (self.dim() == 0) {
      if (index.numel() != 1)
        fail(TN_INVALID_ARGUMENT, "index has %lld elements; a 0-dim tensor has one slice",
             static_cast<long long>(index.numel()));
      out.set({}, self.dtype());
      return;
    }
    Geometry g(self);
    g.sizes[d] = index.numel();
    out.set(g.shape(), self.dtype());
  }
  static constexpr auto complex_gradient = as_written;
  static constexpr auto gradients = std::make_tuple(gradient<0>(
      reads<sizes<0>, integer<1>, arg<2>>, [](auto g, Ints size, int64_t dim, auto index) {
        return index_add(new_zeros(g, size), dim, index, g);
      }));
};

struct IndexAdd : updates_self {
  static constexpr auto schema =
      "index_add(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor";
  static constexpr auto doc =
      "self with alpha times slice i of source added to slice index[i], for each i; an index that "
      "occurs several times gets all of them.";
  static void infer(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
                    const Scalar& alpha, MetaOut out) {
    require_index_vector(index);
    require_same_dtype(self, source, "source");
    const int64_t d = wrap_dim(dim, self.dim());
    require_factor("alpha", alpha, self);
    const tn::dim slices = source.dim() == 0 ? 1 : d < source.dim() ? source.size(d) : -1;
    bool match = source.dim() == self.dim() && slices == index.numel();
    for (int64_t k = 0; match && k < self.dim(); ++k)
      match = k == d || source.size(k) == self.size(k);
    if (!match)
      fail(TN_INVALID_ARGUMENT,
           "source is %s for self %s and %lld indices of dimension %lld; it must have the sizes of "
           "self, and as many slices in that dimension as there are indices",
           source.describe().c_str(), self.describe().c_str(),
           static_cast<long long>(index.numel()), static_cast<long long>(d));
    out.like(self);
  }
  static constexpr auto complex_gradient = holomorphic;
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<>, [](auto g) { return g; }),
                      gradient<3>(reads<integer<1>, arg<2>, number<4>>,
                                  [](auto g, int64_t dim, auto index, const Scalar& alpha) {
                                    return mul(index_select(g, dim, index), alpha);
                                  }));
};

struct Gather : structured {
  static constexpr auto schema =
      "gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor";
  static constexpr auto doc =
      "out[i][j][k] = self[index[i][j][k]][j][k] for dim 0, and so on: one element of a line of "
      "self for each index. The result has the shape of index.";
  static void infer(const Tensor& self, int64_t dim, const Tensor& index, bool, MetaOut out) {
    require_index(index);
    const int64_t d = wrap_dim(dim, self.dim());
    if (index.numel() != 0) require_index_within(index, self, "self", d, false);
    out.set(index.sizes(), self.dtype());
  }
  static constexpr auto complex_gradient = as_written;
  static constexpr auto gradients = std::make_tuple(gradient<0>(
      reads<sizes<0>, integer<1>, arg<2>>, [](auto g, Ints size, int64_t dim, auto index) {
        return scatter_add(new_zeros(g, size), dim, index, g);
      }));
};

// What of src was read: the part that index covers. The rest had no influence.
template <class T>
T source_gradient(const T& g, int64_t dim, const T& index, Ints size) {
  if (index.sizes() == size) return gather(g, dim, index);
  const T whole = new_zeros(g, size);
  if (index.numel() == 0) return whole;
  T part = whole;
  for (int64_t d = 0; d < whole.dim(); ++d) part = narrow(part, d, 0, size_as_vector(index, d));
  copy_(part, reshape(gather(g, dim, index), part.sizes()));
  return whole;
}

struct Scatter : updates_self {
  static constexpr auto schema =
      "scatter.src(Tensor self, int dim, Tensor index, Tensor src) -> Tensor";
  static constexpr auto doc =
      "self with out[index[i][j][k]][j][k] = src[i][j][k] for dim 0, and so on. An index that "
      "occurs several times keeps one of them.";
  static void infer(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                    MetaOut out) {
    require_index(index);
    require_same_dtype(self, src, "src");
    const int64_t d = wrap_dim(dim, self.dim());
    if (index.numel() != 0) {
      require_index_within(index, self, "self", d, false);
      require_index_within(index, src, "src", d, true);
    }
    out.like(self);
  }
  static constexpr auto complex_gradient = as_written;
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<integer<1>, arg<2>>,
                  [](auto g, int64_t dim, auto index) { return scatter(g, dim, index, 0); }),
      gradient<3>(reads<integer<1>, arg<2>, sizes<3>>,
                  [](auto g, int64_t dim, auto index, Ints size) {
                    return source_gradient(g, dim, index, size);
                  }));
};

struct ScatterValue : updates_self {
  static constexpr auto schema =
      "scatter.value(Tensor self, int dim, Tensor index, Scalar value) -> Tensor";
  static constexpr auto doc = "self with out[index[i][j][k]][j][k] = value for dim 0, and so on.";
  static void infer(const Tensor& self, int64_t dim, const Tensor& index, const Scalar& value,
                    MetaOut out) {
    require_index(index);
    require_fits(self.dtype(), value.value());
    const int64_t d = wrap_dim(dim, self.dim());
    if (index.numel() != 0) require_index_within(index, self, "self", d, false);
    out.like(self);
  }
  static constexpr auto complex_gradient = as_written;
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<integer<1>, arg<2>>, [](auto g, int64_t dim, auto index) {
        return scatter(g, dim, index, 0);
      }));
};

struct ScatterAdd : updates_self {
  static constexpr auto schema =
      "scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> Tensor";
  static constexpr auto doc =
      "self with src[i][j][k] added to out[index[i][j][k]][j][k] for dim 0, and so on; an index "
      "that occurs several times gets all of them.";
  static void infer(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                    MetaOut out) {
    Scatter::infer(self, dim, index, src, out);
  }
  static constexpr auto complex_gradient = as_written;
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<>, [](auto g) { return g; }),
                      gradient<3>(reads<integer<1>, arg<2>, sizes<3>>,
                                  [](auto g, int64_t dim, auto index, Ints size) {
                                    return source_gradient(g, dim, index, size);
                                  }));
};

struct TakeAlongDim : composite {
  static constexpr auto schema =
      "take_along_dim(Tensor self, Tensor indices, int? dim=None) -> Tensor";
  static constexpr auto doc =
      "As gather, but indices and self broadcast in the other dimensions; without dim both are "
      "flat.";
  static constexpr tn_device_rule device_rule = TN_DEVICE_SAME;
  template <class T>
  static T decompose(const T& self, const T& indices, std::optional<int64_t> dim) {
    if (!dim) return gather(reshape(self, {-1}), 0, reshape(indices, {-1}));
    if (self.dim() != indices.dim())
      fail(TN_INVALID_ARGUMENT, "self is %s and indices is %s; their ranks must agree",
           self.describe().c_str(), indices.describe().c_str());
    const int64_t d = wrap_dim(*dim, self.dim());
    if (self.dim() == 0) return gather(self, 0, indices);
    Geometry whole(self), at(indices);
    for (int64_t k = 0; k < whole.rank; ++k) {
      if (k == d) continue;
      if (whole.sizes[k] == 1) whole.sizes[k] = at.sizes[k];
      if (at.sizes[k] == 1) at.sizes[k] = whole.sizes[k];
    }
    return gather(expand(self, whole.shape()), d, expand(indices, at.shape()));
  }
};

using index_ops =
    list<IndexSelect, IndexAdd, Gather, Scatter, ScatterValue, ScatterAdd, TakeAlongDim>;

}  // namespace tn::ops
