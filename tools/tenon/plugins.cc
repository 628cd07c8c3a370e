#include <tenon/sdk/error.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "commands.h"
#include "json.h"
#include "layout.h"

namespace command {
namespace {

const char* state_name(std::int32_t state) {
  return tn::api->plugin_state_name(static_cast<tn_plugin_state>(state));
}

std::vector<tn_plugin_info> all_plugins() {
  std::vector<tn_plugin_info> infos(tn::api->plugin_count());
  for (std::size_t i = 0; i < infos.size(); ++i) {
    infos[i] = TN_INIT(tn_plugin_info);
    tn::check(tn::api->plugin_get_info(i, &infos[i]));
  }
  return infos;
}

// The core gives lists as one text, separated by ", ".
std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> items;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(", "), list.size());
    items.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 2, list.size()));
  }
  return items;
}

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

std::string as_json(const std::vector<tn_plugin_info>& infos) {
  std::vector<std::string> objects;
  objects.reserve(infos.size());
  for (const tn_plugin_info& info : infos) {
    objects.push_back(JsonObject()
                          .text("name", info.name)
                          .text("version", info.version)
                          .text("vendor", info.vendor)
                          .text("state", state_name(info.state))
                          .text("reason", info.reason)
                          .number("priority", info.priority)
                          .strings("declares", split(info.declares))
                          .strings("provides", split(info.provides))
                          .strings("devices", split(info.devices))
                          .strings("layers", split(info.layers))
                          .strings("interfaces", split(info.interfaces))
                          .text("manifest", info.manifest)
                          .text("library", info.library)
                          .str());
  }
  return json_lines(objects);
}

}  // namespace

std::string plugins(Format format) {
  tn::init();
  const std::vector<tn_plugin_info> infos = all_plugins();
  return format == Format::json ? as_json(infos) : as_text(infos);
}

}  // namespace command
