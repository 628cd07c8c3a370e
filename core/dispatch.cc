// One call, from the caller's arrays through the layers to the device.
#include <bit>
#include <cstring>

#include "core/arguments.h"
#include "core/call_tensors.h"
#include "core/error.h"
#include "core/execute.h"
#include "core/frame.h"
#include "core/host.h"
#include "core/memory.h"
#include "core/outputs.h"
#include "core/restricted.h"
#include "core/tensor.h"
#include "core/text.h"
#include "core/thread.h"

namespace tenon {
namespace {

// What the arguments say about where a call goes.
struct Scan {
  uint64_t layers = 0;
  uint64_t first = 0;      // the first tensor's device, as bits; 0: no tensor yet
  uint64_t different = 0;  // bits in which another tensor's device differs
  bool suspect = false;    // a list of tensors lacks one, or an enumerator does not exist
  tn_device device() const { return std::bit_cast<tn_device>(first); }
  bool mixed() const { return different != 0; }
};
static_assert(TN_DEVICE_NONE == 0);

inline void scan_tensor(Scan& scan, const tn_tensor* t) {
  scan.layers |= tensor_layers(t);
  const auto device = std::bit_cast<uint64_t>(t->dl.device);
  if (!scan.first) scan.first = device;
  scan.different |= device ^ scan.first;
}

constexpr uint64_t kLookedInto = uint64_t{1} << TN_TAG_TENSORS | uint64_t{1} << TN_TAG_DTYPE |
                                 uint64_t{1} << TN_TAG_LAYOUT | uint64_t{1} << TN_TAG_MEMORY_FORMAT;

// By value, so that the callers' scan stays in registers.
[[gnu::noinline]] Scan look_into(Scan scan, const tn_value& v) {
  if (v.tag != TN_TAG_TENSORS) {
    scan.suspect |= !arguments_enumerator_exists(v);
    return scan;
  }
  for (uint32_t i = 0; i < v.len; ++i) {
    if (v.u.tensors[i])
      scan_tensor(scan, v.u.tensors[i]);
    else
      scan.suspect = true;
  }
  return scan;
}

inline void scan_value(Scan& scan, const tn_value& v) {
  if (v.tag == TN_TAG_TENSOR) {
    scan_tensor(scan, v.u.tensor);
  } else if (__builtin_expect(kLookedInto >> (v.tag & 63) & 1, 0)) {
    scan = look_into(scan, v);
  }
}

void scan_values(Scan& scan, const tn_value* values, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) scan_value(scan, values[i]);
}

Scan scan_call(const tn_op* op, const tn_value* args, uint32_t nargs, const tn_value* rets,
               uint32_t nrets) {
  Scan scan;
  scan_values(scan, args, nargs);
  if (op->form == TN_OUT) scan_values(scan, rets, nrets);
  return scan;
}

// A 0-dim tensor of the host may join tensors of any device.
bool joins(const tn_tensor* t) {
  return t->dl.ndim == 0 && tn_device_flags(t->dl.device.type) & TN_DEVICE_HOST;
}

// The device of a call whose tensors are on several, or that has none or names one.
tn_status resolve_device(const Operator& op, const tn_value* args, uint32_t nargs, Scan scan,
                         tn_device* out) {
  if (op.desc.device_rule == TN_DEVICE_ARGUMENT) {
    const int at = op.positions.device;
    if (at >= 0 && args[at].tag == TN_TAG_DEVICE) {
      *out = args[at].u.device;
      return device_resolve(out);
    }
    if (!scan.first) return device_default(out);
  }
  *out = scan.device();
  if (!scan.mixed() || op.desc.device_rule != TN_DEVICE_SAME) return nullptr;
  const tn_tensor *first = nullptr, *other = nullptr;
  uint32_t first_at = 0, other_at = 0;
  all_tensors(args, nargs, [&](const tn_tensor* t, uint32_t at) {
    if (joins(t)) return true;
    if (!first) {
      first = t;
      first_at = at;
    } else if (!device_same(first->dl.device, t->dl.device)) {
      other = t;
      other_at = at;
    }
    return !other;
  });
  if (other)
    return TN_ERROR(TN_RUNTIME_ERROR,
                    "%s: all tensors must be on one device, but %s is %s and %s is %s; move "
                    "one with to(device)",
                    op.name(), op.schema->args[first_at].name, TensorText(first).c_str(),
                    op.schema->args[other_at].name, TensorText(other).c_str());
  if (first) *out = first->dl.device;
  return nullptr;
}

// Tensors that live elsewhere are copied to the call's device first: 0-dim host tensors, and
// whatever a row that runs on its first tensor's device is given.
tn_status gather(Frame& frame, tn_value* args, uint32_t nargs, OwnedValues& copies) {
  for (uint32_t i = 0; i < nargs; ++i) {
    if (args[i].tag != TN_TAG_TENSOR) continue;
    tn_tensor* t = args[i].u.tensor;
    if (device_same(t->dl.device, frame.device)) continue;
    tn_tensor* moved = nullptr;
    if (tn_status s = tn_tensor_to(t, frame.device, static_cast<tn_dtype>(t->dtype), &moved))
      return s;
    copies.add(moved);
    args[i].u.tensor = moved;
  }
  return nullptr;
}

tn_status run_device_gathered(Frame& frame, const tn_value* args, uint32_t nargs, tn_value* rets,
                              uint32_t nrets) {
  tn_value moved[64];
  std::memcpy(moved, args, nargs * sizeof(tn_value));
  OwnedValues copies;
  if (tn_status s = gather(frame, moved, nargs, copies)) return s;
  return execute(frame, moved, nargs, rets, nrets);
}

[[gnu::noinline]] bool on_several_devices(const Frame& frame, const tn_value* args,
                                          uint32_t nargs) {
  const uint16_t rule = frame.entry->desc.device_rule;
  if (rule == TN_DEVICE_ANY || rule == TN_DEVICE_ARGUMENT) return false;
  for (uint32_t i = 0; i < nargs; ++i)
    if (args[i].tag == TN_TAG_TENSOR && !device_same(args[i].u.tensor->dl.device, frame.device))
      return true;
  return false;
}

inline bool needs_gathering(const Frame& frame, const tn_value* args, uint32_t nargs) {
  return args != frame.gathered && on_several_devices(frame, args, nargs);
}

tn_status run_layer(Frame& frame, const tn_value* args, uint32_t nargs, tn_value* rets,
                    uint32_t nrets) {
  tn_thread_state& thread = thread_block.state;
  const uint64_t level = thread.level, layers = frame.layers;
  const int bit = 63 - __builtin_clzll(layers);
  const uint64_t below = (uint64_t{1} << bit) - 1;
  const LayerKernel& kernel = layer_kernel(*frame.entry, bit);
  Scratch* const scratch = frame.scratch;
  frame.layers = layers & below;
  thread.level = level & below;
  tn_status status = kernel.fn(&frame, kernel.state, args, nargs, rets, nrets);
  if (frame.scratch != scratch) scratch_release(frame, scratch);
  frame.layers = layers;
  thread.level = level;
  return status;
}

[[gnu::always_inline]] inline tn_status run_on_device(Frame& frame, const tn_value* args,
                                                      uint32_t nargs, tn_value* rets,
                                                      uint32_t nrets, bool gather_first) {
  tn_thread_state& thread = thread_block.state;
  const uint64_t level = thread.level;
  thread.level = kRestrictedBit;
  tn_status status = __builtin_expect(gather_first, 0)
                         ? run_device_gathered(frame, args, nargs, rets, nrets)
                         : execute(frame, args, nargs, rets, nrets);
  thread.level = level;
  return status;
}

}  // namespace

tn_status run_restricted(tn_frame* raw, void*, const tn_value* args, uint32_t nargs, tn_value* rets,
                         uint32_t nrets) {
  Frame& frame = core(raw);
  tn_value moved[64];
  OwnedValues copies;
  if (needs_gathering(frame, args, nargs)) {
    std::memcpy(moved, args, nargs * sizeof(tn_value));
    if (tn_status s = gather(frame, moved, nargs, copies)) return s;
    args = moved;
  }
  thread_block.state.level = kRestrictedBit;
  return execute_restricted(frame, args, nargs, rets, nrets);
}

namespace {

// Continues below frame.layers' highest bit: the next layer, or the device.
tn_status descend(Frame& frame, const tn_value* args, uint32_t nargs, tn_value* rets,
                  uint32_t nrets) {
  if (frame.layers) return run_layer(frame, args, nargs, rets, nrets);
  return run_on_device(frame, args, nargs, rets, nrets, needs_gathering(frame, args, nargs));
}

}  // namespace

tn_status call_destination(const Operator& op, const tn_value* args, uint32_t nargs,
                           tn_device* device, uint64_t* layers) {
  Scan scan;
  scan_values(scan, args, nargs);
  *layers = scan.layers;
  return resolve_device(op, args, nargs, scan, device);
}

tn_status annotate_call(tn_status status, const tn_op* op, const tn_value* args, uint32_t nargs) {
  ShortText call;
  call.append("%s%s(", op->entry->schema->name,
              op->form == TN_INPLACE && !(op->entry->desc.flags & TN_OP_INPLACE_ONLY) ? "_" : "");
  for (uint32_t i = 0; i < nargs && call.length < 300; ++i) {
    if (i) call.append(", ");
    append_value(call, args[i]);
  }
  call.append(")");
  return tn_status_annotate(explainable(status), "in %s:", call.c_str());
}

namespace {

// Inlined into the way that almost every call takes.
[[gnu::always_inline]] inline tn_status call_scanned(const tn_op* op, Scan scan,
                                                     const tn_value* args, uint32_t nargs,
                                                     tn_value* rets, uint32_t nrets, bool varies) {
  Operator& e = *op->entry;
  const tn_thread_state& thread = thread_block.state;
  tn_device device = scan.device();
  if (__builtin_expect(scan.mixed() || !scan.first || e.desc.device_rule == TN_DEVICE_ARGUMENT, 0))
    if (tn_status s = resolve_device(e, args, nargs, scan, &device)) return s;
  if (__builtin_expect(scan.suspect, 0))
    if (tn_status s = arguments_check_contents(e, args)) return s;
  if (tn_status s = outputs_begin(op, args, rets, nrets)) return s;
  Frame frame;
  frame_begin(frame, op, device, thread.flags);
  frame.layers = (scan.layers | thread.include) & layers_open(e, thread);
  frame.gathered = scan.mixed() ? nullptr : args;
  frame.varies = varies;
  tn_status status;
  if (__builtin_expect(frame.layers == 0, 1)) {
    status = run_on_device(frame, args, nargs, rets, nrets, needs_gathering(frame, args, nargs));
  } else if (frame.layers != kRestrictedBit && runs_above_layers(e, frame.device.type)) {
    // Above all layers: the calls it makes see what it would have seen itself.
    status = execute_decomposition(frame, args, nargs, rets, nrets);
  } else {
    status = run_layer(frame, args, nargs, rets, nrets);
  }
  if (__builtin_expect(frame.scratch != nullptr, 0)) scratch_release(frame, nullptr);
  if (__builtin_expect(frame.resized != nullptr, 0)) outputs_settle(frame, status != nullptr);
  if (__builtin_expect(status != nullptr, 0)) outputs_drop(op, rets, nrets);
  return status;
}

}  // namespace

void scratch_release(Frame& frame, Scratch* kept) {
  while (frame.scratch != kept) {
    Scratch* block = frame.scratch;
    frame.scratch = block->next;
    memory_free(block, block->nbytes);
  }
}

namespace {

// A call whose arguments are not in normal form.
tn_status call_slow(const tn_op* op, const tn_value* args, uint32_t nargs, tn_value* rets,
                    uint32_t nrets) {
  const Operator& e = *op->entry;
  if (e.retired.load(std::memory_order_relaxed))
    return TN_ERROR(TN_NOT_FOUND, "operator %s is gone: its plugin was unloaded", e.name());
  if (nrets < e.nrets && op->form != TN_INPLACE)
    return TN_ERROR(TN_TYPE_ERROR, "%s has %u results; there is room for %u", e.name(), e.nrets,
                    nrets);
  ArgumentBuffer buffer;
  tn_status status = arguments_normalize(e, args, nargs, buffer);
  if (status) return status;
  // The in-place form may be called without room for results: layers still see the tensor written.
  tn_value written[8];
  if (op->form == TN_INPLACE && nrets < e.nrets) {
    if (e.nrets > 8) return TN_ERROR(TN_TYPE_ERROR, "%s has %u results", e.name(), e.nrets);
    rets = written;
  }
  const Scan scan = scan_call(op, buffer.values, e.nargs, rets, e.nrets);
  status = call_scanned(op, scan, buffer.values, e.nargs, rets, e.nrets, false);
  return status ? annotate_call(status, op, buffer.values, e.nargs) : nullptr;
}

}  // namespace

tn_status call_general(const tn_op* op, const tn_value* args, uint32_t nargs, tn_value* rets,
                       uint32_t nrets, bool varies) {
  const Operator& e = *op->entry;
  if (__builtin_expect(nargs != e.nargs || nrets != e.nrets, 0))
    return call_slow(op, args, nargs, rets, nrets);
  uint32_t fits = 1;
  Scan scan;
  for (uint32_t i = 0; i < nargs; ++i) {
    fits &= e.accepted[i] >> args[i].tag;
    scan_value(scan, args[i]);
  }
  if (__builtin_expect(!(fits & 1) || e.retired.load(std::memory_order_relaxed), 0))
    return call_slow(op, args, nargs, rets, nrets);
  if (op->form == TN_OUT) scan_values(scan, rets, nrets);
  tn_status status = call_scanned(op, scan, args, nargs, rets, nrets, varies);
  return __builtin_expect(status != nullptr, 0) ? annotate_call(status, op, args, nargs) : nullptr;
}

// ---- the C functions, declared in the ABI's headers
// -----------------------------------------------

extern "C" {

TN_API tn_status tn_call(const tn_op* op, const tn_value* args, uint32_t nargs, tn_value* rets,
                         uint32_t nrets) {
  const Operator& e = *op->entry;
  const bool complete = nargs == e.nargs && (nrets == 1 || (nrets == 0 && op->form == TN_INPLACE));
  return complete && e.uniform_results ? call_uniform(op, args, nargs, rets, nrets)
                                       : call_general(op, args, nargs, rets, nrets, false);
}

TN_API tn_status tn_next(tn_frame* frame, const tn_value* args, uint32_t nargs, tn_value* rets,
                         uint32_t nrets) {
  return descend(core(frame), args, nargs, rets, nrets);
}

TN_API tn_status tn_redispatch(tn_frame* frame, const tn_value* args, uint32_t nargs,
                               tn_value* rets, uint32_t nrets) {
  Frame& f = core(frame);
  const tn_thread_state& thread = thread_block.state;
  const Scan scan = scan_call(f.op, args, nargs, rets, nrets);
  const uint64_t layers = f.layers;
  const tn_device device = f.device;
  const tn_value* const gathered = f.gathered;
  if (tn_status s = resolve_device(*f.entry, args, nargs, scan, &f.device)) return s;
  f.layers = (scan.layers | thread.include) & layers_open(*f.entry, thread);
  f.gathered = scan.mixed() ? nullptr : args;
  tn_status status = descend(f, args, nargs, rets, nrets);
  f.layers = layers;
  f.device = device;
  f.gathered = gathered;
  return status;
}

TN_API void* tn_scratch(tn_frame* frame, size_t nbytes) {
  Frame& f = core(frame);
  constexpr size_t kHeader = TN_ALIGNMENT;  // keeps what follows aligned
  if (nbytes > SIZE_MAX - kHeader) return nullptr;
  auto* block = static_cast<Scratch*>(memory_allocate(nbytes + kHeader));
  if (!block) return nullptr;
  block->nbytes = nbytes + kHeader;
  block->next = f.scratch;
  f.scratch = block;
  return reinterpret_cast<char*>(block) + kHeader;
}

}  // extern "C"

}  // namespace tenon
