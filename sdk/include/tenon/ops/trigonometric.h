// trigonometric.h - trigonometric and hyperbolic functions of one tensor.
#pragma once

#include <tenon/ops/pointwise.h>

namespace tn::ops {

struct Acos : complex_function {
  static constexpr auto schema = "acos(Tensor self) -> Tensor";
  static constexpr auto doc = "Inverse cosine, in radians.";
  template <class V>
  static constexpr V value(V x) {
    return acos(x);
  }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<arg<0>>, [](auto g, auto self) { return -g * rsqrt(1 - square(self)); }));
};
struct Acosh : complex_function {
  static constexpr auto schema = "acosh(Tensor self) -> Tensor";
  static constexpr auto doc = "Inverse hyperbolic cosine.";
  template <class V>
  static constexpr V value(V x) {
    return acosh(x);
  }
  static constexpr auto gradients = std::make_tuple(gradient<0>(
      reads<arg<0>>, [](auto g, auto self) { return g * (rsqrt(self - 1) * rsqrt(self + 1)); }));
};
struct Asin : complex_function {
  static constexpr auto schema = "asin(Tensor self) -> Tensor";
  static constexpr auto doc = "Inverse sine, in radians.";
  template <class V>
  static constexpr V value(V x) {
    return asin(x);
  }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<arg<0>>, [](auto g, auto self) { return g * rsqrt(1 - square(self)); }));
};
struct Asinh : complex_function {
  static constexpr auto schema = "asinh(Tensor self) -> Tensor";
  static constexpr auto doc = "Inverse hyperbolic sine.";
  template <class V>
  static constexpr V value(V x) {
    return asinh(x);
  }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<arg<0>>, [](auto g, auto self) { return g * rsqrt(square(self) + 1); }));
};
struct Atan : complex_function {
  static constexpr auto schema = "atan(Tensor self) -> Tensor";
  static constexpr auto doc = "Inverse tangent, in radians.";
  template <class V>
  static constexpr V value(V x) {
    return atan(x);
  }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<arg<0>>, [](auto g, auto self) { return g / (square(self) + 1); }));
};
struct Atanh : complex_function {
  static constexpr auto schema = "atanh(Tensor self) -> Tensor";
  static constexpr auto doc = "Inverse hyperbolic tangent.";
  template <class V>
  static constexpr V value(V x) {
    return atanh(x);
  }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<arg<0>>, [](auto g, auto self) { return g / (1 - square(self)); }));
};
struct Cos : complex_function {
  static constexpr auto schema = "cos(Tensor self) -> Tensor";
  static constexpr auto doc = "Cosine of an angle in radians.";
  template <class V>
  static constexpr V value(V x) {
    return cos(x);
  }
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<arg<0>>, [](auto g, auto self) { return -g * sin(self); }));
};
struct Cosh : complex_function {
  static constexpr auto schema = "cosh(Tensor self) -> Tensor";
  static constexpr auto doc = "Hyperbolic cosine.";
  template <class V>
  static constexpr V value(V x) {
    return cosh(x);
  }
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<arg<0>>, [](auto g, auto self) { return g * sinh(self); }));
};
struct Sin : complex_function {
  static constexpr auto schema = "sin(Tensor self) -> Tensor";
  static constexpr auto doc = "Sine of an angle in radians.";
  template <class V>
  static constexpr V value(V x) {
    return sin(x);
  }
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<arg<0>>, [](auto g, auto self) { return g * cos(self); }));
};
struct Sinh : complex_function {
  static constexpr auto schema = "sinh(Tensor self) -> Tensor";
  static constexpr auto doc = "Hyperbolic sine.";
  template <class V>
  static constexpr V value(V x) {
    return sinh(x);
  }
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<arg<0>>, [](auto g, auto self) { return g * cosh(self); }));
};
struct Tan : complex_function {
  static constexpr auto schema = "tan(Tensor self) -> Tensor";
  static constexpr auto doc = "Tangent of an angle in radians.";
  template <class V>
  static constexpr V value(V x) {
    return tan(x);
  }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<ret<0>>, [](auto g, auto result) { return g * (square(result) + 1); }));
};
struct Tanh : complex_function {
  static constexpr auto schema = "tanh(Tensor self) -> Tensor";
  static constexpr auto doc = "Hyperbolic tangent.";
  template <class V>
  static constexpr V value(V x) {
    return tanh(x);
  }
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<ret<0>>, [](auto g, auto result) {
        if (is_complex(result.dtype())) return g * (1 - square(result));
        return tanh_backward(g, result);
      }));
};
struct Sinc : complex_function {
  static constexpr auto schema = "sinc(Tensor self) -> Tensor";
  static constexpr auto doc = "sin(pi x) / (pi x), and 1 at zero.";
  template <class V>
  static constexpr V value(V x) {
    return sinc(x);
  }
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<arg<0>>, [](auto g, auto self) {
        auto angle = self * 3.14159265358979323846;
        return g * masked_fill((angle * cos(angle) - sin(angle)) / (angle * self), eq(self, 0), 0);
      }));
};
struct Deg2rad : float_function {
  static constexpr auto schema = "deg2rad(Tensor self) -> Tensor";
  static constexpr auto doc = "Degrees to radians.";
  template <class V>
  static constexpr V value(V x) {
    return x * V(0.017453292519943295769);
  }
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<>, [](auto g) { return g * 0.017453292519943295769; }));
};
struct Rad2deg : float_function {
  static constexpr auto schema = "rad2deg(Tensor self) -> Tensor";
  static constexpr auto doc = "Radians to degrees.";
  template <class V>
  static constexpr V value(V x) {
    return x * V(57.295779513082320877);
  }
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<>, [](auto g) { return g * 57.295779513082320877; }));
};

using trigonometric_ops = list<Acos, Acosh, Asin, Asinh, Atan, Atanh, Cos, Cosh, Sin, Sinh, Tan,
                               Tanh, Sinc, Deg2rad, Rad2deg>;

}  // namespace tn::ops
