// Complex numbers: their parts as views, their conjugates, their angles.
//
// Conjugates are computed when they are asked for; there are no tensors with a conjugate bit
// (docs/decisions).
#pragma once

#include <tenon/ops/create.h>
#include <tenon/ops/pointwise.h>
#include <tenon/ops/shape.h>

namespace tn::ops {

struct ViewAsReal : view_of {
  static constexpr auto schema = "view_as_real(Tensor(a) self) -> Tensor(a)";
  static constexpr auto doc =
      "A complex tensor seen as real numbers: a new last dimension of size 2 holds the real and "
      "the imaginary part.";
  static Tensor kernel(const Tensor& self) {
    if (!is_complex(self.dtype()))
      fail(TN_TYPE_ERROR, "expected a complex tensor, got %s", self.describe().c_str());
    Geometry g(self);
    for (int64_t d = 0; d < g.rank; ++d) g.strides[d] = stride_product(g.strides[d], 2);
    g.offset *= 2;
    g.append(2, 1);
    return make_view(self, g, self.dtype() == TN_C128 ? TN_F64 : TN_F32);
  }
};

struct ViewAsComplex : view_of {
  static constexpr auto schema = "view_as_complex(Tensor(a) self) -> Tensor(a)";
  static constexpr auto doc =
      "Pairs of f32 or f64, a last dimension of size 2 and stride 1, seen as complex numbers.";
  static Tensor kernel(const Tensor& self) {
    if (self.dtype() != TN_F32 && self.dtype() != TN_F64)
      fail(TN_TYPE_ERROR, "expected a tensor of f32 or f64, got %s", self.describe().c_str());
    Geometry g(self);
    if (g.rank == 0 || g.sizes[g.rank - 1] != 2)
      fail(TN_INVALID_ARGUMENT, "expected a last dimension of size 2, got %s",
           self.describe().c_str());
    if (g.strides[g.rank - 1] != 1)
      fail(TN_INVALID_ARGUMENT,
           "the last dimension of %s has stride %lld; it must be 1, as contiguous() makes it",
           self.describe().c_str(), static_cast<long long>(g.strides[g.rank - 1]));
    const auto halve = [&](int64_t& value, const char* what) {
      if (value % 2)
        fail(TN_INVALID_ARGUMENT, "%s of %s is %lld; it must be even, as clone() makes it", what,
             self.describe().c_str(), static_cast<long long>(value));
      value /= 2;
    };
    halve(g.offset, "the storage offset");
    g.erase(g.rank - 1);
    for (int64_t d = 0; d < g.rank; ++d)
      if (g.sizes[d] > 1) halve(g.strides[d], "a stride");
    return make_view(self, g, self.dtype() == TN_F64 ? TN_C128 : TN_C64);
  }
};

// May return self.
struct complex_part : composite {
  static constexpr uint32_t flags = TN_OP_RETURNS_ARGUMENT | TN_OP_NO_OUT;
};
struct RealPart : complex_part {
  static constexpr auto schema = "real(Tensor(a) self) -> Tensor(a)";
  static constexpr auto doc = "A view of the real parts; a real tensor itself.";
  template <class T>
  static T decompose(const T& self) {
    return detail::real_part(self);
  }
};
struct ImaginaryPart : complex_part {
  static constexpr auto schema = "imag(Tensor(a) self) -> Tensor(a)";
  static constexpr auto doc = "A view of the imaginary parts of a complex tensor.";
  template <class T>
  static T decompose(const T& self) {
    if (!is_complex(self.dtype()))
      fail(TN_TYPE_ERROR, "expected a complex tensor, got %s: real numbers have no imaginary part",
           self.describe().c_str());
    return select(view_as_real(self), int64_t{-1}, int64_t{1});
  }
};
struct Conj : complex_part {
  static constexpr auto schema = "conj(Tensor(a) self) -> Tensor(a)";
  static constexpr auto doc = "The complex conjugates, as a new tensor; a real tensor itself.";
  template <class T>
  static T decompose(const T& self) {
    return is_complex(self.dtype()) ? conj_physical(self) : self;
  }
};

struct Angle : composite {
  static constexpr auto schema = "angle(Tensor self) -> Tensor";
  static constexpr auto doc =
      "The angle of a complex number in radians, in [-pi, pi]; 0 or pi by the sign of a real one.";
  template <class T>
  static T decompose(const T& self) {
    const bool real = is_floating(self.dtype()) || is_complex(self.dtype());
    return _angle(real ? self : _to_copy(self, default_dtype()));
  }
};
struct Isreal : composite {
  static constexpr auto schema = "isreal(Tensor self) -> Tensor";
  static constexpr auto doc = "True where the imaginary part is zero.";
  static constexpr uint32_t flags = TN_OP_NO_OUT;
  template <class T>
  static T decompose(const T& self) {
    if (is_complex(self.dtype())) return eq(select(view_as_real(self), int64_t{-1}, int64_t{1}), 0);
    return ones_like(self, TN_BOOL);
  }
};

using complex_ops = list<ViewAsReal, ViewAsComplex, RealPart, ImaginaryPart, Conj, Angle, Isreal>;

}  // namespace tn::ops
