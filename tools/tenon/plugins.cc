#include <tenon/sdk/error.h>

#include <utility>
#include <vector>

#include "commands.h"
#include "json.h"
#include "layout.h"
#include "plugin_list.h"

namespace command {
namespace {

// "operators: *", "devices: cpu; kernels for: cpu".
std::string provides(const tn_plugin_info& info) {
  const std::pair<const char*, const char*> lists[] = {{"operators", info.declares},
                                                       {"devices", info.devices},
                                                       {"kernels for", info.provides},
                                                       {"layers", info.layers},
                                                       {"interfaces", info.interfaces}};
  std::string out;
  for (const auto& [what, list] : lists) {
    if (*list == '\0') continue;
    if (!out.empty()) out += "; ";
    out += std::string(what) + ": " + list;
  }
  return out;
}

std::string as_text(const std::vector<tn_plugin_info>& infos) {
  if (infos.empty())
    return "No plugins were found. `tenon doctor` says where they were looked for.\n";
  std::vector<std::vector<std::string>> rows{{"NAME", "VERSION", "STATE", "PROVIDES"}};
  std::string reasons;
  for (const tn_plugin_info& info : infos) {
    rows.push_back({info.name, info.version, state_name(info.state), provides(info)});
    if (*info.reason != '\0') {
      const std::string start = std::string(info.name) + ": ";
      reasons += start + wrap(info.reason, start.size(), 4) + '\n';
    }
  }
  return columns(rows) + (reasons.empty() ? "" : "\n" + reasons);
}

Json as_json(const std::vector<tn_plugin_info>& infos) {
  Json list = Json::array();
  for (const tn_plugin_info& info : infos) {
    list.push_back({{"name", info.name},
                    {"version", info.version},
                    {"vendor", info.vendor},
                    {"state", state_name(info.state)},
                    {"reason", info.reason},
                    {"priority", info.priority},
                    {"declares", split(info.declares)},
                    {"provides", split(info.provides)},
                    {"devices", split(info.devices)},
                    {"layers", split(info.layers)},
                    {"interfaces", split(info.interfaces)},
                    {"manifest", info.manifest},
                    {"library", info.library}});
  }
  return list;
}

}  // namespace

Answer plugins(const Options& options) {
  tn::init();
  const std::vector<tn_plugin_info> infos = all_plugins();
  return {options.json ? json_text(as_json(infos)) : as_text(infos)};
}

}  // namespace command
