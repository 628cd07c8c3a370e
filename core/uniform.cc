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

// Rank and dtype, which stand side by side, as one word; and a device.
inline uint64_t rank_and_dtype(const tn_tensor* t) {
  uint64_t word;
  std::memcpy(&word, &t->dl.ndim, sizeof word);
  return word;
}
static_assert(offsetof(tn_dltensor, ndim) + sizeof(int32_t) == offsetof(tn_dltensor, dtype) &&
              sizeof(tn_dldtype) == sizeof(int32_t));
inline uint64_t device_word(const tn_tensor* t) {
  return std::bit_cast<uint64_t>(t->dl.device);
}

// Whether two tensors of one rank have the same sizes.
inline bool same_sizes(const tn_tensor* a, const tn_tensor* b) {
  if (a->numel != b->numel) return false;
  if (__builtin_expect(a->dl.ndim <= 1, 1)) return true;
  for (int d = 0; d < a->dl.ndim; ++d)
    if (a->dl.shape[d] != b->dl.shape[d]) return false;
  return true;
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
  const tn_tensor* like;  // its first tensor
  tn_tensor* given;       // the output; null when it is to be made
  uint64_t layers;        // those that could want the call; none once it has passed them
  tn_dtype result;
  const Kernel* kernel;  // null on devices without data
};

// What its inputs are found to be.
enum class Inputs {
  uniform,
  varied,
  layered  // one has a layer that the call passes through
};

// Whether the given output can be written as it is.
inline bool takes(const Uniform& call) {
  const tn_tensor *out = call.given, *like = call.like;
  if (out->dtype != call.result) return false;
  return out == like ||
         (!(tensor_layers(out) & call.layers) && plain(out) && out->dl.ndim == like->dl.ndim &&
          device_word(out) == device_word(like) && same_sizes(out, like));
}

// Starts on a call, whose layers, first tensor and given output are known; false where dtypes,
// kernels or the output need care.
[[gnu::always_inline]] inline bool begin(Uniform& call, LinearPlan& plan, const Operator& op,
                                         const Cell& cell, uint32_t flags) {
  const tn_tensor* like = call.like;
  const auto compute = static_cast<tn_dtype>(like->dtype);
  call.result = static_cast<tn_dtype>(op.uniform_results[compute]);
  call.kernel = cell.planned[compute];
  if (call.result == TN_DTYPE_NONE || flags & TN_THREAD_DETERMINISTIC || !plain(like) ||
      (!call.kernel && cell.has_data) || (call.given && !takes(call)))
    return false;
  plan_begin(plan, compute);
  plan.flags = TN_PLAN_CONTIGUOUS | (call.result == compute ? TN_PLAN_SAME_DTYPE : 0u);
  plan.ndim = 1;
  plan.noutputs = 1;
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

// A number as an operand; false when it changes the dtype, or has no place in it.
bool add_number(LinearPlan& plan, tn_plan_operand* operand, const tn_value& number,
                const tn_tensor* like) {
  if (!keeps_dtype(number, kDtypeFacts[like->dtype].category)) return false;
  const auto dtype = static_cast<tn_dtype>(like->dtype);
  void* const element = plan.numbers[operand - plan.operands];
  if (tn_status refused = number_store(number, dtype, element))
    return tn_status_release(refused), false;  // the careful way will say so
  plan.no_step = 0;
  set_operand(*operand, element, &plan.no_step, operand_form(dtype, like->dl.dtype.bits / 8u));
  return true;
}

// Puts the inputs into the plan, if they are uniform.
[[gnu::always_inline]] inline Inputs add_inputs(const Uniform& call, LinearPlan& plan,
                                                const Operator& op, const tn_value* args) {
  const tn_tensor* like = call.like;
  const tn_storage* const written = call.given ? call.given->storage : nullptr;
  const uint32_t size = like->dl.dtype.bits / 8u;
  const uint64_t form = operand_form(like->dtype, size);
  plan.input_step = size;
  tn_plan_operand* operand = plan.operands + 1;
  const uint32_t* accepted = op.accepted;
  for (const tn_value *v = args, *end = args + op.nargs; v != end; ++v, ++accepted) {
    if (!(*accepted >> v->tag & 1)) return Inputs::varied;
    if (v->tag == TN_TAG_TENSOR) {
      const tn_tensor* t = v->u.tensor;
      if (t != like) {
        if (tensor_layers(t) & call.layers) return Inputs::layered;
        if (!plain(t) || rank_and_dtype(t) != rank_and_dtype(like) ||
            device_word(t) != device_word(like) || !same_sizes(t, like))
          return Inputs::varied;
      }
      // The output's memory, or other memory; what lies between is for the careful way.
      if (t->storage == written &&
          (t->dl.data != call.given->dl.data || t->dtype != call.given->dtype))
        return Inputs::varied;
      set_operand(*operand++, t->dl.data, &plan.input_step, form);
    } else if (op.operands >> (v - args) & 1 && v->tag != TN_TAG_NONE) {
      if (!add_number(plan, operand++, *v, like)) return Inputs::varied;
    }
  }
  plan.noperands = static_cast<uint16_t>(operand - plan.operands);
  return Inputs::uniform;
}

// Runs a call whose inputs are in the plan, which is the frame's. `ret` is the given output or
// empty.
[[gnu::always_inline]] inline tn_status run(const Uniform& call, LinearPlan& plan, Frame& frame,
                                            const tn_value* args, uint32_t nargs, tn_value* ret) {
  if (tn_status s = check_arguments(frame, static_cast<tn_dtype>(plan.compute_dtype), args, nargs))
    return s;
  if (!call.given)
    if (tn_status s = tensor_allocate_like(call.like, call.result, frame.device, ret)) return s;
  const tn_tensor* out = ret->u.tensor;
  const uint32_t size = out->dl.dtype.bits / 8u;
  plan.output_step = size;
  set_operand(plan.operands[0], out->dl.data, &plan.output_step, operand_form(call.result, size));
  if (__builtin_expect(call.kernel && plan.numel != 0, 1))
    if (tn_status s = run_kernel(frame, *call.kernel, args, nargs, ret, 1)) return s;
  if (call.given) tensor_bump_version(call.given);
  return nullptr;
}

}  // namespace

const uint8_t* uniform_results(uint32_t promotion) {
  return promotion <= TN_PROMOTE_REAL ? kResults.dtype[promotion] : nullptr;
}

tn_status execute_pointwise(Frame& frame, const Cell& cell, const tn_value* args, uint32_t nargs,
                            tn_value* rets, uint32_t nrets) {
  const Operator& op = *frame.entry;
  Uniform call;
  call.like = op.uniform_results && !frame.varies ? first_tensor(op, args) : nullptr;
  call.given = frame.form == TN_FUNCTIONAL ? nullptr : rets[0].u.tensor;
  call.layers = 0;
  LinearPlan plan;
  if (!call.like || !begin(call, plan, op, cell, frame.flags) ||
      add_inputs(call, plan, op, args) != Inputs::uniform)
    return execute_carefully(frame, cell, args, nargs, rets, nrets);
  frame.plan = &plan;
  tn_status status = run(call, plan, frame, args, nargs, rets);
  frame.plan = nullptr;
  return status;
}

tn_status call_uniform(const tn_op* op, const tn_value* args, uint32_t nargs, tn_value* rets,
                       uint32_t nrets) {
  Operator& e = *op->entry;
  tn_thread_state& thread = thread_block.state;
  Uniform call;
  call.like = first_tensor(e, args);
  call.layers = layers_open(e, thread);
  if (__builtin_expect(!call.like || (thread.include | tensor_layers(call.like)) & call.layers ||
                           e.retired.load(std::memory_order_relaxed),
                       0))
    return call_general(op, args, nargs, rets, nrets, false);
  tn_value ret{};
  if (op->form != TN_FUNCTIONAL) {
    ret = op->form == TN_INPLACE ? args[0] : rets[0];
    if (ret.tag != TN_TAG_TENSOR) return call_general(op, args, nargs, rets, nrets, false);
  }
  call.given = ret.u.tensor;
  LinearPlan plan;
  const Cell* cell = cell_if_built(e, call.like->dl.device.type);
  if (__builtin_expect(!cell || !begin(call, plan, e, *cell, thread.flags), 0))
    return call_general(op, args, nargs, rets, nrets, false);
  const Inputs inputs = add_inputs(call, plan, e, args);
  if (__builtin_expect(inputs != Inputs::uniform, 0))
    return call_general(op, args, nargs, rets, nrets, inputs == Inputs::varied);
  Frame frame;
  frame_begin(frame, op, call.like->dl.device, thread.flags);
  frame.plan = &plan;
  const uint64_t level = thread.level;
  thread.level = kRestrictedBit;
  tn_status status = run(call, plan, frame, args, nargs, &ret);
  thread.level = level;
  if (__builtin_expect(status != nullptr, 0)) {
    if (!call.given) {
      tn_value_drop(&ret);
      rets[0] = ret;
    }
    return annotate_call(status, op, args, nargs);
  }
  if (nrets) rets[0] = ret;  // an in-place call may not ask for what it has
  return nullptr;
}

}  // namespace tenon
