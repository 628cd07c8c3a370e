// plugin_list.h - the plugins that discovery found, as the core describes them.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <tenon/plugin.h>

namespace command {

std::vector<tn_plugin_info> all_plugins();

// "discovered", "loaded", ...
const char* state_name(std::int32_t state);

// The core gives lists as one text, separated by ", ".
std::vector<std::string> split(std::string_view list);

// "a, b, c"
std::string join(const std::vector<std::string>& items);

}  // namespace command
