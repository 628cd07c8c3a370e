// Views: tensors that show the memory of another one. Metadata only, on any device.
//
// No row here has a gradient formula: autograd differentiates a view by its geometry, which the
// view remembers. Names, defaults and rules are PyTorch's.
#pragma once

#include <tenon/ops/shape.h>

namespace tn::ops {

struct Alias : view_of {
  static constexpr auto schema = "alias(Tensor(a) self) -> Tensor(a)";
  static constexpr auto doc = "A view of the whole tensor.";
  static Tensor kernel(const Tensor& self) { return make_view(self, Geometry(self)); }
};

struct Detach : view_of {
  static constexpr auto schema = "detach(Tensor(a) self) -> Tensor(a)";
  static constexpr auto doc = "The same memory as a tensor that no gradient flows through.";
  static constexpr uint32_t flags = view_of::flags | TN_OP_NOT_DIFFERENTIABLE;
  static Tensor kernel(const Tensor& self) {
    tn_tensor* out = nullptr;
    check(api->tensor_shallow(self.get(), &out));
    return Tensor::own(out);
  }
};

struct AsStrided : view_of {
  static constexpr auto schema =
      "as_strided(Tensor(a) self, int[] size, int[] stride, int? storage_offset=None) -> Tensor(a)";
  static constexpr auto doc =
      "A view with sizes, strides and offset in elements of the storage. Every element must lie "
      "inside it.";
  static Tensor kernel(const Tensor& self, Ints size, Ints stride,
                       std::optional<int64_t> storage_offset) {
    require_sizes(size);
    if (size.size() != stride.size())
      fail(TN_INVALID_ARGUMENT, "size %s and stride %s differ in length", shape_text(size).c_str(),
           shape_text(stride).c_str());
    Geometry g;
    g.offset = storage_offset.value_or(self.storage_offset());
    if (g.offset < 0)
      fail(TN_INVALID_ARGUMENT, "storage_offset is %lld; it must be 0 or more",
           static_cast<long long>(g.offset));
    for (size_t d = 0; d < size.size(); ++d) {
      if (stride[d] < 0)
        fail(TN_INVALID_ARGUMENT, "stride %s has a negative entry; strides are 0 or more",
             shape_text(stride).c_str());
      g.append(size[d], stride[d]);
    }
    return make_view(self, g);
  }
};

struct View : view_of {
  static constexpr auto schema = "view(Tensor(a) self, int[] size) -> Tensor(a)";
  static constexpr auto doc =
      "A view of another shape with as many elements; one size may be -1. Error where the strides "
      "do not allow it: reshape copies then.";
  static Tensor kernel(const Tensor& self, Ints size) {
    Geometry g;
    g.offset = self.storage_offset();
    resolve_shape(size, self.numel(), g);
    if (!view_strides(self, g))
      fail(TN_INVALID_ARGUMENT,
           "shape %s is no view of a tensor of shape %s and strides %s: a dimension would span "
           "memory that is not evenly spaced; use reshape, which copies",
           shape_text(size).c_str(), shape_text(self.sizes()).c_str(),
           shape_text(self.strides()).c_str());
    return make_view(self, g);
  }
};

struct ViewAs : view_of {
  static constexpr auto schema = "view_as(Tensor(a) self, Tensor other) -> Tensor(a)";
  static constexpr auto doc = "A view of the shape of other.";
  static Tensor kernel(const Tensor& self, const Tensor& other) {
    return View::kernel(self, other.sizes());
  }
};

struct ViewDtype : view_of {
  static constexpr auto schema = "view.dtype(Tensor(a) self, ScalarType dtype) -> Tensor(a)";
  static constexpr auto doc =
      "The same bytes as elements of another dtype. Where the sizes of the dtypes differ, the last "
      "dimension shrinks or grows and must be dense.";
  static constexpr uint32_t flags = view_of::flags | TN_OP_NOT_DIFFERENTIABLE;
  static Tensor kernel(const Tensor& self, DType dtype) {
    const int64_t from = api->dtype_size(self.dtype()), to = api->dtype_size(dtype);
    Geometry g(self);
    if (from == to) return make_view(self, g, dtype);
    const char* names[] = {api->dtype_name(self.dtype()), api->dtype_name(dtype)};
    if (g.rank == 0)
      fail(TN_INVALID_ARGUMENT, "a 0-dim tensor of %s seen as %s, whose size differs", names[0],
           names[1]);
    if (g.strides[g.rank - 1] != 1)
      fail(TN_INVALID_ARGUMENT, "%s seen as %s needs a last dimension of stride 1; it is %lld",
           names[0], names[1], static_cast<long long>(g.strides[g.rank - 1]));
    const int64_t ratio = from > to ? from / to : to / from;
    auto rescale = [&](int64_t& value, const char* what) {
      if (from > to) {
        value = stride_product(value, ratio);
      } else if (value % ratio == 0) {
        value /= ratio;
      } else {
        fail(TN_INVALID_ARGUMENT, "%s seen as %s needs %s divisible by %lld; it is %lld", names[0],
             names[1], what, static_cast<long long>(ratio), static_cast<long long>(value));
      }
    };
    rescale(g.sizes[g.rank - 1], "a last dimension");
    rescale(g.offset, "a storage offset");
    for (int64_t d = 0; d < g.rank - 1; ++d) rescale(g.strides[d], "strides");
    return make_view(self, g, dtype);
  }
};

struct Unflatten : view_of {
  static constexpr auto schema = "unflatten.int(Tensor(a) self, int dim, int[] sizes) -> Tensor(a)";
  static constexpr auto doc = "Dimension dim as several of the given sizes; one may be -1.";
  static Tensor kernel(const Tensor& self, int64_t dim, Ints sizes) {
    const int64_t d = wrap_dim(dim, self.dim());
    if (self.dim() == 0) fail(TN_INVALID_ARGUMENT, "a 0-dim tensor has no dimension to unflatten");
    if (sizes.empty()) fail(TN_INVALID_ARGUMENT, "sizes is empty; name at least one");
    Geometry parts;
    resolve_shape(sizes, self.size(d), parts);
    Geometry g(self);
    int64_t step = g.strides[d];
    g.erase(d);
    for (int64_t i = parts.rank - 1; i >= 0; --i) {
      g.insert(d, parts.sizes[i], step);
      step = stride_product(step, std::max<int64_t>(parts.sizes[i], 1));
    }
    return make_view(self, g);
  }
};

struct Permute : view_of {
  static constexpr auto schema = "permute(Tensor(a) self, int[] dims) -> Tensor(a)";
  static constexpr auto doc = "The dimensions in another order.";
  static Tensor kernel(const Tensor& self, Ints dims) {
    if (static_cast<int64_t>(dims.size()) != self.dim())
      fail(TN_INVALID_ARGUMENT,
           "dims %s names %zu dimensions of a tensor of rank %lld; permute needs each of them",
           shape_text(dims).c_str(), dims.size(), static_cast<long long>(self.dim()));
    dim_set(dims, self.dim());
    Geometry g;
    g.offset = self.storage_offset();
    for (int64_t dim : dims) g.append(self.size(dim), self.stride(dim));
    return make_view(self, g);
  }
};

struct Transpose : view_of {
  static constexpr auto schema = "transpose.int(Tensor(a) self, int dim0, int dim1) -> Tensor(a)";
  static constexpr auto doc = "Two dimensions exchanged.";
  static Tensor kernel(const Tensor& self, int64_t dim0, int64_t dim1) {
    const int64_t a = wrap_dim(dim0, self.dim(), "dim0"), b = wrap_dim(dim1, self.dim(), "dim1");
    Geometry g(self);
    if (a != b) g.swap(a, b);
    return make_view(self, g);
  }
};

struct SwapAxes : Transpose {
  static constexpr auto schema = "swapaxes(Tensor(a) self, int axis0, int axis1) -> Tensor(a)";
  static constexpr auto doc = "Another name of transpose.";
};

struct SwapDims : Transpose {
  static constexpr auto schema = "swapdims(Tensor(a) self, int dim0, int dim1) -> Tensor(a)";
  static constexpr auto doc = "Another name of transpose.";
};

struct TransposeMatrix : view_of {
  static constexpr auto schema = "t(Tensor(a) self) -> Tensor(a)";
  static constexpr auto doc = "A matrix transposed; tensors of rank 0 and 1 as they are.";
  static Tensor kernel(const Tensor& self) {
    if (self.dim() > 2)
      fail(TN_INVALID_ARGUMENT,
           "t expects a tensor of rank 2 at most, not %lld; use transpose or permute",
           static_cast<long long>(self.dim()));
    Geometry g(self);
    if (g.rank == 2) g.swap(0, 1);
    return make_view(self, g);
  }
};

struct MoveDims : view_of {
  static constexpr auto schema =
      "movedim.intlist(Tensor(a) self, int[] source, int[] destination) -> Tensor(a)";
  static constexpr auto doc =
      "Dimensions of source moved to destination; the others keep their order.";
  static Tensor kernel(const Tensor& self, Ints source, Ints destination) {
    if (source.size() != destination.size())
      fail(TN_INVALID_ARGUMENT, "source %s and destination %s differ in length",
           shape_text(source).c_str(), shape_text(destination).c_str());
    const int64_t rank = self.dim();
    const uint64_t moved = dim_set(source, rank);
    dim_set(destination, rank);
    if (rank == 0) return make_view(self, Geometry(self));
    int64_t from[TN_MAX_DIMS];
    std::fill(from, from + rank, -1);
    for (size_t i = 0; i < source.size(); ++i)
      from[wrap_dim(destination[i], rank)] = wrap_dim(source[i], rank);
    Geometry g;
    g.offset = self.storage_offset();
    int64_t next = 0;
    for (int64_t d = 0; d < rank; ++d) {
      if (from[d] < 0) {
        while (moved >> next & 1) ++next;
        from[d] = next++;
      }
      g.append(self.size(from[d]), self.stride(from[d]));
    }
    return make_view(self, g);
  }
};

struct MoveDim : view_of {
  static constexpr auto schema =
      "movedim.int(Tensor(a) self, int source, int destination) -> Tensor(a)";
  static constexpr auto doc = "One dimension moved to another place.";
  static Tensor kernel(const Tensor& self, int64_t source, int64_t destination) {
    return MoveDims::kernel(self, {source}, {destination});
  }
};

struct MoveAxes : MoveDims {
  static constexpr auto schema =
      "moveaxis.intlist(Tensor(a) self, int[] source, int[] destination) -> Tensor(a)";
  static constexpr auto doc = "Another name of movedim.";
};

struct MoveAxis : MoveDim {
  static constexpr auto schema =
      "moveaxis.int(Tensor(a) self, int source, int destination) -> Tensor(a)";
  static constexpr auto doc = "Another name of movedim.";
};

struct Expand : view_of {
  static constexpr auto schema =
      "expand(Tensor(a) self, int[] size, *, bool implicit=False) -> Tensor(a)";
  static constexpr auto doc =
      "Dimensions of size 1 repeated to size without memory, new ones in front; -1 keeps a size.";
  static Tensor kernel(const Tensor& self, Ints size, bool) {
    Geometry g(self);
    expand_to(g, size);
    return make_view(self, g);
  }
};

struct BroadcastTo : view_of {
  static constexpr auto schema = "broadcast_to(Tensor(a) self, int[] size) -> Tensor(a)";
  static constexpr auto doc = "Another name of expand.";
  static Tensor kernel(const Tensor& self, Ints size) { return Expand::kernel(self, size, false); }
};

struct ExpandAs : view_of {
  static constexpr auto schema = "expand_as(Tensor(a) self, Tensor other) -> Tensor(a)";
  static constexpr auto doc = "Expanded to the shape of other.";
  static Tensor kernel(const Tensor& self, const Tensor& other) {
    return Expand::kernel(self, other.sizes(), false);
  }
};

struct Squeeze : view_of {
  static constexpr auto schema = "squeeze(Tensor(a) self) -> Tensor(a)";
  static constexpr auto doc = "Without the dimensions of size 1.";
  static Tensor kernel(const Tensor& self) {
    Geometry g(self);
    g.squeeze(~uint64_t{0});
    return make_view(self, g);
  }
};

struct SqueezeDims : view_of {
  static constexpr auto schema = "squeeze.dims(Tensor(a) self, int[] dim) -> Tensor(a)";
  static constexpr auto doc = "Without those of the named dimensions whose size is 1.";
  static Tensor kernel(const Tensor& self, Ints dim) {
    Geometry g(self);
    g.squeeze(dim_set(dim, g.rank));
    return make_view(self, g);
  }
};

struct SqueezeDim : view_of {
  static constexpr auto schema = "squeeze.dim(Tensor(a) self, int dim) -> Tensor(a)";
  static constexpr auto doc = "Without dimension dim if its size is 1.";
  static Tensor kernel(const Tensor& self, int64_t dim) { return SqueezeDims::kernel(self, {dim}); }
};

struct Unsqueeze : view_of {
  static constexpr auto schema = "unsqueeze(Tensor(a) self, int dim) -> Tensor(a)";
  static constexpr auto doc = "With a new dimension of size 1 at dim.";
  static Tensor kernel(const Tensor& self, int64_t dim) {
    Geometry g(self);
    g.unsqueeze(dim);
    return make_view(self, g);
  }
};

using view_ops =
    list<Alias, Detach, AsStrided, View, ViewDtype, ViewAs, Unflatten, Permute, Transpose, SwapAxes,
         SwapDims, TransposeMatrix, MoveDim, MoveDims, MoveAxis, MoveAxes, Expand, BroadcastTo,
         ExpandAs, Squeeze, SqueezeDim, SqueezeDims, Unsqueeze>;

}  // namespace tn::ops
