// pointwise.h - what an element-wise operator's declaration may say, and all of them in one list.
//
//   struct Mul : pointwise {
//     static constexpr auto schema = "mul.Tensor(Tensor self, Tensor other) -> Tensor";
//     static constexpr auto doc = "Product of two tensors, element by element.";
//     static constexpr auto promotion = TN_PROMOTE_COMMON;
//     static constexpr auto dtypes = all_numbers;
//     template <class V> static constexpr V value(V a, V b) { return a * b; }
//     static constexpr auto gradients = std::make_tuple(...);
//   };
//
// `value` is the operator for one element, written in the vocabulary of ops/math.h. Its parameters
// are the schema's tensors in order, then the other parameters (alpha, negative_slope, ...) in
// order, all as V, a number or a vector of numbers of the compute dtype; 16-bit floats compute in
// float. It returns V, or a mask where the result is bool. An absent number is `absent(i)`, i
// counting from the first parameter that is no tensor.
//
// Optional members, as in the tables of math.h read by every device:
//   condition   position of a tensor that arrives as a mask
//   modes       the values of a string parameter, which can have no other; `value` is then a
//               template on its index first, and the parameter is not handed over
//   divides     true: an integer divisor (the second tensor) of zero is an error
//   vectors     false: `value` takes single numbers only
//   streams     true: so little arithmetic that large results should bypass the caches
#pragma once

#include <tenon/ops/math.h>
#include <tenon/ops/types.h>
#include <tenon/sdk/declare.h>

namespace tn::ops {

// Operators that keep their dtype, without bool.
struct unary_real : pointwise {
  static constexpr auto promotion = TN_PROMOTE_COMMON;
  static constexpr auto dtypes = reals;
};
// Functions of real numbers: integers become the default float dtype.
struct float_function : pointwise {
  static constexpr auto promotion = TN_PROMOTE_FLOAT;
  static constexpr auto dtypes = floats;
};
// The same, also of complex numbers: holomorphic.
struct complex_function : float_function {
  static constexpr auto dtypes = floats | complexes;
  static constexpr auto complex_gradient = holomorphic;
};
// Questions: bool results, no gradient.
struct predicate : pointwise {
  static constexpr auto promotion = TN_PROMOTE_BOOL;
  static constexpr auto dtypes = all_reals;
  static constexpr uint32_t flags = TN_OP_INPLACE | TN_OP_NOT_DIFFERENTIABLE;
};

namespace detail {

// Piecewise constant operators: zero wherever the gradient exists.
inline constexpr auto zero_gradient = [](auto g) { return zeros_like(g); };
// g * factor, g itself for the usual factor of one.
template <class T>
T scaled(const T& g, const Scalar& factor) {
  if (!factor.is_complex() && factor.real() == 1) return g;
  return g * factor;
}
// The real parts of a complex tensor, as a view; a real tensor itself.
template <class T>
T real_part(const T& t) {
  return is_complex(t.dtype()) ? select(view_as_real(t), int64_t{-1}, int64_t{0}) : t;
}
inline Scalar conjugated(const Scalar& factor) {
  return factor.is_complex() ? Scalar(std::conj(factor.complex())) : factor;
}
// select(), also for complex numbers.
template <class M, class V>
constexpr V choose(M condition, V a, V b) {
  if constexpr (std::is_same<M, bool>::value)
    return condition ? a : b;
  else
    return select(condition, a, b);
}
// Throws when an integer computation would have to truncate a factor.
inline void reject_float_factor(const char* name, DType compute, const tn_value& number) {
  if (number.tag == TN_TAG_FLOAT && !is_floating(compute) && !is_complex(compute))
    fail(TN_INVALID_ARGUMENT,
         "%s must be an integer when the result's dtype (%s) is integral, not %g", name,
         api->dtype_name(compute), number.u.f);
}
// Throws when a limit would wrap around to the other end of an unsigned dtype.
inline void reject_negative_limit(const char* name, DType compute, const tn_value& number) {
  if (compute == TN_U8 && number.tag == TN_TAG_INT && number.u.i < 0)
    fail(TN_INVALID_ARGUMENT, "%s is %lld, which dtype %s cannot hold; convert the tensor first",
         name, static_cast<long long>(number.u.i), api->dtype_name(compute));
}

}  // namespace detail
}  // namespace tn::ops
