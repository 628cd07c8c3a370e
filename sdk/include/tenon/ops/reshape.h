// Other shapes for the same elements, copied where the strides forbid a view.
#pragma once

#include <tenon/ops/shape.h>

namespace tn::ops {

// Not a view row itself: where the strides forbid a view it copies, and both calls are recorded.
struct Reshape : composite {
  static constexpr auto schema = "reshape(Tensor(a) self, int[] shape) -> Tensor(a)";
  static constexpr auto doc =
      "The elements in row-major order in another shape; one size may be -1. A view where "
      "possible, else a copy.";
  static constexpr uint32_t flags = TN_OP_NO_OUT;
  template <class T>
  static T decompose(const T& self, Ints shape) {
    Geometry g;
    resolve_shape(shape, self.numel(), g);
    if (view_strides(self, g)) return view(self, g.shape());
    return view(clone(self, TN_CONTIGUOUS), g.shape());
  }
};

struct Flatten : composite {
  static constexpr auto schema =
      "flatten.using_ints(Tensor(a) self, int start_dim=0, int end_dim=-1) -> Tensor(a)";
  static constexpr auto doc = "Dimensions start_dim to end_dim, both included, as one.";
  static constexpr uint32_t flags = TN_OP_NO_OUT;
  template <class T>
  static T decompose(const T& self, int64_t start_dim, int64_t end_dim) {
    const int64_t rank = self.dim();
    const int64_t first = wrap_dim(start_dim, rank, "start_dim");
    const int64_t last = wrap_dim(end_dim, rank, "end_dim");
    if (first > last)
      fail(TN_INVALID_ARGUMENT,
           "start_dim is %lld and end_dim is %lld; start_dim must not come after end_dim",
           static_cast<long long>(first), static_cast<long long>(last));
    if (rank == 0) return reshape(self, {1});
    Geometry g;
    int64_t merged = 1;
    for (int64_t d = 0; d < rank; ++d) {
      if (d < first || d > last)
        g.append(self.size(d), 1);
      else
        merged *= self.size(d);
      if (d == last) g.append(merged, 1);
    }
    return reshape(self, g.shape());
  }
};

struct Ravel : composite {
  static constexpr auto schema = "ravel(Tensor(a) self) -> Tensor(a)";
  static constexpr auto doc = "The elements in row-major order in one dimension.";
  static constexpr uint32_t flags = TN_OP_NO_OUT;
  template <class T>
  static T decompose(const T& self) {
    return reshape(self, {-1});
  }
};

struct raised : composite {
  static constexpr uint32_t flags = TN_OP_NO_OUT | TN_OP_RETURNS_ARGUMENT;
};
struct AtLeast1d : raised {
  static constexpr auto schema = "atleast_1d(Tensor self) -> Tensor";
  static constexpr auto doc = "A number as [1]; other tensors as they are.";
  template <class T>
  static T decompose(const T& self) {
    return self.dim() == 0 ? view(self, {1}) : self;
  }
};
struct AtLeast2d : raised {
  static constexpr auto schema = "atleast_2d(Tensor self) -> Tensor";
  static constexpr auto doc = "A number as [1, 1], a vector as one row; other tensors as they are.";
  template <class T>
  static T decompose(const T& self) {
    return self.dim() == 0 ? view(self, {1, 1}) : self.dim() == 1 ? unsqueeze(self, 0) : self;
  }
};
struct AtLeast3d : raised {
  static constexpr auto schema = "atleast_3d(Tensor self) -> Tensor";
  static constexpr auto doc =
      "A number as [1, 1, 1], a vector of n as [1, n, 1], a matrix with a last dimension of 1; "
      "other tensors as they are.";
  template <class T>
  static T decompose(const T& self) {
    if (self.dim() == 0) return view(self, {1, 1, 1});
    if (self.dim() == 1) return unsqueeze(unsqueeze(self, 0), 2);
    return self.dim() == 2 ? unsqueeze(self, 2) : self;
  }
};

using reshape_ops = list<Reshape, Flatten, Ravel, AtLeast1d, AtLeast2d, AtLeast3d>;

}  // namespace tn::ops
