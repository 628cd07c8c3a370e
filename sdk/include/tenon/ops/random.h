// random.h - operators that fill a tensor with random numbers.
//
// The tensor's elements, in row-major order, take the words of the Philox 4x32-10 stream that the
// generator reserves one after the other, so a seed gives the same numbers on every device and with
// any number of threads. A number takes one word, of f64 two:
//   uniform_     word i, of which as many leading bits are used as the dtype has digits
//   normal_      elements 2j and 2j+1 are r cos(a) and r sin(a), r from the first word(s), a from
//   the second bernoulli_   1 where word i / 2^32 is below p, for every dtype
#pragma once

#include <tenon/ops/types.h>
#include <tenon/sdk/declare.h>

namespace tn::ops {

struct random_fill : pointwise {
  static constexpr auto promotion = TN_PROMOTE_FIRST;
  static constexpr auto dtypes = floats;
  static constexpr uint32_t flags = TN_OP_INPLACE_ONLY | TN_OP_RNG;
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<>, [](auto g) { return zeros_like(g); }));
};
struct Uniform : random_fill {
  static constexpr auto schema =
      "uniform_(Tensor(a!) self, float from=0, float to=1, *, Generator? generator=None) -> "
      "Tensor(a!)";
  static constexpr auto doc = "Fills self with numbers spread evenly over [from, to).";
  static void check(DType, const tn_value* args) {
    const double from = args[1].u.f, to = args[2].u.f;
    if (!(from <= to))
      fail(TN_INVALID_ARGUMENT, "uniform_ needs from <= to, not from=%g, to=%g", from, to);
  }
};
struct Normal : random_fill {
  static constexpr auto schema =
      "normal_(Tensor(a!) self, float mean=0, float std=1, *, Generator? generator=None) -> "
      "Tensor(a!)";
  static constexpr auto doc =
      "Fills self with normally distributed numbers (Box and Muller, 1958).";
  static void check(DType, const tn_value* args) {
    const double deviation = args[2].u.f;
    if (!(deviation >= 0)) fail(TN_INVALID_ARGUMENT, "normal_ needs std >= 0, not %g", deviation);
  }
};
struct Bernoulli : random_fill {
  static constexpr auto schema =
      "bernoulli_.float(Tensor(a!) self, float p=0.5, *, Generator? generator=None) -> Tensor(a!)";
  static constexpr auto doc = "Fills self with 1 at probability p, else 0.";
  static void check(DType, const tn_value* args) {
    const double p = args[1].u.f;
    if (!(p >= 0 && p <= 1)) fail(TN_INVALID_ARGUMENT, "bernoulli_ needs 0 <= p <= 1, not %g", p);
  }
  static constexpr auto dtypes = all_reals;
};

using random_ops = list<Uniform, Normal, Bernoulli>;

}  // namespace tn::ops
