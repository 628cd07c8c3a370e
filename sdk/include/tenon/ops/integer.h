// integer.h - integers and bits of two tensors.
#pragma once

#include <tenon/ops/pointwise.h>

namespace tn::ops {

struct integer_pair : pointwise {
  static constexpr auto promotion = TN_PROMOTE_COMMON;
  static constexpr auto dtypes = integers;
  static constexpr uint32_t flags = TN_OP_INPLACE | TN_OP_NOT_DIFFERENTIABLE;
};
struct Gcd : integer_pair {
  static constexpr auto schema = "gcd(Tensor self, Tensor other) -> Tensor";
  static constexpr auto doc = "Greatest common divisor, never negative; gcd(0, 0) is 0.";
  template <class V>
  static constexpr V value(V a, V b) {
    return gcd(a, b);
  }
};
struct Lcm : integer_pair {
  static constexpr auto schema = "lcm(Tensor self, Tensor other) -> Tensor";
  static constexpr auto doc = "Least common multiple, never negative; 0 where either is 0.";
  template <class V>
  static constexpr V value(V a, V b) {
    return lcm(a, b);
  }
};
struct BitwiseLeftShift : integer_pair {
  static constexpr auto schema = "bitwise_left_shift.Tensor(Tensor self, Tensor other) -> Tensor";
  static constexpr auto doc =
      "Bits of self moved up by other places; 0 for places outside the width.";
  template <class V>
  static constexpr V value(V a, V b) {
    return shift_left(a, b);
  }
};
struct BitwiseRightShift : integer_pair {
  static constexpr auto schema = "bitwise_right_shift.Tensor(Tensor self, Tensor other) -> Tensor";
  static constexpr auto doc =
      "Bits of self moved down by other places; negative numbers stay negative.";
  template <class V>
  static constexpr V value(V a, V b) {
    return shift_right(a, b);
  }
};
struct BitwiseAnd : integer_pair {
  static constexpr auto schema = "bitwise_and.Tensor(Tensor self, Tensor other) -> Tensor";
  static constexpr auto doc = "And of the bits.";
  static constexpr auto dtypes = integers | bools;
  template <class V>
  static constexpr V value(V a, V b) {
    return static_cast<V>(a & b);
  }
};
struct BitwiseOr : integer_pair {
  static constexpr auto schema = "bitwise_or.Tensor(Tensor self, Tensor other) -> Tensor";
  static constexpr auto doc = "Or of the bits.";
  static constexpr auto dtypes = integers | bools;
  template <class V>
  static constexpr V value(V a, V b) {
    return static_cast<V>(a | b);
  }
};
struct BitwiseXor : integer_pair {
  static constexpr auto schema = "bitwise_xor.Tensor(Tensor self, Tensor other) -> Tensor";
  static constexpr auto doc = "Exclusive or of the bits.";
  static constexpr auto dtypes = integers | bools;
  template <class V>
  static constexpr V value(V a, V b) {
    return static_cast<V>(a ^ b);
  }
};

using integer_ops =
    list<Gcd, Lcm, BitwiseLeftShift, BitwiseRightShift, BitwiseAnd, BitwiseOr, BitwiseXor>;

}  // namespace tn::ops
