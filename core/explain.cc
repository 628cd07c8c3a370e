// How a call would travel, without running it.
#include <tenon/explain.h>
#include <tenon/thread.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/arguments.h"
#include "core/choose.h"
#include "core/concat.h"
#include "core/config.h"
#include "core/dtype.h"
#include "core/error.h"
#include "core/execute.h"
#include "core/guard.h"
#include "core/host.h"
#include "core/json.h"
#include "core/loader.h"
#include "core/problem.h"
#include "core/restricted.h"
#include "core/tensor.h"
#include "core/text.h"
#include "core/thread.h"

namespace tenon {
namespace {

struct Candidate {
  const Kernel* kernel;
  std::string reason;
  bool chosen;
};

struct Story {
  std::string call, schema, device, compute_dtype, kernel, unavailable, outcome;
  std::vector<std::string> layers, conversions;
  std::vector<Candidate> providers;
  bool fails = false;
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

std::string text_of(tn_device device) {
  if (device.type == TN_DEVICE_NONE) return "none";
  ShortText name;
  name.append("%s", tn_device_name(device.type));
  if (device.index > 0) name.append(":%d", device.index);
  return name.c_str();
}

// Consumes a failure: it is the call's outcome. True when there was one.
bool ends_with(tn_status failure, Story& story) {
  if (!failure) return false;
  story.outcome = concat({"an error: ", to_problem(failure).text});
  story.fails = true;
  return true;
}

bool contains(const std::vector<const Kernel*>& kernels, const Kernel* kernel) {
  return std::find(kernels.begin(), kernels.end(), kernel) != kernels.end();
}

// What the operator itself has to say, before any kernel is looked at.
tn_status examine(Frame& frame, const tn_value* args, uint32_t nargs, tn_dtype* compute) {
  switch (frame.entry->desc.kind) {
    case TN_KIND_POINTWISE:
      if (tn_status s = pointwise_compute_dtype(frame, args, compute)) return s;
      return check_arguments(frame, *compute, args, nargs);
    case TN_KIND_REDUCTION:
      if (tn_status s = reduction_compute_dtype(frame, args, compute)) return s;
      return check_arguments(frame, *compute, args, nargs);
    case TN_KIND_STRUCTURED: {
      std::vector<tn_meta> metas(frame.entry->nrets);
      return structured_infer(frame, args, nargs, metas.data(), frame.entry->nrets);
    }
    default:
      return nullptr;
  }
}

void tell_layers(uint64_t layers, Story& story) {
  while (layers) {
    const uint64_t bit = uint64_t{1} << (63 - __builtin_clzll(layers));
    story.layers.emplace_back(tn_layer_name(bit));
    layers &= ~bit;
  }
}

// What happens to tensor arguments on their way to the chosen kernel.
void tell_conversions(const Frame& frame, const Kernel& kernel, Fitting fitting, tn_dtype compute,
                      const tn_value* args, uint32_t nargs, Story& story) {
  const tn_op_desc& desc = frame.entry->desc;
  for (uint32_t i = 0; i < nargs; ++i) {
    if (args[i].tag != TN_TAG_TENSOR) continue;
    const tn_tensor* t = args[i].u.tensor;
    const char* name = frame.entry->schema->args[i].name;
    const auto own = static_cast<tn_dtype>(t->dtype);
    const auto add = [&](const char* what, const char* from, const char* to, const char* how) {
      ShortText line;
      line.append("%s: %s%s%s%s%s", name, what, from, *to ? " to " : "", to, how);
      story.conversions.emplace_back(line.c_str());
    };
    const bool follows =
        desc.device_rule == TN_DEVICE_SAME || desc.device_rule == TN_DEVICE_OF_FIRST;
    if (follows && !device_same(t->dl.device, frame.device))
      add("copied from ", text_of(t->dl.device).c_str(), story.device.c_str(), "");
    const bool planned = compute != TN_DTYPE_NONE;
    // A condition is read as the bools that it is.
    if (planned && desc.promotion == TN_PROMOTE_SECOND && i == 0) continue;
    const tn_dtype wanted = planned ? compute : fitted_dtype(kernel, fitting, t);
    if (wanted != own)
      add("", tn_dtype_name(own), tn_dtype_name(wanted), planned ? ", block by block" : "");
    if (!planned && wants_contiguous(kernel, t)) add("made contiguous", "", "", "");
  }
}

void tell_without_kernel(const Operator& op, uint32_t device_flags, Story& story) {
  if (op.desc.decomposition) {
    story.outcome = "its decomposition into other operators";
  } else if (device_flags & (TN_DEVICE_HOST | TN_DEVICE_NO_DATA) ||
             config_fallback() == FallbackPolicy::kError) {
    story.outcome = "an error: no kernel takes this call";
    story.fails = true;
  } else {
    story.outcome = "runs on the host, since the configuration says fallback = ";
    story.outcome += config_fallback() == FallbackPolicy::kWarn ? "\"warn\"" : "\"host\"";
  }
}

// The device's part: which kernel, and what is done to the arguments for it.
tn_status tell_device(Frame& frame, const tn_value* args, uint32_t nargs, bool is_restricted,
                      Story& story) {
  Operator& op = *frame.entry;
  const tn_device_vtable* table = nullptr;
  const Cell* cell = nullptr;
  if (frame.device.type != TN_DEVICE_NONE)
    if (tn_status s = device_require(frame.device.type, &table)) return s;
  if (tn_status s = cell_for(op, frame.device.type, &cell)) return s;
  Cell visible;  // all that a restricted tensor leaves
  if (is_restricted) {
    visible.candidates = kernels_that_may_see(*cell, args, nargs);
    visible.all = cell->all;
    visible.has_data = cell->has_data;
    cell = &visible;
  }
  const uint32_t flags = table ? table->flags : 0;
  story.unavailable = provider_failures(op.name(), story.device);
  tn_dtype compute = TN_DTYPE_NONE;
  // Without strides there is neither a plan nor anything to infer from (restricted.cc).
  const bool strided = !is_restricted || all_strided(args, nargs);
  if (strided && ends_with(examine(frame, args, nargs, &compute), story)) {
    for (const Kernel* k : cell->candidates)
      story.providers.push_back({k, "not asked: the arguments are wrong", false});
    return nullptr;
  }
  if (compute != TN_DTYPE_NONE) story.compute_dtype = tn_dtype_name(compute);

  Fitting fitting = Fitting::none;
  const bool no_data = flags & TN_DEVICE_NO_DATA;
  const Kernel* chosen = no_data ? nullptr
                         : compute != TN_DTYPE_NONE
                             ? choose_for_dtype(frame, *cell, compute, args, nargs)
                             : choose_for_tensors(frame, *cell, args, nargs, &fitting);
  for (const Kernel* k : is_restricted ? cell->all : cell->candidates) {
    ShortText reason;
    if (is_restricted && !contains(cell->candidates, k))
      reason.append("it may not see these tensors");
    else if (k != chosen)
      explain_refusal(frame, *k, compute, args, nargs, reason);
    if (k != chosen && !reason.length)
      reason.append(no_data ? "the device has no data" : "comes later");
    story.providers.push_back({k, reason.c_str(), k == chosen});
  }
  if (chosen) {
    story.kernel = chosen->provider;
    tell_conversions(frame, *chosen, fitting, compute, args, nargs, story);
  }
  if (!story.outcome.empty()) return nullptr;
  const bool infers = op.desc.kind != TN_KIND_COMPOSITE && op.desc.kind != TN_KIND_DIRECT;
  if (chosen)
    story.outcome = concat({"kernel of provider ", chosen->provider});
  else if (no_data && infers)
    story.outcome = "stops after inferring: the device has no data";
  else
    tell_without_kernel(op, flags, story);
  return nullptr;
}

tn_status tell(const tn_op* op, const tn_value* args, uint32_t nargs, Story& story) {
  Operator& e = *op->entry;
  Frame frame{};
  frame.host = host_table();
  frame.op = op;
  frame.entry = &e;
  frame.form = op->form;
  story.call = text_of(op, args, nargs);
  story.schema = e.schema->text;
  uint64_t layers = 0;
  tn_status misplaced = call_destination(e, args, nargs, &frame.device, &layers);
  story.device = text_of(frame.device);
  const tn_thread_state& thread = thread_block.state;
  frame.flags = thread.flags;
  layers = (layers | thread.include) & ~thread.exclude & thread.level &
           (e.layers.load() | fallback_layers());
  const bool is_restricted = layers & kRestrictedBit;
  layers &= ~kRestrictedBit;
  tell_layers(layers, story);
  if (ends_with(misplaced, story)) return nullptr;
  if (layers && runs_above_layers(e, frame.device.type))
    story.outcome = "its decomposition runs above the layers, which see the calls it makes";
  return tell_device(frame, args, nargs, is_restricted, story);
}

std::string as_text(const Story& s) {
  std::string t;
  append(&t, {s.call, "\n  device    ", s.device, "\n  layers    "});
  for (const std::string& l : s.layers) append(&t, {l, " -> "});
  append(&t, {s.layers.empty() ? "none" : "device", "\n  providers"});
  if (s.providers.empty()) append(&t, {" none"});
  for (const Candidate& c : s.providers) {
    append(&t, {"\n    ", c.kernel->provider, " on ", c.kernel->device,
                c.chosen ? ": chosen" : ": passed over", c.reason.empty() ? "" : ", ", c.reason});
    if (c.chosen && !s.compute_dtype.empty()) append(&t, {", computes in ", s.compute_dtype});
  }
  if (!s.unavailable.empty()) append(&t, {"\n  missing   ", s.unavailable});
  for (const std::string& c : s.conversions) append(&t, {"\n  converts  ", c});
  append(&t, {"\n  outcome   ", s.outcome, "\n"});
  return t;
}

std::string as_json(const Story& s) {
  JsonWriter w;
  const auto list = [&](std::string_view key, const std::vector<std::string>& items) {
    w.open_array(key);
    for (const std::string& item : items) w.item(item);
    w.close_array();
  };
  w.open_object();
  w.member("call", s.call);
  w.member("schema", s.schema);
  w.member("device", s.device);
  list("layers", s.layers);
  w.open_array("providers");
  for (const Candidate& c : s.providers) {
    w.open_object();
    w.member("provider", c.kernel->provider);
    w.member("device", c.kernel->device);
    w.member("chosen", c.chosen);
    w.member("reason", c.reason);
    w.close_object();
  }
  w.close_array();
  w.member("unavailable", s.unavailable);
  w.member("kernel", s.kernel);
  w.member("compute_dtype", s.compute_dtype);
  list("conversions", s.conversions);
  w.member("fails", s.fails);
  w.member("outcome", s.outcome);
  w.close_object();
  return w.text();
}

tn_status value_of_text(const std::string& text, tn_value* out) {
  tn_value whole{};
  whole.tag = TN_TAG_STRING;
  whole.len = static_cast<uint32_t>(text.size());
  whole.u.str = text.c_str();
  return tn_value_copy(&whole, out);
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
    return value_of_text(json ? as_json(story) : as_text(story), out);
  });
}

TN_API tn_status tn_op_providers(const tn_op* op, int32_t device_type, tn_value* out) {
  return guard([&]() -> tn_status {
    const Cell* cell = nullptr;
    if (!device_in_range(device_type))
      return TN_ERROR(TN_INVALID_ARGUMENT, "tn_op_providers(%s): no device type %d",
                      op->entry->name(), device_type);
    if (tn_status s = cell_for(*op->entry, device_type, &cell)) return s;
    std::string names;
    for (const Kernel* k : cell->candidates)
      append(&names, {names.empty() ? "" : ", ", k->provider});
    return value_of_text(names, out);
  });
}

}  // extern "C"

}  // namespace tenon
