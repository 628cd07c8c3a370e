// unary.h - element-wise functions of one tensor: signs, rounding, bits and questions here, the
// rest in the headers included.
#pragma once

#include <tenon/ops/exponential.h>
#include <tenon/ops/pointwise.h>
#include <tenon/ops/special.h>
#include <tenon/ops/trigonometric.h>

namespace tn::ops {

struct Abs : pointwise {
  static constexpr auto schema = "abs(Tensor self) -> Tensor";
  static constexpr auto doc = "Absolute value; the magnitude of a complex number.";
  static constexpr bool streams = true;
  static constexpr auto promotion = TN_PROMOTE_REAL;
  static constexpr auto dtypes = numbers;
  template <class V>
  static constexpr auto value(V x) {
    return abs(x);
  }
  static constexpr auto complex_gradient = as_written;
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<arg<0>>, [](auto g, auto self) { return g * sgn(self); }));
};
struct Neg : pointwise {
  static constexpr auto schema = "neg(Tensor self) -> Tensor";
  static constexpr auto doc = "The negative. Unsigned integers wrap.";
  static constexpr bool streams = true;
  static constexpr auto promotion = TN_PROMOTE_COMMON;
  static constexpr auto dtypes = numbers;
  template <class V>
  static constexpr V value(V x) {
    return -x;
  }
  static constexpr auto complex_gradient = as_written;
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<>, [](auto g) { return -g; }));
};
struct Positive : pointwise {
  static constexpr auto schema = "positive(Tensor self) -> Tensor";
  static constexpr auto doc = "The tensor's values themselves.";
  static constexpr auto promotion = TN_PROMOTE_COMMON;
  static constexpr auto dtypes = numbers;
  template <class V>
  static constexpr V value(V x) {
    return x;
  }
  static constexpr auto complex_gradient = as_written;
  static constexpr auto gradients = std::make_tuple(gradient<0>(reads<>, [](auto g) { return g; }));
};
struct Sign : pointwise {
  static constexpr auto schema = "sign(Tensor self) -> Tensor";
  static constexpr auto doc = "-1, 0 or 1 by the sign of each element; 0 for NaN.";
  static constexpr auto promotion = TN_PROMOTE_COMMON;
  static constexpr auto dtypes = all_reals;
  template <class V>
  static constexpr V value(V x) {
    return sign(x);
  }
  static constexpr auto gradients = std::make_tuple(gradient<0>(reads<>, detail::zero_gradient));
};
struct Sgn : pointwise {
  static constexpr auto schema = "sgn(Tensor self) -> Tensor";
  static constexpr auto doc = "sign(), and x / |x| for complex numbers, 0 at zero.";
  static constexpr auto promotion = TN_PROMOTE_COMMON;
  static constexpr auto dtypes = all_numbers;
  template <class V>
  static constexpr V value(V x) {
    if constexpr (is_real_number<V> || std::is_integral<V>::value)
      return sign(x);
    else
      return x == V(0) ? x : x / abs(x);
  }
  // Of a complex number, the part of g across z, divided by |z|: along z the sign stays.
  static constexpr auto complex_gradient = as_written;
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<arg<0>, ret<0>>, [](auto g, auto self, auto result) {
        if (!is_complex(result.dtype())) return zeros_like(g);
        auto across = g - result * detail::real_part(g * conj(result));
        return masked_fill(across / abs(self), eq(self, 0), 0);
      }));
};
struct ConjPhysical : pointwise {
  static constexpr auto schema = "conj_physical(Tensor self) -> Tensor";
  static constexpr auto doc = "The complex conjugate; real numbers as they are.";
  static constexpr auto promotion = TN_PROMOTE_COMMON;
  static constexpr auto dtypes = all_numbers;
  template <class V>
  static constexpr V value(V x) {
    if constexpr (is_complex_number<V>)
      return V(x.real(), -x.imag());
    else
      return x;
  }
  static constexpr auto complex_gradient = as_written;
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<>, [](auto g) { return conj(g); }));
};
struct AngleOfFloat : pointwise {
  static constexpr auto schema = "_angle(Tensor self) -> Tensor";
  static constexpr auto doc = "angle() of float and complex tensors.";
  static constexpr auto promotion = TN_PROMOTE_REAL;
  static constexpr auto dtypes = floats | complexes;
  static constexpr uint32_t flags = 0;
  template <class V>
  static constexpr auto value(V x) {
    if constexpr (is_complex_number<V>)
      return atan2(x.imag(), x.real());
    else
      return select(isnan(x), x, select(x < V(0), V(3.14159265358979323846), V(0)));
  }
  // A step of i z / |z| turns z by 1 / |z|.
  static constexpr auto complex_gradient = as_written;
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<arg<0>>, [](auto g, auto self) {
        if (!is_complex(self.dtype())) return zeros_like(g);
        auto turn = self * Scalar(std::complex<double>(0, 1)) / square(abs(self));
        return g * masked_fill(turn, eq(self, 0), 0);
      }));
};
struct Square : pointwise {
  static constexpr auto schema = "square(Tensor self) -> Tensor";
  static constexpr auto doc = "Each element times itself.";
  static constexpr auto promotion = TN_PROMOTE_COMMON;
  static constexpr auto dtypes = numbers;
  template <class V>
  static constexpr V value(V x) {
    return x * x;
  }
  static constexpr auto complex_gradient = holomorphic;
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<arg<0>>, [](auto g, auto self) { return g * self * 2; }));
};
struct Reciprocal : pointwise {
  static constexpr auto schema = "reciprocal(Tensor self) -> Tensor";
  static constexpr auto doc = "One divided by each element.";
  static constexpr auto promotion = TN_PROMOTE_FLOAT;
  static constexpr auto dtypes = floats | complexes;
  template <class V>
  static constexpr V value(V x) {
    return V(1) / x;
  }
  static constexpr auto complex_gradient = holomorphic;
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<ret<0>>, [](auto g, auto result) { return -g * (result * result); }));
};

// ---- rounding -----------------------------------------------------------------------------------

struct Ceil : unary_real {
  static constexpr auto schema = "ceil(Tensor self) -> Tensor";
  static constexpr auto doc = "The smallest integer not below each element.";
  template <class V>
  static constexpr V value(V x) {
    return ceil(x);
  }
  static constexpr auto gradients = std::make_tuple(gradient<0>(reads<>, detail::zero_gradient));
};
struct Floor : unary_real {
  static constexpr auto schema = "floor(Tensor self) -> Tensor";
  static constexpr auto doc = "The largest integer not above each element.";
  template <class V>
  static constexpr V value(V x) {
    return floor(x);
  }
  static constexpr auto gradients = std::make_tuple(gradient<0>(reads<>, detail::zero_gradient));
};
struct Round : unary_real {
  static constexpr auto schema = "round(Tensor self) -> Tensor";
  static constexpr auto doc = "The nearest integer; of two, the even one.";
  template <class V>
  static constexpr V value(V x) {
    return round(x);
  }
  static constexpr auto gradients = std::make_tuple(gradient<0>(reads<>, detail::zero_gradient));
};
struct RoundDecimals : pointwise {
  static constexpr auto schema = "round.decimals(Tensor self, *, int decimals) -> Tensor";
  static constexpr auto doc =
      "The nearest number with that many decimals, of tens when it is -1; of two, the even one.";
  static constexpr auto promotion = TN_PROMOTE_COMMON;
  static constexpr auto dtypes = floats;
  static constexpr bool vectors = false;  // their pow() need not be exact for powers of ten
  template <class V>
  static constexpr V value(V x, V decimals) {
    const V scale = pow(V(10), abs(decimals));
    return decimals < V(0) ? round(x / scale) * scale : round(x * scale) / scale;
  }
  static constexpr auto gradients = std::make_tuple(gradient<0>(reads<>, detail::zero_gradient));
};
struct Trunc : unary_real {
  static constexpr auto schema = "trunc(Tensor self) -> Tensor";
  static constexpr auto doc = "The integer part, rounding towards zero.";
  template <class V>
  static constexpr V value(V x) {
    return trunc(x);
  }
  static constexpr auto gradients = std::make_tuple(gradient<0>(reads<>, detail::zero_gradient));
};
struct Frac : pointwise {
  static constexpr auto schema = "frac(Tensor self) -> Tensor";
  static constexpr auto doc = "x - trunc(x).";
  static constexpr auto promotion = TN_PROMOTE_COMMON;
  static constexpr auto dtypes = floats;
  template <class V>
  static constexpr V value(V x) {
    return x - trunc(x);
  }
  static constexpr auto gradients = std::make_tuple(gradient<0>(reads<>, [](auto g) { return g; }));
};

struct NanToNum : pointwise {
  static constexpr auto schema =
      "nan_to_num(Tensor self, float? nan=None, float? posinf=None, float? neginf=None) -> Tensor";
  static constexpr auto doc =
      "Replaces NaN (by 0) and the infinities (by the dtype's largest and lowest number), or by "
      "what is given.";
  static constexpr auto promotion = TN_PROMOTE_COMMON;
  static constexpr auto dtypes = all_reals;
  // The limits are those of the dtype in memory, which for 16-bit floats is narrower than float.
  static double absent(int i, DType dtype) {
    const double largest = dtype == TN_F16    ? 65504.0
                           : dtype == TN_BF16 ? 0x1.fep127
                           : dtype == TN_F32  ? std::numeric_limits<float>::max()
                                              : std::numeric_limits<double>::max();
    return i == 0 ? 0 : i == 1 ? largest : -largest;
  }
  template <class V>
  static constexpr V value(V x, V nan, V posinf, V neginf) {
    if constexpr (is_real_number<V>) {
      return select(isnan(x), nan,
                    select(x == infinity<V>(), posinf, select(x == -infinity<V>(), neginf, x)));
    } else {
      return x;
    }
  }
  static constexpr auto gradients = std::make_tuple(
      gradient<0>(reads<arg<0>>, [](auto g, auto self) { return g * isfinite(self); }));
};

// ---- bits and questions -------------------------------------------------------------------------

struct BitwiseNot : pointwise {
  static constexpr auto schema = "bitwise_not(Tensor self) -> Tensor";
  static constexpr auto doc = "All bits inverted; for bool, not.";
  static constexpr auto promotion = TN_PROMOTE_COMMON;
  static constexpr auto dtypes = integers | bools;
  static constexpr uint32_t flags = TN_OP_INPLACE | TN_OP_NOT_DIFFERENTIABLE;
  template <class V>
  static constexpr V value(V x) {
    return bitwise_not(x);
  }
};
struct LogicalNot : predicate {
  static constexpr auto schema = "logical_not(Tensor self) -> Tensor";
  static constexpr auto doc = "True where an element is zero.";
  static constexpr auto dtypes = all_numbers;
  template <class V>
  static constexpr auto value(V x) {
    return x == V(0);
  }
};
// Questions that PyTorch has no in-place form of.
struct inspection : predicate {
  static constexpr uint32_t flags = TN_OP_NOT_DIFFERENTIABLE;
};
struct Isfinite : inspection {
  static constexpr auto schema = "isfinite(Tensor self) -> Tensor";
  static constexpr auto doc = "True where an element is neither infinite nor NaN.";
  static constexpr auto dtypes = all_numbers;
  template <class V>
  static constexpr auto value(V x) {
    return isfinite(x);
  }
};
struct Isinf : inspection {
  static constexpr auto schema = "isinf(Tensor self) -> Tensor";
  static constexpr auto doc = "True where an element is infinite.";
  static constexpr auto dtypes = all_numbers;
  template <class V>
  static constexpr auto value(V x) {
    return isinf(x);
  }
};
struct Isnan : inspection {
  static constexpr auto schema = "isnan(Tensor self) -> Tensor";
  static constexpr auto doc = "True where an element is NaN.";
  static constexpr auto dtypes = all_numbers;
  template <class V>
  static constexpr auto value(V x) {
    return isnan(x);
  }
};
struct Isposinf : inspection {
  static constexpr auto schema = "isposinf(Tensor self) -> Tensor";
  static constexpr auto doc = "True where an element is positive infinity.";
  template <class V>
  static constexpr auto value(V x) {
    return isinf(x) && (x > V(0));
  }
};
struct Isneginf : inspection {
  static constexpr auto schema = "isneginf(Tensor self) -> Tensor";
  static constexpr auto doc = "True where an element is negative infinity.";
  template <class V>
  static constexpr auto value(V x) {
    return isinf(x) && (x < V(0));
  }
};
struct Signbit : inspection {
  static constexpr auto schema = "signbit(Tensor self) -> Tensor";
  static constexpr auto doc = "True where the sign bit is set, that of -0.0 and of a NaN included.";
  template <class V>
  static constexpr auto value(V x) {
    return signbit(x);
  }
};

using sign_ops = list<Abs, Neg, Positive, Sign, Sgn, ConjPhysical, AngleOfFloat, Square, Reciprocal,
                      Ceil, Floor, Round, RoundDecimals, Trunc, Frac, NanToNum>;
using inspection_ops =
    list<BitwiseNot, LogicalNot, Isfinite, Isinf, Isnan, Isposinf, Isneginf, Signbit>;

}  // namespace tn::ops
