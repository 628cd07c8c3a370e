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
#include "core/restricted.h"
#include "core/tensor.h"
#include "core/thread.h"

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

inline bool alike(const tn_tensor* a, const tn_tensor* b) {
  return rank_and_dtype(a) == rank_and_dtype(b) && device_same(a->dl.device, b->dl.device) &&
         same_sizes(a, b);
}

inline bool plain(const tn_tensor* t) {
  return (t->flags & (TN_TENSOR_CONTIGUOUS | TN_TENSOR_WRAPPED)) == TN_TENSOR_CONTIGUOUS;
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

// A call under way.
struct Uniform {
  uint64_t layers;        // those that could want it; none once it has passed them
  bool varies;            // the inputs differ, so that the careful way is the one to go
  const tn_tensor* like;  // its first tensor
  tn_dtype result;
  const Kernel* kernel;  // null on devices without data
  LinearPlan plan;
};

// Starts on a call whose first tensor is `like`; false where dtypes or kernels need care.
[[gnu::always_inline]] inline bool begin(Uniform& call, const Operator& op, const Cell& cell,
                                         const tn_tensor* like, uint32_t flags, uint32_t nrets) {
  const auto compute = static_cast<tn_dtype>(like->dtype);
  call.like = like;
  call.result = static_cast<tn_dtype>(op.uniform_results[compute]);
  call.kernel = cell.planned[compute];
  if (call.result == TN_DTYPE_NONE || flags & TN_THREAD_DETERMINISTIC ||
      (!call.kernel && cell.has_data))
    return false;
  LinearPlan& plan = call.plan;
  plan_begin(plan, compute);
  plan.flags = TN_PLAN_CONTIGUOUS | (call.result == compute ? TN_PLAN_SAME_DTYPE : 0u);
  plan.ndim = 1;
  plan.noutputs = static_cast<uint16_t>(nrets);
  plan.numel = like->numel;
  plan.length = like->numel;
  plan.shape = &plan.length;
  return true;
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

// A number as operand `at`; false when it changes the dtype, or has no place in it.
bool add_number(LinearPlan& plan, uint32_t at, const tn_value& number, const tn_tensor* like) {
  if (!keeps_dtype(number, kDtypeFacts[like->dtype].category)) return false;
  const auto dtype = static_cast<tn_dtype>(like->dtype);
  if (tn_status refused = number_store(number, dtype, plan.numbers[at]))
    return tn_status_release(refused), false;  // the careful way will say so
  plan.no_step = 0;
  set_operand(plan.operands[at], plan.numbers[at], &plan.no_step,
              operand_form(dtype, like->dl.dtype.bits / 8u));
  return true;
}

// Puts the inputs into the plan; false when they are not uniform, or one has a layer that the
// call passes through.
[[gnu::always_inline]] inline bool add_inputs(Uniform& call, const Operator& op,
                                              const tn_value* args) {
  const tn_tensor* like = call.like;
  LinearPlan& plan = call.plan;
  const uint32_t size = like->dl.dtype.bits / 8u;
  const uint64_t form = operand_form(like->dtype, size);
  uint32_t at = plan.noutputs;
  call.varies = true;
  plan.input_step = size;
  for (uint32_t i = 0; i < op.nargs; ++i) {
    const tn_value& v = args[i];
    if (!(op.accepted[i] >> v.tag & 1)) return false;
    if (v.tag == TN_TAG_TENSOR) {
      const tn_tensor* t = v.u.tensor;
      if (t != like && tensor_layers(t) & call.layers) return call.varies = false;
      if (!plain(t) || (t != like && !alike(t, like))) return false;
      set_operand(plan.operands[at++], t->dl.data, &plan.input_step, form);
    } else if (op.operands >> i & 1 && v.tag != TN_TAG_NONE) {
      if (!add_number(plan, at++, v, like)) return false;
    }
  }
  plan.noperands = static_cast<uint16_t>(at);
  return true;
}

// Whether a given output can be written as it is.
bool takes(const Uniform& call, const Operator& op, const tn_value* args, const tn_tensor* out) {
  if (tensor_layers(out) & call.layers || out->dtype != call.result || !plain(out) ||
      out->dl.ndim != call.like->dl.ndim || !same_sizes(out, call.like) ||
      !device_same(out->dl.device, call.like->dl.device))
    return false;
  // The same memory, or other memory; what lies between is for the careful way.
  for (uint32_t i = 0; i < op.nargs; ++i)
    if (args[i].tag == TN_TAG_TENSOR && args[i].u.tensor->storage == out->storage &&
        args[i].u.tensor->dl.data != out->dl.data)
      return false;
  return true;
}

// Runs a call whose inputs are in the plan, on outputs that are new or in `rets`; false, and
// nothing done, when a given one needs the careful way.
[[gnu::always_inline]] inline bool run(Uniform& call, Frame& frame, const tn_value* args,
                                       uint32_t nargs, tn_value* rets, uint32_t nrets,
                                       tn_status* status) {
  LinearPlan& plan = call.plan;
  uint32_t i = 0;
  do {
    if (frame.form != TN_FUNCTIONAL) {
      if (!takes(call, *frame.entry, args, rets[i].u.tensor)) return false;
    } else if ((*status = tensor_allocate_like(call.like, call.result, frame.device, &rets[i]))) {
      return true;
    }
    const tn_tensor* t = rets[i].u.tensor;
    const uint32_t size = t->dl.dtype.bits / 8u;
    plan.output_step = size;
    set_operand(plan.operands[i], t->dl.data, &plan.output_step, operand_form(call.result, size));
  } while (__builtin_expect(++i < nrets, 0));
  if (__builtin_expect(call.kernel && plan.numel != 0, 1)) {
    frame.plan = &plan;
    *status = run_kernel(frame, *call.kernel, args, nargs, rets, nrets);
    frame.plan = nullptr;
    if (failed(*status)) return true;
  }
  outputs_written(frame, rets, nrets);
  return true;
}

}  // namespace

const uint8_t* uniform_results(uint32_t promotion) {
  return promotion <= TN_PROMOTE_REAL ? kResults.dtype[promotion] : nullptr;
}

tn_status execute_pointwise(Frame& frame, const Cell& cell, const tn_value* args, uint32_t nargs,
                            tn_value* rets, uint32_t nrets) {
  const Operator& op = *frame.entry;
  const tn_tensor* like = op.uniform_results && !frame.varies ? first_tensor(op, args) : nullptr;
  Uniform call;
  call.layers = 0;
  tn_status status = nullptr;
  if (like && begin(call, op, cell, like, frame.flags, nrets) && add_inputs(call, op, args) &&
      run(call, frame, args, nargs, rets, nrets, &status))
    return status;
  return execute_carefully(frame, cell, args, nargs, rets, nrets);
}

tn_status call_uniform(const tn_op* op, const tn_value* args, uint32_t nargs, tn_value* rets,
                       uint32_t nrets) {
  Operator& e = *op->entry;
  tn_thread_state& thread = thread_block.state;
  const tn_tensor* like = first_tensor(e, args);
  Uniform call;
  call.layers = layers_open(e, thread);
  if (__builtin_expect(!like || (thread.include | tensor_layers(like)) & call.layers ||
                           e.retired.load(std::memory_order_relaxed),
                       0))
    return call_general(op, args, nargs, rets, nrets, false);
  tn_value written;
  if (op->form == TN_INPLACE && nrets == 0) {  // the caller does not ask for what it has
    rets = &written;
    nrets = 1;
  }
  const Cell* cell = cell_if_built(e, like->dl.device.type);
  if (__builtin_expect(!cell || !begin(call, e, *cell, like, thread.flags, nrets), 0))
    return call_general(op, args, nargs, rets, nrets, false);
  if (__builtin_expect(!add_inputs(call, e, args), 0))
    return call_general(op, args, nargs, rets, nrets, call.varies);
  tn_status status = outputs_begin(op, args, rets, nrets);
  if (__builtin_expect(status != nullptr, 0)) return annotate_call(status, op, args, nargs);
  Frame frame;
  frame_begin(frame, op, like->dl.device, thread.flags);
  const uint64_t level = thread.level;
  thread.level = kRestrictedBit;
  const bool ran = run(call, frame, args, nargs, rets, nrets, &status);
  thread.level = level;
  if (__builtin_expect(!ran, 0)) return call_general(op, args, nargs, rets, nrets, false);
  if (__builtin_expect(frame.scratch != nullptr, 0)) scratch_release(frame, nullptr);
  if (__builtin_expect(status != nullptr, 0)) {
    outputs_drop(op, rets, nrets);
    return annotate_call(status, op, args, nargs);
  }
  return nullptr;
}

}  // namespace tenon
