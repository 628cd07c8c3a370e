// In-place views: a tensor's own sizes and strides changed, over the same memory.
#pragma once

#include <tenon/ops/shape.h>

namespace tn::ops {

struct restride : direct {
  static constexpr tn_device_rule device_rule = TN_DEVICE_ANY;
  static constexpr uint32_t flags = TN_OP_INPLACE_ONLY | TN_OP_NO_OUT;
  static void apply(const Tensor& self, const Geometry& g) {
    check(api->tensor_restride(self.get(), static_cast<int32_t>(g.rank), g.sizes, g.strides,
                               g.offset));
  }
};

struct SqueezeInPlace : restride {
  static constexpr auto schema = "squeeze_(Tensor(a!) self) -> Tensor(a!)";
  static constexpr auto doc = "Drops the dimensions of size 1.";
  static void kernel(const Tensor& self) {
    Geometry g(self);
    g.squeeze(~uint64_t{0});
    apply(self, g);
  }
  static constexpr auto complex_gradient = as_written;
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<sizes<0>>, [](auto g, Ints size) { return reshape(g, size); }));
};

struct SqueezeDimInPlace : restride {
  static constexpr auto schema = "squeeze_.dim(Tensor(a!) self, int dim) -> Tensor(a!)";
  static constexpr auto doc = "Drops dimension dim if its size is 1.";
  static void kernel(const Tensor& self, int64_t dim) {
    Geometry g(self);
    g.squeeze(dim_set({dim}, g.rank));
    apply(self, g);
  }
  static constexpr auto complex_gradient = as_written;
  static constexpr auto gradients = SqueezeInPlace::gradients;
};

struct UnsqueezeInPlace : restride {
  static constexpr auto schema = "unsqueeze_(Tensor(a!) self, int dim) -> Tensor(a!)";
  static constexpr auto doc = "Inserts a dimension of size 1 at dim.";
  static void kernel(const Tensor& self, int64_t dim) {
    Geometry g(self);
    g.unsqueeze(dim);
    apply(self, g);
  }
  static constexpr auto complex_gradient = as_written;
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<integer<1>>, [](auto g, int64_t dim) { return squeeze(g, dim); }));
};

struct TransposeInPlace : restride {
  static constexpr auto schema = "transpose_(Tensor(a!) self, int dim0, int dim1) -> Tensor(a!)";
  static constexpr auto doc = "Exchanges two dimensions.";
  static void kernel(const Tensor& self, int64_t dim0, int64_t dim1) {
    const int64_t a = wrap_dim(dim0, self.dim(), "dim0"), b = wrap_dim(dim1, self.dim(), "dim1");
    Geometry g(self);
    if (a != b) g.swap(a, b);
    apply(self, g);
  }
  static constexpr auto complex_gradient = as_written;
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<integer<1>, integer<2>>,
                  [](auto g, int64_t dim0, int64_t dim1) { return transpose(g, dim0, dim1); }));
};

struct TransposeMatrixInPlace : restride {
  static constexpr auto schema = "t_(Tensor(a!) self) -> Tensor(a!)";
  static constexpr auto doc = "Transposes a matrix; tensors of rank 0 and 1 stay as they are.";
  static void kernel(const Tensor& self) {
    if (self.dim() > 2)
      fail(TN_INVALID_ARGUMENT, "t_ expects a tensor of rank 2 at most, not %lld; use transpose_",
           static_cast<long long>(self.dim()));
    Geometry g(self);
    if (g.rank == 2) g.swap(0, 1);
    apply(self, g);
  }
  static constexpr auto complex_gradient = as_written;
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<>, [](auto g) { return t(g); }));
};

using restride_ops = list<SqueezeInPlace, SqueezeDimInPlace, UnsqueezeInPlace, TransposeInPlace,
                          TransposeMatrixInPlace>;

}  // namespace tn::ops
