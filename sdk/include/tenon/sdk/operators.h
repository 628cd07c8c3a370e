// Arithmetic on tensors as C++ writes it: x + y, 2.0 * x, -x. As add, sub, mul, div and neg.
#pragma once

#include <tenon/calls.h>

namespace tn {

inline Tensor operator-(const Tensor& a) {
  return neg(a);
}

inline Tensor operator+(const Tensor& a, const Tensor& b) {
  return add(a, b);
}
inline Tensor operator+(const Tensor& a, const Operand& b) {
  return add(a, b);
}
inline Tensor operator+(const Operand& a, const Tensor& b) {
  return add(a, b);
}

inline Tensor operator-(const Tensor& a, const Tensor& b) {
  return sub(a, b);
}
inline Tensor operator-(const Tensor& a, const Operand& b) {
  return sub(a, b);
}
inline Tensor operator-(const Operand& a, const Tensor& b) {
  return sub(a, b);
}

inline Tensor operator*(const Tensor& a, const Tensor& b) {
  return mul(a, b);
}
inline Tensor operator*(const Tensor& a, const Operand& b) {
  return mul(a, b);
}
inline Tensor operator*(const Operand& a, const Tensor& b) {
  return mul(a, b);
}

inline Tensor operator/(const Tensor& a, const Tensor& b) {
  return div(a, b);
}
inline Tensor operator/(const Tensor& a, const Operand& b) {
  return div(a, b);
}
inline Tensor operator/(const Operand& a, const Tensor& b) {
  return div(a, b);
}

}  // namespace tn
