// How a call would travel, without running it.
#include <tenon/explain.h>
#include <tenon/thread.h>

#include <string>
#include <vector>

#include "core/arguments.h"
#include "core/call_tensors.h"
#include "core/choose.h"
#include "core/dtype.h"
#include "core/error.h"
#include "core/guard.h"
#include "core/host.h"
#include "core/json.h"
#include "core/promote.h"
#include "core/registry.h"
#include "core/restricted.h"
#include "core/tensor.h"
#include "core/text.h"
#include "core/thread.h"

namespace tenon {
namespace {

struct Story {
  std::string call, device, outcome, kernel;
  std::vector<std::string> layers, providers;
};

std::string text_of(const tn_op* op, const tn_value* args, uint32_t nargs) {
  ShortText t;
  t.append("%s(", op->entry->name());
  for (uint32_t i = 0; i < nargs; ++i) {
    if (i) t.append(", ");
    append_value(t, args[i]);
  }
  t.append(")");
  return t.c_str();
}

void scan(const tn_value* args, uint32_t nargs, uint64_t* layers, tn_device* device) {
  each_tensor(args, nargs, [&](const tn_tensor* t, uint32_t) {
    *layers |= tensor_layers(t);
    if (device->type == TN_DEVICE_NONE) *device = t->dl.device;
  });
}

// The dtype that a plan would compute in; NONE for operators without plans.
tn_dtype compute_dtype(const Operator& op, const tn_value* args) {
  if (op.desc.kind != TN_KIND_POINTWISE && op.desc.kind != TN_KIND_REDUCTION) return TN_DTYPE_NONE;
  Promotion promotion;
  for (const uint8_t at : op.tensor_args) {
    if (args[at].tag == TN_TAG_TENSOR)
      promotion.add(args[at].u.tensor);
    else if (args[at].tag != TN_TAG_NONE)
      promotion.add(args[at]);
  }
  const tn_dtype c = promotion.result();
  return op.desc.promotion == TN_PROMOTE_FLOAT && dtype_category(c) <= Category::integer
             ? default_float()
             : c;
}

tn_status tell(const tn_op* op, const tn_value* args, uint32_t nargs, Story& story) {
  Operator& e = *op->entry;
  uint64_t layers = 0;
  tn_device device{TN_DEVICE_NONE, 0};
  scan(args, nargs, &layers, &device);
  if (device.type == TN_DEVICE_NONE)
    if (tn_status s = device_default(&device)) return s;
  const tn_thread_state& thread = thread_block.state;
  layers = (layers | thread.include) & ~thread.exclude & thread.level &
           (e.layers.load() | fallback_layers());
  const bool is_restricted = layers & kRestrictedBit;
  layers &= ~kRestrictedBit;
  story.call = text_of(op, args, nargs);
  story.device = tn_device_name(device.type);
  for (uint64_t rest = layers; rest;) {
    const uint64_t bit = uint64_t{1} << (63 - __builtin_clzll(rest));
    story.layers.emplace_back(tn_layer_name(bit));
    rest &= ~bit;
  }
  if (layers && runs_above_layers(e, device.type))
    story.outcome = "its decomposition runs above the layers, which see the calls it makes";

  const Cell* cell = nullptr;
  const tn_device_vtable* table = nullptr;
  if (tn_status s = device_require(device.type, &table)) return s;
  if (tn_status s = cell_for(e, device.type, &cell)) return s;
  Cell visible;  // all that a restricted tensor leaves
  if (is_restricted) {
    visible.candidates = kernels_that_may_see(*cell, args, nargs);
    visible.all = cell->all;
    visible.has_data = cell->has_data;
    cell = &visible;
  }
  Frame frame{};
  frame.host = host_table();
  frame.op = op;
  frame.device = device;
  frame.entry = &e;
  const tn_dtype compute = all_strided(args, nargs) ? compute_dtype(e, args) : TN_DTYPE_NONE;
  Fitting fitting = Fitting::none;
  const Kernel* chosen = table->flags & TN_DEVICE_NO_DATA ? nullptr
                         : compute != TN_DTYPE_NONE
                             ? choose_for_dtype(frame, *cell, compute, args, nargs)
                             : choose_for_tensors(frame, *cell, args, nargs, &fitting);
  for (const Kernel* k : is_restricted ? cell->all : cell->candidates) {
    std::string line =
        k->provider + " on " + k->device + (k == chosen ? ": chosen" : ": passed over");
    if (k == chosen && compute != TN_DTYPE_NONE)
      line += std::string(", computes in ") + tn_dtype_name(compute);
    if (k == chosen && fitting == Fitting::contiguous) line += ", with contiguous copies";
    if (k == chosen && fitting == Fitting::widened) line += ", with arguments widened";
    story.providers.push_back(line);
  }
  if (!story.outcome.empty()) return nullptr;
  if (chosen) story.kernel = chosen->provider;
  story.outcome = chosen ? "kernel of provider " + chosen->provider
                  : table->flags & TN_DEVICE_NO_DATA && e.desc.kind != TN_KIND_COMPOSITE &&
                          e.desc.kind != TN_KIND_DIRECT
                      ? "stops after inferring: the device has no data"
                  : e.desc.decomposition ? "its decomposition into other operators"
                                         : "an error: no kernel takes this call";
  return nullptr;
}

std::string as_text(const Story& s) {
  std::string t = s.call + "\n  device    " + s.device + "\n  layers    ";
  for (const std::string& l : s.layers) t += l + " -> ";
  t += s.layers.empty() ? "none" : "device";
  t += "\n  providers";
  if (s.providers.empty()) t += " none";
  for (const std::string& p : s.providers) t += "\n    " + p;
  return t + "\n  outcome   " + s.outcome + "\n";
}

std::string as_json(const Story& s) {
  JsonWriter w;
  w.open_object();
  w.member("call", s.call);
  w.member("device", s.device);
  w.open_array("layers");
  for (const std::string& l : s.layers) w.item(l);
  w.close_array();
  w.open_array("providers");
  for (const std::string& p : s.providers) w.item(p);
  w.close_array();
  w.member("kernel", s.kernel);
  w.member("outcome", s.outcome);
  w.close_object();
  return w.text();
}

}  // namespace
// ---- the C functions, declared in the ABI's headers
// -----------------------------------------------

extern "C" {

TN_API tn_status tn_explain(const tn_op* op, const tn_value* args, uint32_t nargs, int32_t json,
                            tn_value* out) {
  return guard([&]() -> tn_status {
    ArgumentBuffer buffer;
    if (tn_status s = arguments_normalize(*op->entry, args, nargs, buffer)) return s;
    Story story;
    if (tn_status s = tell(op, buffer.values, op->entry->nargs, story)) return s;
    const std::string text = json ? as_json(story) : as_text(story);
    const tn_value whole = [&] {
      tn_value v{};
      v.tag = TN_TAG_STRING;
      v.len = static_cast<uint32_t>(text.size());
      v.u.str = text.c_str();
      return v;
    }();
    return tn_value_copy(&whole, out);
  });
}

}  // extern "C"

}  // namespace tenon
