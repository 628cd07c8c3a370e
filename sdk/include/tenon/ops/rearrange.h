// The elements of one tensor in other places: mirrored, repeated, shifted, or a triangle of them.
#pragma once

#include <tenon/ops/shape.h>

namespace tn::ops {

struct Flip : structured {
  static constexpr auto schema = "flip(Tensor self, int[] dims) -> Tensor";
  static constexpr auto doc = "The elements of the named dimensions in reverse order.";
  static void infer(const Tensor& self, Ints dims, MetaOut out) {
    dim_set(dims, self.dim());
    out.like(self);
  }
  static constexpr auto complex_gradient = as_written;
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<ints<1>>, [](auto g, Ints dims) { return flip(g, dims); }));
};

struct FlipLeftRight : composite {
  static constexpr auto schema = "fliplr(Tensor self) -> Tensor";
  static constexpr auto doc = "The columns in reverse order.";
  template <class T>
  static T decompose(const T& self) {
    if (self.dim() < 2)
      fail(TN_INVALID_ARGUMENT, "self is %s; rank 2 at least is needed", self.describe().c_str());
    return flip(self, {1});
  }
};

struct FlipUpDown : composite {
  static constexpr auto schema = "flipud(Tensor self) -> Tensor";
  static constexpr auto doc = "The rows in reverse order.";
  template <class T>
  static T decompose(const T& self) {
    if (self.dim() < 1)
      fail(TN_INVALID_ARGUMENT, "self is %s; rank 1 at least is needed", self.describe().c_str());
    return flip(self, {0});
  }
};

struct Rot90 : composite {
  static constexpr auto schema = "rot90(Tensor self, int k=1, int[] dims=[0, 1]) -> Tensor";
  static constexpr auto doc =
      "Turned k times by 90 degrees in the plane of dims, from the first towards the second.";
  template <class T>
  static T decompose(const T& self, int64_t k, Ints dims) {
    if (dims.size() != 2)
      fail(TN_INVALID_ARGUMENT, "dims is %s; a plane has two", shape_text(dims).c_str());
    dim_set(dims, self.dim());
    switch ((k % 4 + 4) % 4) {
      case 1:
        return transpose(flip(self, {dims[1]}), dims[0], dims[1]);
      case 2:
        return flip(self, dims);
      case 3:
        return transpose(flip(self, {dims[0]}), dims[0], dims[1]);
      default:
        return clone(self);
    }
  }
};

struct triangle : structured {
  static constexpr uint32_t flags = TN_OP_INPLACE;
  static void infer(const Tensor& self, int64_t, MetaOut out) {
    if (self.dim() < 2)
      fail(TN_INVALID_ARGUMENT, "self is %s; a matrix or a batch of matrices is needed",
           self.describe().c_str());
    out.set(self.sizes(), self.dtype());
  }
};

struct Tril : triangle {
  static constexpr auto schema = "tril(Tensor self, int diagonal=0) -> Tensor";
  static constexpr auto doc =
      "The part of each matrix on and below a diagonal, zero elsewhere. diagonal > 0 lies above "
      "the main one.";
  static constexpr auto complex_gradient = as_written;
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<integer<1>>, [](auto g, int64_t diagonal) { return tril(g, diagonal); }));
};

struct Triu : triangle {
  static constexpr auto schema = "triu(Tensor self, int diagonal=0) -> Tensor";
  static constexpr auto doc =
      "The part of each matrix on and above a diagonal, zero elsewhere. diagonal > 0 lies above "
      "the main one.";
  static constexpr auto complex_gradient = as_written;
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<integer<1>>, [](auto g, int64_t diagonal) { return triu(g, diagonal); }));
};

struct Repeat : composite {
  static constexpr auto schema = "repeat(Tensor self, int[] repeats) -> Tensor";
  static constexpr auto doc =
      "self laid out repeats[i] times along dimension i; more repeats than dimensions make new "
      "ones in front.";
  template <class T>
  static T decompose(const T& self, Ints repeats) {
    const int64_t rank = static_cast<int64_t>(repeats.size()), added = rank - self.dim();
    if (added < 0)
      fail(TN_INVALID_ARGUMENT,
           "%lld repeats %s for a tensor of rank %lld; at least one per dimension is needed",
           static_cast<long long>(rank), shape_text(repeats).c_str(),
           static_cast<long long>(self.dim()));
    require_sizes(repeats);
    // [a, b] repeated (m, n) times is [m, a, n, b] with strides 0 in m and n, read in order.
    Geometry single, repeated, result;
    for (int64_t d = 0; d < rank; ++d) {
      const int64_t times = repeats[static_cast<size_t>(d)];
      const int64_t size = d < added ? 1 : self.size(d - added);
      if (times != 1 && size != 1) {
        single.append(1, 0);
        repeated.append(times, 0);
      }
      single.append(size, 0);
      repeated.append(size == 1 ? times : size, 0);
      int64_t total = 0;
      if (__builtin_mul_overflow(times, size, &total))
        fail(TN_INVALID_ARGUMENT, "repeats %s of shape %s exceed int64",
             shape_text(repeats).c_str(), shape_text(self.sizes()).c_str());
      result.append(total, 0);
    }
    return view(clone(expand(reshape(self, single.shape()), repeated.shape()), TN_CONTIGUOUS),
                result.shape());
  }
};

struct Tile : composite {
  static constexpr auto schema = "tile(Tensor self, int[] dims) -> Tensor";
  static constexpr auto doc =
      "As repeat; with fewer numbers than dimensions, the first dimensions stay as they are.";
  template <class T>
  static T decompose(const T& self, Ints dims) {
    std::vector<int64_t> repeats(dims.begin(), dims.end());
    const int64_t missing = self.dim() - static_cast<int64_t>(dims.size());
    if (missing > 0) repeats.insert(repeats.begin(), static_cast<size_t>(missing), 1);
    return repeat(self, repeats);
  }
};

struct Roll : composite {
  static constexpr auto schema = "roll(Tensor self, int[1] shifts, int[1] dims=[]) -> Tensor";
  static constexpr auto doc =
      "Elements moved by shifts along dims; those moved out at the end come in at the start. "
      "Without dims the tensor is rolled as if it were flat.";
  template <class T>
  static T decompose(const T& self, Ints shifts, Ints dims) {
    if (dims.empty() && shifts.size() == 1)
      return view(rolled(reshape(self, {-1}), shifts[0], 0), self.sizes());
    if (shifts.empty() || shifts.size() != dims.size())
      fail(TN_INVALID_ARGUMENT, "shifts %s and dims %s differ in length",
           shape_text(shifts).c_str(), shape_text(dims).c_str());
    T out = self;
    for (size_t i = 0; i < dims.size(); ++i) out = rolled(out, shifts[i], dims[i]);
    return out;
  }

 private:
  template <class T>
  static T rolled(const T& self, int64_t shift, int64_t dim) {
    const int64_t d = wrap_dim(dim, self.dim()), n = self.size(d);
    if (n == 0) return clone(self);
    const int64_t head = ((n - shift % n) % n + n) % n;  // the index that becomes 0
    if (head == 0) return clone(self);
    const T parts[] = {narrow(self, d, head, n - head), narrow(self, d, 0, head)};
    return cat(List<T>(parts, 2), d);
  }
};

using rearrange_ops = list<Flip, FlipLeftRight, FlipUpDown, Rot90, Tril, Triu, Repeat, Tile, Roll>;

}  // namespace tn::ops
