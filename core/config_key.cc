#include "core/config_key.h"

#include <algorithm>

#include "core/concat.h"
#include "core/split.h"
#include "core/suggest.h"

namespace tenon {
namespace {

struct TypeRow {
  ConfigType type;
  std::string_view name;
  std::string_view phrase;
};

constexpr TypeRow kTypes[] = {
    {ConfigType::kBool, "bool", "a boolean (true or false)"},
    {ConfigType::kInt, "int", "an integer"},
    {ConfigType::kFloat, "float", "a float"},
    {ConfigType::kString, "string", "a string"},
    {ConfigType::kStrings, "strings", "a list of strings"},
};

const TypeRow& row_of(ConfigType type) {
  return kTypes[static_cast<size_t>(type)];
}

bool suits(ConfigType type, const TomlValue& value) {
  using Kind = TomlValue::Kind;
  switch (type) {
    case ConfigType::kBool:
      return value.kind == Kind::kBoolean;
    case ConfigType::kInt:
      return value.kind == Kind::kInteger;
    case ConfigType::kFloat:
      return value.kind == Kind::kFloat;
    case ConfigType::kString:
      return value.kind == Kind::kString;
    case ConfigType::kStrings:
      return value.is_strings();
  }
  return false;
}

std::string one_of(const std::vector<std::string>& choices) {
  std::string text;
  for (const std::string& choice : choices) {
    if (!text.empty()) text += ", ";
    text += '"' + choice + '"';
  }
  return text;
}

}  // namespace

std::string_view config_type_name(ConfigType type) {
  return row_of(type).name;
}

bool config_type_parse(std::string_view name, ConfigType* out) {
  for (const TypeRow& row : kTypes) {
    if (row.name == name) {
      *out = row.type;
      return true;
    }
  }
  return false;
}

Problem config_check(const ConfigKey& key, std::string_view origin, TomlValue* value) {
  if (key.type == ConfigType::kFloat && value->kind == TomlValue::Kind::kInteger) {
    value->kind = TomlValue::Kind::kFloat;
    value->number = static_cast<double>(value->integer);
  }
  const std::string start = std::string(origin) + ": " + key.name;
  if (!suits(key.type, *value)) {
    return {TN_INVALID_ARGUMENT,
            concat({start, " must be ", row_of(key.type).phrase, ", not ",
                    toml_kind_name(value->kind), " (", toml_text(*value), ")"})};
  }
  if (!key.choices.empty() &&
      std::find(key.choices.begin(), key.choices.end(), value->string) == key.choices.end()) {
    return {TN_INVALID_ARGUMENT,
            concat({start, " must be one of ", one_of(key.choices), ", not ", toml_text(*value),
                    suggestion(value->string, key.choices)})};
  }
  return {};
}

Problem config_from_text(const ConfigKey& key, std::string_view text, std::string_view origin,
                         TomlValue* out) {
  if (key.type == ConfigType::kString) {
    *out = TomlValue::of_string(std::string(text));
  } else if (key.type == ConfigType::kStrings) {
    *out = TomlValue::of_strings(split_list(text, ','));
  } else if (key.type == ConfigType::kBool && (text == "1" || text == "0")) {
    // What people write into variables.
    *out = TomlValue();
    out->kind = TomlValue::Kind::kBoolean;
    out->boolean = text == "1";
  } else if (toml_parse_value(text, origin, out)) {
    return {TN_INVALID_ARGUMENT, concat({origin, ": ", key.name, " must be ",
                                         row_of(key.type).phrase, ", not \"", text, "\""})};
  }
  return config_check(key, origin, out);
}

}  // namespace tenon
