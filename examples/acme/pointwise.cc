// Element-wise kernels. Each walks a plan: one loop nest over outputs and inputs, in which the core
// has settled broadcasting, promotion and the order of dimensions.
#include <tenon/plan.h>

#include <cstring>

#include "plugin.h"

namespace acme {
namespace {

constexpr uint64_t kDtypes = TN_DTYPE_BIT(TN_BOOL) | TN_DTYPE_BIT(TN_I32) | TN_DTYPE_BIT(TN_I64) |
                             TN_DTYPE_BIT(TN_F32) | TN_DTYPE_BIT(TN_F64);

// Calls f with a value of the C++ type of a dtype.
template <class F>
auto with_type(uint16_t dtype, F&& f) {
  switch (dtype) {
    case TN_BOOL:
      return f(bool{});
    case TN_I32:
      return f(int32_t{});
    case TN_I64:
      return f(int64_t{});
    case TN_F32:
      return f(float{});
    case TN_F64:
      return f(double{});
    default:
      tn::fail(TN_TYPE_ERROR, "acme has no kernels for %s",
               tn::api->dtype_name(static_cast<tn_dtype>(dtype)));
  }
}

// An element of an operand, whose dtype may be another than the one that is computed in.
template <class T>
T load(const tn_plan_operand& operand, int64_t offset) {
  return with_type(operand.dtype, [&](auto element) {
    std::memcpy(&element, static_cast<const char*>(operand.data) + offset, sizeof element);
    return static_cast<T>(element);
  });
}

template <class T>
void store(const tn_plan_operand& operand, int64_t offset, T value) {
  with_type(operand.dtype, [&](auto element) {
    element = static_cast<decltype(element)>(value);
    std::memcpy(static_cast<char*>(operand.data) + offset, &element, sizeof element);
  });
}

// Output = f(inputs), for each element. A real backend has a loop of its own for the common case,
// TN_PLAN_CONTIGUOUS with TN_PLAN_SAME_DTYPE, and vectors in it.
template <class T, class F>
void map(const tn_plan& plan, F&& f) {
  int64_t index[TN_MAX_DIMS] = {}, offsets[TN_PLAN_MAX_OPERANDS] = {};
  for (int64_t i = 0; i < plan.numel; ++i) {
    T inputs[TN_PLAN_MAX_OPERANDS] = {};
    for (int k = 1; k < plan.noperands; ++k) inputs[k - 1] = load<T>(plan.operands[k], offsets[k]);
    store<T>(plan.operands[0], offsets[0], f(inputs));
    for (int d = 0; d < plan.ndim; ++d) {
      for (int k = 0; k < plan.noperands; ++k) offsets[k] += plan.operands[k].strides[d];
      if (++index[d] < plan.shape[d]) break;
      for (int k = 0; k < plan.noperands; ++k)
        offsets[k] -= plan.operands[k].strides[d] * plan.shape[d];
      index[d] = 0;
    }
  }
}

template <class T>
T number(const tn::Scalar& value) {
  return std::is_integral_v<T> ? static_cast<T>(value.integer()) : static_cast<T>(value.real());
}

void copy(tn::Frame& frame) {
  const tn_plan& plan = frame.plan();
  with_type(plan.compute_dtype, [&](auto element) {
    map<decltype(element)>(plan, [](const auto* in) { return in[0]; });
  });
}

// Parameters follow the schema; what is in the plan needs no name.
void fill(const tn::Tensor&, const tn::Scalar& value, tn::Frame& frame) {
  const tn_plan& plan = frame.plan();
  with_type(plan.compute_dtype, [&](auto element) {
    using T = decltype(element);
    map<T>(plan, [v = number<T>(value)](const T*) { return v; });
  });
}

void add(const tn::Tensor&, const tn::Tensor&, const tn::Scalar& alpha, tn::Frame& frame) {
  const tn_plan& plan = frame.plan();
  with_type(plan.compute_dtype, [&](auto element) {
    using T = decltype(element);
    map<T>(plan, [a = number<T>(alpha)](const T* in) { return static_cast<T>(in[0] + a * in[1]); });
  });
}

}  // namespace

void register_pointwise(tn_plugin* plugin) {
  tn_caps caps = TN_INIT(tn_caps);
  caps.flags = TN_CAP_PLAN | TN_CAP_ALIAS_SAFE | TN_CAP_DETERMINISTIC;
  caps.dtypes = kDtypes;
  tn::register_kernel<copy>(plugin, "copy_", "acme", caps);
  tn::register_kernel<fill>(plugin, "fill_.Scalar", "acme", caps);
  tn::register_kernel<add>(plugin, "add.Tensor", "acme", caps);
}

}  // namespace acme
