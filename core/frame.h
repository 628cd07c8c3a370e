// The core's half of a call frame.
#pragma once

#include <tenon/operator.h>

#include "core/host.h"
#include "core/registry.h"

namespace tenon {

// Memory that a running kernel asked for, freed when it returns.
struct Scratch {
  Scratch* next;
  size_t nbytes;
};

// A given output as it was before the call resized it: what to go back to when the call fails.
struct Resized {
  Resized* next;
  tn_tensor* tensor;
  int64_t offset;
  int32_t ndim;
  int64_t sizes[TN_MAX_DIMS];
  int64_t strides[TN_MAX_DIMS];
};

struct Frame : tn_frame {
  Operator* entry;
  Scratch* scratch;
  Resized* resized;          // the last one first
  const tn_value* gathered;  // arguments whose tensors are known to be on one device; or null
  bool varies;               // an element-wise call whose tensors are known not to be alike
};

inline Frame& core(tn_frame* f) {
  return *static_cast<Frame*>(f);
}

// A frame for `op` on `device`, below all layers.
inline void frame_begin(Frame& f, const tn_op* op, tn_device device, uint32_t flags) {
  f.host = host_table();
  f.op = op;
  f.device = device;
  f.layers = 0;
  f.plan = nullptr;
  f.stream = nullptr;
  f.form = op->form;
  f.flags = flags;
  f.entry = op->entry;
  f.scratch = nullptr;
  f.resized = nullptr;
  f.gathered = nullptr;
  f.varies = false;
}

// The layers that the calling thread passes through on the way to `op`, where it has work for them.
inline uint64_t layers_open(const Operator& op, const tn_thread_state& thread) {
  return ~thread.exclude & thread.level &
         (op.layers.load(std::memory_order_acquire) | fallback_layers());
}

// Frees the frame's scratch memory down to `kept`.
void scratch_release(Frame& frame, Scratch* kept);

// Values of a call that own what they hold: dropped when the scope ends, whatever happens.
class OwnedValues {
 public:
  OwnedValues() = default;
  ~OwnedValues() {
    for (uint32_t i = 0; i < count; ++i) tn_value_drop(&values[i]);
  }
  OwnedValues(const OwnedValues&) = delete;
  OwnedValues& operator=(const OwnedValues&) = delete;

  // Schemas have at most 64 arguments, each of which may be widened and then made contiguous.
  static constexpr uint32_t kMax = 128;
  tn_value values[kMax];
  uint32_t count = 0;
  void add(tn_tensor* owned) {
    values[count] = {};
    values[count].tag = TN_TAG_TENSOR;
    values[count++].u.tensor = owned;
  }
};

// Where a call goes: its tensors' layers, and its device, whose type is NONE for a call that
// neither has a tensor nor names a device. Error: tensors on devices that do not go together.
tn_status call_destination(const Operator& op, const tn_value* args, uint32_t nargs,
                           tn_device* device, uint64_t* layers);

// Puts "in add(f32[2], f32[3])" before the message.
tn_status annotate_call(tn_status status, const tn_op* op, const tn_value* args, uint32_t nargs);

}  // namespace tenon
