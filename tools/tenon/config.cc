#include <tenon/sdk/error.h>

#include "commands.h"
#include "json.h"
#include "layout.h"
#include "plugin_list.h"

namespace command {
namespace {

using Rows = std::vector<std::vector<std::string>>;

// TOML's booleans, numbers and lists of strings are JSON as they stand; what is not stays text.
Json json_value(const std::string& toml) {
  Json value = Json::parse(toml, nullptr, false);
  return value.is_discarded() ? Json(toml) : value;
}

std::string describe(const tn_config_key& key) {
  std::string text = key.help;
  text += std::string("\n") + key.type;
  if (*key.choices != '\0') text += ", one of " + std::string(key.choices);
  text += std::string("; default ") + key.default_value + "; variable " + key.variable;
  if (key.flags & TN_CONFIG_FIXED_AT_INIT) text += "; fixed once the runtime has started";
  return text;
}

}  // namespace

Answer config_show(const Options& options) {
  tn::init();
  Json list = Json::array();
  Rows rows;
  for (std::size_t i = 0; i < tn::api->config_count(); ++i) {
    const char *key = nullptr, *value = nullptr, *origin = nullptr;
    tn::check(tn::api->config_at(i, &key, &value, &origin));
    list.push_back({{"key", key}, {"value", json_value(value)}, {"origin", origin}});
    rows.push_back({key, "= " + std::string(value)});
    if (options.origin) rows.back().push_back(std::string("# ") + origin);
  }
  return {options.json ? json_text(list) : columns(rows)};
}

Answer config_keys(const Options& options) {
  tn::init();
  Json list = Json::array();
  Rows rows;
  for (std::size_t i = 0; i < tn::api->config_key_count(); ++i) {
    tn_config_key key = TN_INIT(tn_config_key);
    tn::check(tn::api->config_key_at(i, &key));
    list.push_back({{"key", key.name},
                    {"type", key.type},
                    {"default", json_value(key.default_value)},
                    {"choices", split(key.choices)},
                    {"variable", key.variable},
                    {"fixed_at_init", (key.flags & TN_CONFIG_FIXED_AT_INIT) != 0},
                    {"help", key.help}});
    rows.push_back({key.name, describe(key)});
  }
  return {options.json ? json_text(list) : columns(rows)};
}

}  // namespace command
