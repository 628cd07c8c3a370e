#include <tenon/sdk/error.h>

#include <algorithm>
#include <map>
#include <vector>

#include "commands.h"
#include "coverage.h"
#include "json.h"
#include "layout.h"
#include "operator_facts.h"
#include "plugin_list.h"
#include "registry.h"

namespace command {
namespace {

using Rows = std::vector<std::vector<std::string>>;

// ---- schema and documentation

std::string as_text(const OperatorFacts& facts, bool all_facts) {
  std::string out = wrap(facts.schema, 0, 8) + '\n';
  if (!facts.doc.empty()) out += "    " + wrap(facts.doc, 4, 4) + '\n';
  if (!all_facts) return out;
  std::string line = "kind: " + facts.kind + "; forms: " + join(facts.forms);
  if (!facts.promotion.empty()) line += "; promotion: " + facts.promotion;
  line += "; device: " + facts.device_rule;
  if (!facts.tags.empty()) line += "; tags: " + join(facts.tags);
  return out + "    " + wrap(line, 4, 4) + '\n';
}

Json as_json(const OperatorFacts& facts) {
  return {{"name", facts.name},
          {"schema", facts.schema},
          {"doc", facts.doc},
          {"kind", facts.kind},
          {"forms", facts.forms},
          {"promotion", facts.promotion},
          {"device_rule", facts.device_rule},
          {"tags", facts.tags}};
}

// ---- who serves them on a device

std::string served_by(const Service& service) {
  if (!service.providers.empty()) return join(service.providers);
  if (service.infers) return "inference alone";
  return service.decomposes ? "its decomposition" : "missing";
}

Json as_json(const Service& service, const std::string& device) {
  return {{"name", tn::api->op_schema(service.op)->full_name},
          {"device", device},
          {"providers", service.providers},
          {"decomposition", service.decomposes},
          {"inference", service.infers},
          {"missing", service.missing()}};
}

Answer list_services(const Options& options, const std::vector<const tn_op*>& operators) {
  Json list = Json::array();
  Rows rows{{"OPERATOR", "SERVED BY"}};
  std::string schemas;
  for (const Service& service : services(operators, options.device)) {
    if (options.missing && !service.missing()) continue;
    list.push_back(as_json(service, options.device));
    const tn_schema* schema = tn::api->op_schema(service.op);
    rows.push_back({schema->full_name, served_by(service)});
    schemas += wrap(schema->text, 0, 8) + '\n';
  }
  if (options.json) return {json_text(list)};
  if (list.empty()) return {"No operator is missing on " + options.device + ".\n"};
  return {options.missing ? schemas : columns(rows)};
}

// ---- the same as counts

struct Count {
  std::int64_t operators = 0;  // that it has kernels for
  std::int64_t first = 0;      // that it is asked first for
};

struct Coverage {
  std::map<std::string, Count> providers;
  std::int64_t decomposed = 0, inferred = 0, missing = 0, all = 0;
};

Coverage coverage_of(const std::vector<Service>& list) {
  Coverage coverage;
  for (const Service& service : list) {
    ++coverage.all;
    for (const std::string& provider : service.providers) {
      Count& count = coverage.providers[provider];
      ++count.operators;
      if (provider == service.providers.front()) ++count.first;
    }
    if (!service.providers.empty()) continue;
    ++(service.infers       ? coverage.inferred
       : service.decomposes ? coverage.decomposed
                            : coverage.missing);
  }
  return coverage;
}

Answer count_services(const Options& options, const std::vector<const tn_op*>& operators) {
  Json list = Json::array();
  Rows rows{{"DEVICE", "SERVED BY", "OPERATORS", "FIRST"}};
  const auto devices =
      options.device.empty() ? all_devices() : std::vector<std::string>{options.device};
  for (const std::string& device : devices) {
    const Coverage coverage = coverage_of(services(operators, device));
    Json providers = Json::array();
    const auto add = [&](const std::string& what, std::int64_t operators, std::int64_t first) {
      if (operators == 0) return;
      rows.push_back({device, what, std::to_string(operators), std::to_string(first)});
    };
    for (const auto& [name, count] : coverage.providers) {
      providers.push_back(
          {{"provider", name}, {"operators", count.operators}, {"first", count.first}});
      add(name, count.operators, count.first);
    }
    add("decomposition", coverage.decomposed, coverage.decomposed);
    add("inference", coverage.inferred, coverage.inferred);
    add("missing", coverage.missing, coverage.missing);
    rows.push_back({device, "all", std::to_string(coverage.all), std::to_string(coverage.all)});
    list.push_back({{"device", device},
                    {"providers", providers},
                    {"decomposition", coverage.decomposed},
                    {"inference", coverage.inferred},
                    {"missing", coverage.missing},
                    {"operators", coverage.all}});
  }
  return {options.json ? json_text(list) : columns(rows)};
}

}  // namespace

Answer ops(const Options& options) {
  tn::init();
  const bool all = options.name.empty();
  const std::vector<const tn_op*> operators = all ? all_operators() : operators_named(options.name);
  if (operators.empty() && !options.json) {
    return {"No operators: no plugin that declares any was found; see `tenon doctor`.\n"};
  }
  if (options.coverage) return count_services(options, operators);
  if (!options.device.empty()) return list_services(options, operators);
  Json list = Json::array();
  std::string text;
  for (const tn_op* op : operators) {
    const OperatorFacts facts = operator_facts(op);
    if (options.json) {
      list.push_back(as_json(facts));
    } else {
      text += as_text(facts, !all);
    }
  }
  return {options.json ? json_text(list) : text};
}

}  // namespace command
