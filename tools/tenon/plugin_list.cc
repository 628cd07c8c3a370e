#include "plugin_list.h"

#include <algorithm>

#include <tenon/sdk/error.h>

namespace command {

std::vector<tn_plugin_info> all_plugins() {
  std::vector<tn_plugin_info> infos(tn::api->plugin_count());
  for (std::size_t i = 0; i < infos.size(); ++i) {
    infos[i] = TN_INIT(tn_plugin_info);
    tn::check(tn::api->plugin_get_info(i, &infos[i]));
  }
  return infos;
}

const char* state_name(std::int32_t state) {
  return tn::api->plugin_state_name(static_cast<tn_plugin_state>(state));
}

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> items;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(", "), list.size());
    items.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 2, list.size()));
  }
  return items;
}

std::string join(const std::vector<std::string>& items) {
  std::string out;
  for (const std::string& item : items) out += (out.empty() ? "" : ", ") + item;
  return out;
}

}  // namespace command
