#include "pointwise_kernel.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/sdk/declare.h>

#include "convert.h"
#include "number.h"
#include "parallel.h"
#include "pointwise_driver.h"
#include "vector_type.h"

namespace tn::cpu {
namespace {

constexpr int64_t kSpreadBytes = 4096;

// The operator's check has seen that the mode is one of them.
const RunTable& choose_table(const PointwiseKernel& k, const tn_value* args) {
  if (k.signature.mode < 0) return k.tables[0];
  const tn_value& text = args[k.signature.mode];
  int i = 0;
  while (i < k.nmodes - 1 && std::string_view(text.u.str, text.len) != k.modes[i]) ++i;
  return k.tables[i];
}

void store_param(const PointwiseKernel& k, int i, const tn_value* args, DType compute,
                 void* element) {
  const tn_value& number = args[k.signature.params[i]];
  const DType dtype = arithmetic_dtype(compute);
  if (number.tag == TN_TAG_NONE) {
    store_nearest(element, dtype, k.absent(i, compute));
  } else if (number.tag == TN_TAG_FLOAT) {
    store_nearest(element, dtype, number.u.f);
  } else {
    store_number(element, dtype, number);
  }
}

// What a run wants of input i.
DType wanted_dtype(const PointwiseKernel& k, int i, DType compute) {
  return i == k.condition ? TN_BOOL : arithmetic_dtype(compute);
}

// Small calls of dense operands and numbers, all in the dtype that the run wants: false for others.
bool run_small(const tn_plan& plan, const PointwiseKernel& k, RunFn run, DType out,
               const void* params) {
  if (!(plan.flags & TN_PLAN_CONTIGUOUS) || plan.numel > kGrain || plan.operands[0].dtype != out)
    return false;
  const DType compute = static_cast<DType>(plan.compute_dtype);
  const int ninputs = k.signature.ntensors;
  alignas(kVectorBytes) char spread[kMaxInputs][kSpreadBytes];
  Run r;
  for (int i = 0; i < ninputs; ++i) {
    const tn_plan_operand& o = plan.operands[1 + i];
    if (o.dtype != wanted_dtype(k, i, compute)) return false;
    r.in[i] = o.data;
    if (plan.numel == 1 || o.strides[0] != 0) continue;
    if (plan.numel * o.element_size > kSpreadBytes) return false;
    const DType dtype = static_cast<DType>(o.dtype);
    convert_function(dtype, dtype)(spread[i], o.element_size, o.data, 0, plan.numel);
    r.in[i] = spread[i];
  }
  r.out = plan.operands[0].data;
  r.params = params;
  r.n = plan.numel;
  r.streams = false;
  run(r);
  return true;
}

bool is_number(const tn_value& v) {
  return v.tag == TN_TAG_INT || v.tag == TN_TAG_FLOAT || v.tag == TN_TAG_BOOL;
}

// A run that only looks: sets the flag that params points to.
template <class T>
void find_zero(const Run& r) {
  const T* in = static_cast<const T*>(r.in[0]);
  bool found = false;
  for (int64_t i = 0; i < r.n; ++i) found |= in[i] == T(0);
  if (found) __atomic_store_n(*static_cast<bool* const*>(r.params), true, __ATOMIC_RELAXED);
}
RunFn zero_finder(DType dtype) {
  switch (dtype) {
    case TN_U8:
      return find_zero<uint8_t>;
    case TN_I8:
      return find_zero<int8_t>;
    case TN_I16:
      return find_zero<int16_t>;
    case TN_I32:
      return find_zero<int32_t>;
    case TN_I64:
      return find_zero<int64_t>;
    default:
      return nullptr;
  }
}

// Integers have no infinity to answer with; nothing is written when a divisor is zero.
void reject_zero_divisor(const tn_plan& plan) {
  const DType compute = static_cast<DType>(plan.compute_dtype);
  const RunFn finder = zero_finder(compute);
  if (!finder || plan.numel == 0) return;
  bool found = false;
  bool* flag = &found;
  PointwiseDriver driver(plan, finder, &flag, false);
  driver.add_input(plan.operands[2], compute);
  driver.go();
  if (found) fail(TN_RUNTIME_ERROR, "ZeroDivisionError: integer division by zero");
}

// The parameters as elements, one after the other.
struct Params {
  alignas(16) char elements[kMaxParams * 16];
  [[gnu::always_inline]] Params(const PointwiseKernel& k, int nparams, DType compute,
                                const tn_value* args) {
    for (int i = 0; i < nparams; ++i) {
      char* const element = elements + i * element_size(arithmetic_dtype(compute));
      const tn_value& number = args[k.signature.params[i]];
      if (compute == TN_F32 && number.tag == TN_TAG_INT)  // alpha = 1, the most frequent of all
        *reinterpret_cast<float*>(element) = static_cast<float>(number.u.i);
      else
        store_param(k, i, args, compute, element);
    }
  }
};

// The least that a call can cost: a few dense operands that the inner loop takes as they are. False
// when there is more to do.
template <int ninputs, int nparams>
[[gnu::always_inline]] inline bool run_plainly(const tn_plan& plan, const PointwiseKernel& k,
                                               DType compute, const tn_value* args) {
  constexpr uint32_t kPlain = TN_PLAN_CONTIGUOUS | TN_PLAN_SAME_DTYPE;
  if ((plan.flags & kPlain) != kPlain || plan.numel > kGrain || !(k.plain >> compute & 1))
    return false;
  Run r;
  const bool single = plan.numel == 1;
  for (int i = 0; i < ninputs; ++i) {
    const tn_plan_operand& o = plan.operands[1 + i];
    if (!single && o.strides[0] == 0) return false;  // a number, for more than one element
    r.in[i] = o.data;
  }
  const Params params(k, nparams, compute, args);
  r.out = plan.operands[0].data;
  r.params = params.elements;
  r.n = plan.numel;
  r.streams = false;
  k.tables[0].run[compute](r);
  return true;
}

// Kept apart, so that plain calls do not pay for what it needs on the stack.
[[gnu::noinline]] void run_generally(const tn_plan& plan, const PointwiseKernel& kernel,
                                     DType compute, const tn_value* args) {
  const PointwiseKernel* shortcut = kernel.shortcut ? kernel.shortcut(plan, args) : nullptr;
  const PointwiseKernel& k = shortcut ? *shortcut : kernel;
  const RunTable& table = choose_table(k, args);
  if (k.divides) reject_zero_divisor(plan);
  const Params params(k, k.signature.nparams, compute, args);
  run_pointwise(plan, k, table, params.elements, args);
}

// The kernel of operators with so many inputs and parameters: counts that are known leave no loops.
template <int ninputs, int nparams>
tn_status kernel(tn_frame* frame, void* state, const tn_value* args, uint32_t, tn_value*,
                 uint32_t) noexcept {
  const tn_plan& plan = *frame->plan;
  const PointwiseKernel& k = *static_cast<const PointwiseKernel*>(state);
  return guard([&] {
    const DType compute = static_cast<DType>(plan.compute_dtype);
    if (!run_plainly<ninputs, nparams>(plan, k, compute, args))
      run_generally(plan, k, compute, args);
  });
}

template <int ninputs, int... nparams>
constexpr std::array<tn_kernel_fn, kMaxParams + 1> kernels_of(
    std::integer_sequence<int, nparams...>) {
  return {kernel<ninputs, nparams>...};
}
template <int... ninputs>
constexpr auto make_kernels(std::integer_sequence<int, ninputs...>) {
  return std::array{kernels_of<ninputs>(std::make_integer_sequence<int, kMaxParams + 1>())...};
}
// By inputs and parameters.
constexpr auto kKernels = make_kernels(std::make_integer_sequence<int, kMaxInputs + 1>());

}  // namespace

void run_pointwise(const tn_plan& plan, const PointwiseKernel& k, const RunTable& table,
                   const void* params, const tn_value* args) {
  const DType compute = static_cast<DType>(plan.compute_dtype);
  const RunFn run = table.run[compute];
  const DType out = static_cast<DType>(table.out_dtype[compute]);
  const int ninputs = k.signature.ntensors;
  if (run_small(plan, k, run, out, params)) return;
  PointwiseDriver driver(plan, run, params, k.streams && (out == TN_F32 || out == TN_F64));
  driver.set_output(plan.operands[0], out);
  // 16-bit floats compute in float, so numbers take part in float's precision.
  alignas(16) char numbers[kMaxInputs][16];
  for (int i = 0; i < ninputs; ++i) {
    const DType wanted = wanted_dtype(k, i, compute);
    const tn_value& arg = args[k.signature.tensors[i]];
    if (wanted != compute && i != k.condition && is_number(arg)) {
      store_number(numbers[i], wanted, arg);
      driver.add_number(numbers[i], wanted);
    } else {
      driver.add_input(plan.operands[1 + i], wanted);
    }
  }
  driver.go();
}

void register_pointwise(tn_plugin* plugin, const char* schema, uint64_t dtypes,
                        const PointwiseKernel* k) {
  const std::string name = ops::detail::full_name(schema);
  tn_kernel_desc desc = TN_INIT(tn_kernel_desc);
  desc.op = name.c_str();
  desc.device = "cpu";
  desc.fn = kKernels[static_cast<size_t>(k->signature.ntensors)]
                    [static_cast<size_t>(k->signature.nparams)];
  desc.state = const_cast<PointwiseKernel*>(k);
  desc.caps = TN_INIT(tn_caps);
  desc.caps.flags = TN_CAP_PLAN | TN_CAP_ALIAS_SAFE | TN_CAP_DETERMINISTIC;
  desc.caps.dtypes = dtypes;
  check(api->register_kernel(plugin, &desc));
}

}  // namespace tn::cpu
