// What one configuration key takes: checks, defaults and help are made from this description.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/problem.h"
#include "core/toml.h"

namespace tenon {

enum class ConfigType {
  kBool,
  kInt,
  kFloat,
  kString,
  kStrings
};

struct ConfigKey {
  std::string name;  // "threads", "providers.*", "plugin.acme.allow_tf32"
  ConfigType type = ConfigType::kString;
  TomlValue default_value;
  std::string help;
  std::vector<std::string> choices;  // of a string; empty: any text
  bool fixed_at_init = false;        // tn_config_set refuses it once tn_init has run
};

// The type's name in manifests: "bool", "int", "float", "string", "strings".
std::string_view config_type_name(ConfigType type);
bool config_type_parse(std::string_view name, ConfigType* out);

// Checks that `value` suits the key; an integer given for a float becomes one. `origin` opens the
// message.
Problem config_check(const ConfigKey& key, std::string_view origin, TomlValue* value);

// Reads an environment variable's text as the key's type: lists are separated by commas, strings
// need no quotes.
Problem config_from_text(const ConfigKey& key, std::string_view text, std::string_view origin,
                         TomlValue* out);

}  // namespace tenon
