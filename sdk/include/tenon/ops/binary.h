// binary.h - element-wise functions of two tensors, or of a tensor and a number: arithmetic and
// division here, the rest in the headers included.
#pragma once

#include <tenon/ops/extremum.h>
#include <tenon/ops/integer.h>
#include <tenon/ops/pointwise.h>
#include <tenon/ops/power.h>

namespace tn::ops {

struct Add : pointwise {
  static constexpr auto schema =
      "add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor";
  static constexpr auto doc = "self + alpha * other. For bool: or.";
  static constexpr auto promotion = TN_PROMOTE_COMMON;
  static constexpr auto dtypes = all_numbers;
  static constexpr bool streams = true;
  static void check(DType compute, const tn_value* args) {
    detail::reject_float_factor("alpha", compute, args[2]);
  }
  template <class V>
  static constexpr V value(V a, V b, V alpha) {
    return a + alpha * b;
  }
  static constexpr auto complex_gradient = as_written;
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<>, [](auto g) { return g; }),
                      gradient<1>(reads<number<2>>, [](auto g, Scalar alpha) {
                        return detail::scaled(g, detail::conjugated(alpha));
                      }));
};
struct Sub : pointwise {
  static constexpr auto schema =
      "sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor";
  static constexpr auto doc = "self - alpha * other. Not for bool: use logical_xor or bitwise_xor.";
  static constexpr auto promotion = TN_PROMOTE_COMMON;
  static constexpr auto dtypes = numbers;
  static constexpr bool streams = true;
  static void check(DType compute, const tn_value* args) {
    detail::reject_float_factor("alpha", compute, args[2]);
  }
  template <class V>
  static constexpr V value(V a, V b, V alpha) {
    return a - alpha * b;
  }
  static constexpr auto complex_gradient = as_written;
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<>, [](auto g) { return g; }),
                      gradient<1>(reads<number<2>>, [](auto g, Scalar alpha) {
                        return -detail::scaled(g, detail::conjugated(alpha));
                      }));
};
struct Rsub : pointwise {
  static constexpr auto schema =
      "rsub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor";
  static constexpr auto doc = "other - alpha * self.";
  static constexpr auto promotion = TN_PROMOTE_COMMON;
  static constexpr auto dtypes = numbers;
  static constexpr uint32_t flags = 0;
  static void check(DType compute, const tn_value* args) {
    detail::reject_float_factor("alpha", compute, args[2]);
  }
  template <class V>
  static constexpr V value(V a, V b, V alpha) {
    return b - alpha * a;
  }
  static constexpr auto complex_gradient = as_written;
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(
          reads<number<2>>,
          [](auto g, Scalar alpha) { return -detail::scaled(g, detail::conjugated(alpha)); }),
      gradient<1>(reads<>, [](auto g) { return g; }));
};
struct Mul : pointwise {
  static constexpr auto schema = "mul.Tensor(Tensor self, Tensor other) -> Tensor";
  static constexpr auto doc = "Product of two tensors, element by element.";
  static constexpr auto promotion = TN_PROMOTE_COMMON;
  static constexpr auto dtypes = all_numbers;
  static constexpr bool streams = true;
  template <class V>
  static constexpr V value(V a, V b) {
    return a * b;
  }
  static constexpr auto complex_gradient = holomorphic;
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<arg<1>>, [](auto g, auto other) { return g * other; }),
                      gradient<1>(reads<arg<0>>, [](auto g, auto self) { return g * self; }));
};
struct Div : pointwise {
  static constexpr auto schema = "div.Tensor(Tensor self, Tensor other) -> Tensor";
  static constexpr auto doc =
      "Quotient of two tensors, element by element; floating-point for integers too.";
  static constexpr auto promotion = TN_PROMOTE_FLOAT;
  static constexpr auto dtypes = floats | complexes;
  static constexpr bool streams = true;
  template <class V>
  static constexpr V value(V a, V b) {
    return a / b;
  }
  static constexpr auto complex_gradient = holomorphic;
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<arg<1>>, [](auto g, auto other) { return g / other; }),
      gradient<1>(reads<arg<1>, ret<0>>,
                  [](auto g, auto other, auto result) { return -g * (result / other); }));
};
struct TrueDivide : Div {
  static constexpr auto schema = "true_divide.Tensor(Tensor self, Tensor other) -> Tensor";
  static constexpr auto doc = "The same as div without a rounding mode.";
};

// ---- division with a whole quotient -------------------------------------------------------------

struct whole_division : pointwise {
  static constexpr auto promotion = TN_PROMOTE_COMMON;
  static constexpr auto dtypes = reals;
  static constexpr bool divides = true;
};
struct FloorDivide : whole_division {
  static constexpr auto schema = "floor_divide(Tensor self, Tensor other) -> Tensor";
  static constexpr auto doc = "The quotient rounded down, as Python's //.";
  template <class V>
  static constexpr V value(V a, V b) {
    return floor_divide(a, b);
  }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<>, detail::zero_gradient),
      gradient<1>(reads<arg<1>>, [](auto, auto other) { return zeros_like(other); }));
};
struct TruncDivide : whole_division {
  static constexpr auto schema = "_trunc_divide(Tensor self, Tensor other) -> Tensor";
  static constexpr auto doc = "The quotient rounded towards zero: div with rounding_mode='trunc'.";
  template <class V>
  static constexpr V value(V a, V b) {
    return trunc_divide(a, b);
  }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<>, detail::zero_gradient),
      gradient<1>(reads<arg<1>>, [](auto, auto other) { return zeros_like(other); }));
};
struct Remainder : whole_division {
  static constexpr auto schema = "remainder.Tensor(Tensor self, Tensor other) -> Tensor";
  static constexpr auto doc = "Remainder with the sign of the divisor, as Python's %.";
  template <class V>
  static constexpr V value(V a, V b) {
    return remainder(a, b);
  }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<>, [](auto g) { return g; }),
      gradient<1>(reads<arg<0>, arg<1>>,
                  [](auto g, auto self, auto other) { return -g * floor_divide(self, other); }));
};
struct Fmod : whole_division {
  static constexpr auto schema = "fmod.Tensor(Tensor self, Tensor other) -> Tensor";
  static constexpr auto doc = "Remainder with the sign of the dividend, as C's fmod.";
  template <class V>
  static constexpr V value(V a, V b) {
    return fmod(a, b);
  }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<>, [](auto g) { return g; }),
      gradient<1>(reads<arg<0>, arg<1>>,
                  [](auto g, auto self, auto other) { return -g * trunc(self / other); }));
};

// div with a rounding mode picks an operator, since the modes differ in what dtype results.
template <class Other>
struct DivMode : composite {
  static constexpr auto doc =
      "Quotient, rounded towards zero ('trunc'), down ('floor') or not at all.";
  static constexpr uint32_t flags = TN_OP_INPLACE;
  template <class T>
  static T decompose(const T& self,
                     const std::conditional_t<std::is_same<Other, Tensor>::value, T, Other>& other,
                     std::optional<const char*> rounding_mode) {
    const std::string_view mode = rounding_mode ? *rounding_mode : "";
    if (!rounding_mode) return div(self, other);
    if (mode == "trunc") return _trunc_divide(self, other);
    if (mode == "floor") return floor_divide(self, other);
    fail(TN_INVALID_ARGUMENT, "rounding_mode is '%s'; it must be None, 'trunc' or 'floor'",
         *rounding_mode);
  }
};
struct DivTensorMode : DivMode<Tensor> {
  static constexpr auto schema =
      "div.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor";
};
struct DivScalarMode : DivMode<Scalar> {
  static constexpr auto schema =
      "div.Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor";
};

using arithmetic_ops = list<Add, Sub, Rsub, Mul, Div, TrueDivide>;
using division_ops = list<FloorDivide, TruncDivide, Remainder, Fmod>;
// Decompositions: declared by plugins/ops, without kernels.
using division_modes = list<DivTensorMode, DivScalarMode>;

}  // namespace tn::ops
