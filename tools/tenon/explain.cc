#include <tenon/sdk/error.h>
#include <tenon/thread.h>

#include <memory>

#include "call.h"
#include "commands.h"
#include "inference.h"
#include "json.h"
#include "layout.h"
#include "registry.h"
#include "report.h"

namespace command {
namespace {

struct Explained {
  std::unique_ptr<Call> call;
  Json story;
};

// Visits a layer whatever the tensors say, for the time of a scope.
class IncludeLayer {
 public:
  explicit IncludeLayer(const char* name) {
    const std::uint64_t bit = name ? tn::api->layer_bit(name) : 0;
    if (name && bit == 0) {
      tn::fail(TN_NOT_FOUND,
               "--%s: no layer named %s is registered, since no plugin found provides one; `tenon "
               "plugins` lists those found",
               name, name);
    }
    tn::api->thread_state_get(&previous_);
    tn_thread_state state = previous_;
    state.include |= bit;
    tn::api->thread_state_set(&state, nullptr);
  }
  ~IncludeLayer() { tn::api->thread_state_set(&previous_, nullptr); }
  IncludeLayer(const IncludeLayer&) = delete;
  IncludeLayer& operator=(const IncludeLayer&) = delete;

 private:
  tn_thread_state previous_{};
};

Explained explain_overload(const tn_op* op, const std::vector<Argument>& arguments, bool grad) {
  Explained found;
  found.call = std::make_unique<Call>(op, arguments, grad);
  const auto& values = found.call->values();
  found.story = Json::parse(text_from([&](tn_value* out) {
    return tn::api->explain(op, values.data(), static_cast<std::uint32_t>(values.size()), 1, out);
  }));
  return found;
}

// "add_" is looked up as add: the same operator in the form that was named.
const tn_op* in_form_of(const std::string& name, const tn_op* op) {
  if (name != std::string(tn::api->op_schema(op)->name) + "_") return op;
  const tn_op* in_place = nullptr;
  tn::check(tn::api->op_form(op, TN_INPLACE, &in_place));
  return in_place;
}

// The first overload that takes the arguments, in the order of declaration, as in Python.
Explained explain_name(const Options& options, const std::vector<Argument>& arguments) {
  std::string reasons;
  for (const tn_op* op : operators_named(options.op)) {
    try {
      return explain_overload(in_form_of(options.op, op), arguments, options.grad);
    } catch (const tn::Error& error) {
      reasons += std::string("\n  ") + tn::api->op_schema(op)->text + "\n      " + error.what();
    }
  }
  tn::fail(TN_TYPE_ERROR, "%s cannot be called with (%s)%s", options.op.c_str(),
           options.args.c_str(), reasons.c_str());
}

std::string describe(const Json& output) {
  if (output.is_array()) {
    std::string items;
    for (const Json& item : output) items += (items.empty() ? "" : ", ") + describe(item);
    return "[" + items + "]";
  }
  if (!output.is_object()) return output.is_null() ? "none" : output.dump();
  std::string text = output["dtype"].get<std::string>() + output["sizes"].dump();
  text += "@" + output["device"].get<std::string>();
  // In row-major order each stride is the product of the sizes that follow.
  std::int64_t expected = 1;
  bool row_major = true;
  for (std::size_t d = output["sizes"].size(); d-- > 0;) {
    const std::int64_t size = output["sizes"][d];
    row_major &= size <= 1 || output["strides"][d] == expected;
    expected *= size;
  }
  return row_major ? text : text + ", strides " + output["strides"].dump();
}

std::string as_text(const Json& story) {
  std::vector<std::vector<std::string>> rows;
  const auto add = [&](const char* label, const std::string& text) {
    if (!text.empty()) rows.push_back({std::string("  ") + label, text});
  };
  std::string layers, providers, conversions, outputs;
  for (const std::string layer : story["layers"]) layers += layer + " -> ";
  for (const Json& provider : story["providers"]) {
    if (!providers.empty()) providers += '\n';
    providers += provider["provider"].get<std::string>() + " on " +
                 provider["device"].get<std::string>() +
                 (provider["chosen"] ? ": chosen" : ": passed over");
    const std::string reason = provider["reason"];
    if (!reason.empty()) providers += ", " + reason;
  }
  for (const std::string conversion : story["conversions"]) {
    conversions += (conversions.empty() ? "" : "\n") + conversion;
  }
  for (const Json& output : story["outputs"]) {
    outputs += (outputs.empty() ? "" : "\n") + describe(output);
  }
  if (story["outputs"].is_null() && !story["fails"]) {
    outputs = "unknown: " + story["outputs_unknown"].get<std::string>();
  }
  add("schema", story["schema"]);
  add("device", story["device"]);
  add("layers", layers.empty() ? "none" : layers + "device");
  add("providers", providers.empty() ? "none" : providers);
  add("unavailable", story["unavailable"]);
  add("computes in", story["compute_dtype"]);
  add("converts", conversions);
  add("outputs", outputs);
  add("outcome", story["outcome"]);
  return wrap(story["call"].get<std::string>(), 0, 4) + '\n' + columns(rows);
}

}  // namespace

Answer explain(const Options& options) {
  tn::init();
  const std::vector<Argument> arguments = parse_arguments(options.args);
  Explained found;
  {
    const IncludeLayer layer(options.autocast ? "autocast" : nullptr);
    found = explain_name(options, arguments);
  }
  Json& story = found.story;
  Inference inference;
  if (!story["fails"]) inference = infer(*found.call, story["device"]);
  if (!inference.error.empty()) {
    story["fails"] = true;
    story["kernel"] = "";
    story["outcome"] = "an error: " + inference.error;
  }
  story["outputs"] = inference.outputs;
  story["outputs_unknown"] = inference.unknown;
  return {options.json ? json_text(story) : as_text(story), story["fails"] ? kFault : kWell};
}

}  // namespace command
