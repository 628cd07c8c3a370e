// compare.h - comparisons and logic: bool results.
#pragma once

#include <tenon/ops/pointwise.h>

namespace tn::ops {

struct Eq : predicate {
  static constexpr auto schema = "eq.Tensor(Tensor self, Tensor other) -> Tensor";
  static constexpr auto doc = "self == other.";
  static constexpr auto dtypes = all_numbers;
  template <class V>
  static constexpr auto value(V a, V b) {
    return a == b;
  }
};
struct Ne : predicate {
  static constexpr auto schema = "ne.Tensor(Tensor self, Tensor other) -> Tensor";
  static constexpr auto doc = "self != other; true for NaN.";
  static constexpr auto dtypes = all_numbers;
  template <class V>
  static constexpr auto value(V a, V b) {
    return a != b;
  }
};
struct Lt : predicate {
  static constexpr auto schema = "lt.Tensor(Tensor self, Tensor other) -> Tensor";
  static constexpr auto doc = "self < other.";
  template <class V>
  static constexpr auto value(V a, V b) {
    return a < b;
  }
};
struct Le : predicate {
  static constexpr auto schema = "le.Tensor(Tensor self, Tensor other) -> Tensor";
  static constexpr auto doc = "self <= other.";
  template <class V>
  static constexpr auto value(V a, V b) {
    return a <= b;
  }
};
struct Gt : predicate {
  static constexpr auto schema = "gt.Tensor(Tensor self, Tensor other) -> Tensor";
  static constexpr auto doc = "self > other.";
  template <class V>
  static constexpr auto value(V a, V b) {
    return a > b;
  }
};
struct Ge : predicate {
  static constexpr auto schema = "ge.Tensor(Tensor self, Tensor other) -> Tensor";
  static constexpr auto doc = "self >= other.";
  template <class V>
  static constexpr auto value(V a, V b) {
    return a >= b;
  }
};
struct LogicalAnd : predicate {
  static constexpr auto schema = "logical_and(Tensor self, Tensor other) -> Tensor";
  static constexpr auto doc = "True where both are not zero.";
  static constexpr auto dtypes = all_numbers;
  template <class V>
  static constexpr auto value(V a, V b) {
    return (a != V(0)) && (b != V(0));
  }
};
struct LogicalOr : predicate {
  static constexpr auto schema = "logical_or(Tensor self, Tensor other) -> Tensor";
  static constexpr auto doc = "True where at least one is not zero.";
  static constexpr auto dtypes = all_numbers;
  template <class V>
  static constexpr auto value(V a, V b) {
    return (a != V(0)) || (b != V(0));
  }
};
struct LogicalXor : predicate {
  static constexpr auto schema = "logical_xor(Tensor self, Tensor other) -> Tensor";
  static constexpr auto doc = "True where exactly one is not zero.";
  static constexpr auto dtypes = all_numbers;
  template <class V>
  static constexpr auto value(V a, V b) {
    return (a != V(0)) != (b != V(0));
  }
};

using compare_ops = list<Eq, Ne, Lt, Le, Gt, Ge, LogicalAnd, LogicalOr, LogicalXor>;

}  // namespace tn::ops
