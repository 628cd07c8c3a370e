// fill.h - operators that write a tensor in place: copy, fill, zero.
//
// Their kernels have no arithmetic, so there is no `value`: a device writes them once for all
// dtypes.
#pragma once

#include <tenon/ops/types.h>
#include <tenon/sdk/declare.h>

namespace tn::ops {

struct in_place : pointwise {
  static constexpr auto promotion = TN_PROMOTE_FIRST;
  static constexpr auto dtypes = all_dtypes;
  static constexpr uint32_t flags = TN_OP_INPLACE_ONLY;
};
struct Copy : in_place {
  static constexpr auto schema =
      "copy_(Tensor(a!) self, Tensor src, bool non_blocking=False) -> Tensor(a!)";
  static constexpr auto doc =
      "Writes src, broadcast and converted to self's dtype and device, into self.";
  static constexpr auto device_rule = TN_DEVICE_OF_FIRST;
  static constexpr auto complex_gradient = as_written;
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<>, [](auto g) { return zeros_like(g); }),
                      gradient<1>(reads<>, [](auto g) { return g; }));
};
struct Fill : in_place {
  static constexpr auto schema = "fill_.Scalar(Tensor(a!) self, Scalar value) -> Tensor(a!)";
  static constexpr auto doc = "Writes one number into every element.";
  static void check(DType compute, const tn_value* args) { require_fits(compute, args[1]); }
  static constexpr auto complex_gradient = as_written;
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<>, [](auto g) { return zeros_like(g); }));
};
struct Zero : in_place {
  static constexpr auto schema = "zero_(Tensor(a!) self) -> Tensor(a!)";
  static constexpr auto doc = "Writes 0 into every element.";
  static constexpr auto complex_gradient = as_written;
  static constexpr auto gradients =
      std::make_tuple(gradient<0>(reads<>, [](auto g) { return zeros_like(g); }));
};

using fill_ops = list<Copy, Fill, Zero>;

}  // namespace tn::ops
