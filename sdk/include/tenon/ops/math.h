// math.h - the vocabulary in which the value of an element-wise operator is written.
//
// A value line such as `return x * sigmoid(x);` is a template on V, compiled unchanged for C++
// scalars (float, double, the integers, bool), for the SIMD vectors of a CPU plugin and for CUDA.
// It calls nothing but the functions below, by unqualified name; V's own overloads, if it is a
// vector, are found by argument-dependent lookup. Constants are written V(0.5). A comparison gives
// a *mask* (bool for a scalar), which goes into select(), &&, ||, !, ==, != and V(mask), that is 0
// or 1.
//
// A vector type takes part by declaring `using lane_type = float` (or double), arithmetic and
// comparison operators, and in its own namespace the functions of the first two sections of
// math_scalar.h; everything in this header is then built from them.
//
// Half-precision tensors are computed in float, so no overloads exist for the 16-bit types.
// Semantics are PyTorch's. No function traps or has undefined behaviour for any argument; integer
// arithmetic wraps, and an integer division by zero gives 0 (the caller reports it).
#pragma once
#include "tenon/ops/math_complex.h"
#include "tenon/ops/math_integer.h"
#include "tenon/ops/math_scalar.h"
#include "tenon/ops/math_special.h"

namespace tn::ops {

template <class V, if_real<V> = 0>
constexpr V square(V x) {
  return x * x;
}

template <class V, if_real<V> = 0>
constexpr V reciprocal(V x) {
  return V(1) / x;
}

template <class V, if_real<V> = 0>
constexpr V rsqrt(V x) {
  return V(1) / sqrt(x);
}

// 1 / (1 + exp(-x)), without overflow and with full relative accuracy for negative x.
template <class V, if_real<V> = 0>
constexpr V sigmoid(V x) {
  const V decay = exp(-abs(x));
  return select(x < V(0), decay, V(1)) / (V(1) + decay);
}

// sin(pi x) / (pi x), and 1 at zero.
template <class V, if_real<V> = 0>
constexpr V sinc(V x) {
  const V angle = V(3.14159265358979323846) * x;
  return select(x == V(0), V(1), sin(angle) / angle);
}

// log(exp(a) + exp(b)) without overflow; equal infinities give themselves.
template <class V, if_real<V> = 0>
constexpr V logaddexp(V a, V b) {
  const V sum = maximum(a, b) + log1p(exp(-abs(a - b)));
  return select((a == b) && isinf(a), a, sum);
}

// log2(2^a + 2^b) without overflow.
template <class V, if_real<V> = 0>
constexpr V logaddexp2(V a, V b) {
  const V sum = maximum(a, b) + log1p(exp2(-abs(a - b))) * V(1.44269504088896340736);
  return select((a == b) && isinf(a), a, sum);
}

// x log(y), 0 where x is 0 unless y is NaN.
template <class V, if_real<V> = 0>
constexpr V xlogy(V x, V y) {
  return select((x == V(0)) && !isnan(y), V(0), x * log(y));
}

// Remainder with the sign of the divisor, as Python's %. fmod(), its sibling, follows the dividend.
template <class V, if_real<V> = 0>
constexpr V remainder(V a, V b) {
  const V r = fmod(a, b);
  return select((r != V(0)) && ((r < V(0)) != (b < V(0))), r + b, r);
}

// The largest integer not above a / b, consistent with remainder(): a = b * floor_divide(a, b) +
// remainder(a, b) up to rounding. floor(a / b) alone would be one too large where the quotient
// rounds up to an integer. b = 0 gives a / 0.
template <class V, if_real<V> = 0>
constexpr V floor_divide(V a, V b) {
  const V r = fmod(a, b);
  V quotient = (a - r) / b;
  quotient = select((r != V(0)) && ((r < V(0)) != (b < V(0))), quotient - V(1), quotient);
  const V whole = floor(quotient);
  V result = select(quotient - whole > V(0.5), whole + V(1), whole);
  result = select(quotient == V(0), copysign(V(0), a / b), result);
  return select(b == V(0), a / b, result);
}

template <class V, if_real<V> = 0>
constexpr V trunc_divide(V a, V b) {
  return trunc(a / b);
}

// The inverse of erf: +-infinity at +-1, NaN outside [-1, 1].
//
// Starts from S. Winitzki's closed approximation (2008, relative error 2e-3) and applies Halley's
// iteration to erf(z) - y; above a half to erfc(z) - (1 - y), which keeps the digits near y = 1.
template <class V, if_real<V> = 0>
constexpr V erfinv(V x) {
  const V y = abs(x);
  const V log_term = log1p(-y * y);
  const V offset = V(4.33074675078730) + log_term * V(0.5);               // 2 / (0.147 pi)
  const V root = sqrt(offset * offset - log_term * V(6.80272108843537));  // 1 / 0.147
  // The difference root - offset, by whichever form does not cancel.
  V z =
      sqrt(select(offset > V(0), log_term * V(-6.80272108843537) / (root + offset), root - offset));
  constexpr int steps = sizeof(lane_t<V>) == sizeof(double) ? 3 : 2;
  for (int i = 0; i < steps; ++i) {
    const V error = select(y < V(0.5), erf(z) - y, (V(1) - y) - erfc(z));
    const V newton = error * exp(z * z) * V(0.886226925452758013649);  // sqrt(pi) / 2
    z = z - newton / (V(1) + z * newton);
  }
  z = select(y == V(1), infinity<V>(), select(y > V(1), quiet_nan<V>(), z));
  return copysign(z, x);
}

}  // namespace tn::ops
