// The calls that most programs make most: element-wise, on contiguous tensors of one dtype and size
// and numbers that change neither. Nothing is to be promoted, broadcast or sorted, so one pass over
// the arguments fills the plan.
#include <bit>
#include <cstddef>
#include <cstring>

#include <tenon/thread.h>

#include "core/dtype.h"
#include "core/error.h"
#include "core/execute.h"
#include "core/number.h"
#include "core/outputs.h"
#include "core/plan.h"
#include "core/promote.h"
#include "core/tensor.h"

namespace tenon {
namespace {

// The dtype of results, by promotion rule and the inputs' dtype; TN_DTYPE_NONE where the inputs
// would be converted first.
struct ResultTable {
  uint8_t dtype[TN_PROMOTE_REAL + 1][kDtypeCount];
};
constexpr ResultTable kResults = [] {
  ResultTable table{};
  for (int rule = 0; rule <= TN_PROMOTE_REAL; ++rule)
    for (int d = 0; d < kDtypeCount; ++d) {
      int result = promoted_result(static_cast<uint32_t>(rule), static_cast<tn_dtype>(d));
      if (rule == TN_PROMOTE_FLOAT && kDtypeFacts[d].category <= Category::integer)
        result = TN_DTYPE_NONE;
      table.dtype[rule][d] = static_cast<uint8_t>(result);
    }
  return table;
}();

// Whether a number leaves the dtype of its fellow inputs as it is.
bool keeps_dtype(const tn_value& number, Category category) {
  if (number.tag == TN_TAG_FLOAT) return category >= Category::floating;
  if (number.tag == TN_TAG_INT) return category >= Category::integer;
  return number.tag == TN_TAG_BOOL;
}

inline bool same_sizes(const tn_tensor* a, const tn_tensor* b) {
  for (int d = 0; d < a->dl.ndim; ++d)
    if (a->dl.shape[d] != b->dl.shape[d]) return false;
  return true;
}

// Rank and dtype, which stand side by side, as one word.
inline uint64_t rank_and_dtype(const tn_tensor* t) {
  uint64_t word;
  std::memcpy(&word, &t->dl.ndim, sizeof word);
  return word;
}
static_assert(offsetof(tn_dltensor, ndim) + sizeof(int32_t) == offsetof(tn_dltensor, dtype) &&
              sizeof(tn_dldtype) == sizeof(int32_t));

inline bool plain(const tn_tensor* t) {
  return (t->flags & (TN_TENSOR_CONTIGUOUS | TN_TENSOR_WRAPPED)) == TN_TENSOR_CONTIGUOUS;
}

// Whether a given output can be written as it is.
bool takes(const Frame& frame, const tn_tensor* like, int dtype, const tn_value* args,
           const tn_tensor* out) {
  if (out->dtype != dtype || !(out->flags & TN_TENSOR_CONTIGUOUS) ||
      out->dl.ndim != like->dl.ndim || !same_sizes(out, like) ||
      !device_same(out->dl.device, frame.device))
    return false;
  // The same memory, or other memory; what lies between is for the careful way.
  for (const uint8_t at : frame.entry->tensor_args)
    if (args[at].tag == TN_TAG_TENSOR && args[at].u.tensor->storage == out->storage &&
        args[at].u.tensor->dl.data != out->dl.data)
      return false;
  return true;
}

// The first input that is a tensor; null when there is none.
inline const tn_tensor* first_tensor(const Operator& op, const tn_value* args) {
  if (__builtin_expect(args[0].tag == TN_TAG_TENSOR, 1)) return args[0].u.tensor;
  for (const uint8_t at : op.tensor_args)
    if (args[at].tag == TN_TAG_TENSOR) return args[at].u.tensor;
  return nullptr;
}

// The plan of such a call: one dimension, and steps that are an element or nothing.
struct LinearPlan : tn_plan {
  int64_t length;
  int64_t input_step, output_step, no_step;
  alignas(16) char numbers[TN_PLAN_MAX_OPERANDS][16];
};

inline void begin(LinearPlan& plan, tn_dtype compute, tn_dtype result, int64_t numel,
                  uint32_t nrets) {
  plan_begin(plan, compute);
  plan.flags = TN_PLAN_CONTIGUOUS | (result == compute ? TN_PLAN_SAME_DTYPE : 0u);
  plan.ndim = 1;
  plan.noutputs = static_cast<uint16_t>(nrets);
  plan.numel = numel;
  plan.length = numel;
  plan.shape = &plan.length;
}

// What follows the pointers of an operand, as one word: a call fills several.
inline uint64_t operand_form(uint32_t dtype, uint32_t element_size) {
  return dtype | uint64_t{element_size} << 32;
}
inline void set_operand(tn_plan_operand& operand, void* data, const int64_t* step, uint64_t form) {
  operand.data = data;
  operand.strides = step;
  std::memcpy(&operand.dtype, &form, sizeof form);
}
static_assert(offsetof(tn_plan_operand, dtype) + sizeof(uint64_t) == sizeof(tn_plan_operand) &&
              std::endian::native == std::endian::little);

// Puts the inputs into the plan; false when the call is not uniform.
inline bool add_inputs(LinearPlan& plan, uint32_t at, const Operator& op, const tn_value* args,
                       const tn_tensor* like, tn_status* status) {
  const uint32_t dtype = like->dtype, size = like->dl.dtype.bits / 8u;
  const uint64_t form = operand_form(dtype, size), shared = rank_and_dtype(like);
  plan.input_step = size;
  for (const uint8_t position : op.tensor_args) {
    const tn_value& v = args[position];
    if (__builtin_expect(v.tag == TN_TAG_TENSOR, 1)) {
      const tn_tensor* t = v.u.tensor;
      if (rank_and_dtype(t) != shared || !plain(t) || !same_sizes(t, like)) return false;
      set_operand(plan.operands[at++], t->dl.data, &plan.input_step, form);
    } else if (v.tag != TN_TAG_NONE) {
      if (!keeps_dtype(v, kDtypeFacts[dtype].category)) return false;
      char* number = plan.numbers[at];
      if ((*status = number_store(v, static_cast<tn_dtype>(dtype), number))) return false;
      plan.no_step = 0;
      set_operand(plan.operands[at++], number, &plan.no_step, form);
    }
  }
  plan.noperands = static_cast<uint16_t>(at);
  return true;
}

// Makes the outputs and puts them into the plan; false when a given one needs the careful way.
inline bool add_outputs(Frame& frame, LinearPlan& plan, const tn_value* args, const tn_tensor* like,
                        tn_dtype dtype, tn_value* rets, uint32_t nrets, tn_status* status) {
  uint32_t i = 0;
  do {
    if (__builtin_expect(frame.form != TN_FUNCTIONAL, 0)) {
      if (!takes(frame, like, dtype, args, rets[i].u.tensor)) return false;
    } else if ((*status = tensor_allocate_like(like, dtype, frame.device, &rets[i]))) {
      return false;
    }
    const tn_tensor* t = rets[i].u.tensor;
    const uint32_t size = t->dl.dtype.bits / 8u;
    plan.output_step = size;
    set_operand(plan.operands[i], t->dl.data, &plan.output_step, operand_form(dtype, size));
  } while (__builtin_expect(++i < nrets, 0));
  return true;
}

}  // namespace

const uint8_t* uniform_results(uint32_t promotion) {
  return promotion <= TN_PROMOTE_REAL ? kResults.dtype[promotion] : nullptr;
}

tn_status execute_pointwise(Frame& frame, const Cell& cell, const tn_value* args, uint32_t nargs,
                            tn_value* rets, uint32_t nrets) {
  const Operator& op = *frame.entry;
  const tn_tensor* like = op.uniform_results ? first_tensor(op, args) : nullptr;
  if (!like) return execute_carefully(frame, cell, args, nargs, rets, nrets);
  const auto compute = static_cast<tn_dtype>(like->dtype);
  const auto result = static_cast<tn_dtype>(op.uniform_results[compute]);
  const Kernel* kernel = cell.planned[compute];
  if (__builtin_expect(result == TN_DTYPE_NONE || frame.flags & TN_THREAD_DETERMINISTIC ||
                           (!kernel && cell.has_data),
                       0))
    return execute_carefully(frame, cell, args, nargs, rets, nrets);

  LinearPlan plan;
  begin(plan, compute, result, like->numel, nrets);
  tn_status status = nullptr;
  if (__builtin_expect(!add_inputs(plan, nrets, op, args, like, &status) ||
                           !add_outputs(frame, plan, args, like, result, rets, nrets, &status),
                       0))
    return status ? status : execute_carefully(frame, cell, args, nargs, rets, nrets);
  if (__builtin_expect(kernel && plan.numel != 0, 1)) {
    frame.plan = &plan;
    status = run_kernel(frame, *kernel, args, nargs, rets, nrets);
    frame.plan = nullptr;
    if (failed(status)) return status;
  }
  outputs_written(frame, rets, nrets);
  return nullptr;
}

}  // namespace tenon
