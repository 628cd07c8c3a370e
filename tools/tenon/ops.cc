#include <tenon/sdk/error.h>

#include <algorithm>
#include <vector>

#include "commands.h"
#include "json.h"
#include "layout.h"
#include "operator_facts.h"

namespace command {
namespace {

// Operators are known once the plugins that declare them are loaded. A plugin that cannot be loaded
// costs only its own operators, and the core has logged the reason.
void load_declaring_plugins() {
  for (std::size_t i = 0; i < tn::api->plugin_count(); ++i) {
    tn_plugin_info info = TN_INIT(tn_plugin_info);
    tn::check(tn::api->plugin_get_info(i, &info));
    if (info.state == TN_PLUGIN_DISCOVERED && *info.declares != '\0') {
      tn::api->status_release(tn::api->plugin_load(info.name));
    }
  }
}

std::vector<const tn_op*> all_operators() {
  load_declaring_plugins();
  std::vector<const tn_op*> found(tn::api->op_count());
  for (std::size_t i = 0; i < found.size(); ++i) found[i] = tn::api->op_at(i);
  return found;
}

// The overloads of "add"; the one operator of "add.Tensor" or "add_".
std::vector<const tn_op*> operators_named(const std::string& name) {
  std::vector<const tn_op*> found(64);
  std::size_t count = tn::api->op_overloads(name.c_str(), found.data(), found.size());
  if (count > found.size()) {
    found.resize(count);
    count = tn::api->op_overloads(name.c_str(), found.data(), found.size());
  }
  found.resize(std::min(count, found.size()));
  if (!found.empty()) return found;

  const std::size_t dot = name.find('.');
  const std::string overload = dot != std::string::npos ? name.substr(dot + 1) : "";
  const tn_op* op = nullptr;
  tn::check(tn::api->resolve_op(name.substr(0, dot).c_str(),
                                dot != std::string::npos ? overload.c_str() : nullptr, 0, &op));
  return {op};
}

std::string join(const std::vector<std::string>& items) {
  std::string out;
  for (const std::string& item : items) out += (out.empty() ? "" : ", ") + item;
  return out;
}

std::string as_text(const std::vector<OperatorFacts>& list, bool all_facts) {
  std::string out;
  for (const OperatorFacts& facts : list) {
    out += wrap(facts.schema, 0, 8) + '\n';
    if (!facts.doc.empty()) out += "    " + wrap(facts.doc, 4, 4) + '\n';
    if (!all_facts) continue;
    std::string line = "kind: " + facts.kind + "; forms: " + join(facts.forms);
    if (!facts.promotion.empty()) line += "; promotion: " + facts.promotion;
    line += "; device: " + facts.device_rule;
    if (!facts.tags.empty()) line += "; tags: " + join(facts.tags);
    out += "    " + wrap(line, 4, 4) + '\n';
  }
  return out;
}

std::string as_json(const std::vector<OperatorFacts>& list) {
  std::vector<std::string> objects;
  for (const OperatorFacts& facts : list) {
    JsonObject object;
    object.text("name", facts.name).text("schema", facts.schema).text("doc", facts.doc);
    object.text("kind", facts.kind).strings("forms", facts.forms);
    if (!facts.promotion.empty()) object.text("promotion", facts.promotion);
    object.text("device_rule", facts.device_rule).strings("tags", facts.tags);
    objects.push_back(object.str());
  }
  return json_lines(objects);
}

}  // namespace

std::string ops(Format format, const std::string& name) {
  tn::init();
  std::vector<OperatorFacts> list;
  for (const tn_op* op : name.empty() ? all_operators() : operators_named(name)) {
    list.push_back(operator_facts(op));
  }
  std::sort(list.begin(), list.end(),
            [](const OperatorFacts& a, const OperatorFacts& b) { return a.name < b.name; });
  if (format == Format::json) return as_json(list);
  if (list.empty())
    return "No operators: no plugin that declares any was found; see `tenon doctor`.\n";
  return as_text(list, !name.empty());
}

}  // namespace command
