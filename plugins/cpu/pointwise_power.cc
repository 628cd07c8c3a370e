#include <tenon/ops/binary.h>
#include <tenon/ops/unary.h>

#include "convert.h"
#include "kernels.h"
#include "pointwise.h"

namespace tn::cpu {
namespace {

struct Cube : ops::float_function {
  static constexpr auto schema = "cube(Tensor self) -> Tensor";
  template <class V>
  static constexpr V value(V x) {
    return x * x * x;
  }
};
struct InverseSquare : ops::float_function {
  static constexpr auto schema = "inverse_square(Tensor self) -> Tensor";
  template <class V>
  static constexpr V value(V x) {
    return V(1) / (x * x);
  }
};

// Powers with a common exponent cost one multiplication or root.
const PointwiseKernel* common_power(const tn_plan& plan, const tn_value*) {
  if (!is_floating(static_cast<DType>(plan.compute_dtype))) return nullptr;
  const tn_plan_operand& exponent = plan.operands[2];
  for (int d = 0; d < plan.ndim; ++d)
    if (exponent.strides[d] != 0) return nullptr;
  double value;
  convert_function(TN_F64, static_cast<tn_dtype>(exponent.dtype))(&value, sizeof value,
                                                                  exponent.data, 0, 1);
  if (value == 2) return &kernel_of<ops::Square>;
  if (value == 0.5) return &kernel_of<ops::Sqrt>;
  if (value == 3) return &kernel_of<Cube>;
  if (value == 1) return &kernel_of<ops::Positive>;
  if (value == -1) return &kernel_of<ops::Reciprocal>;
  if (value == -0.5) return &kernel_of<ops::Rsqrt>;
  if (value == -2) return &kernel_of<InverseSquare>;
  return nullptr;
}

}  // namespace

template <>
inline constexpr PointwiseKernel::Shortcut shortcut_of<ops::Pow> = common_power;

void register_power(tn_plugin* plugin) {
  register_pointwise(plugin, ops::power_ops());
}

}  // namespace tn::cpu
