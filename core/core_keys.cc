#include "core/core_keys.h"

#include <algorithm>
#include <atomic>
#include <limits>

#include "core/concat.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/once.h"
#include "core/split.h"

namespace tenon {
namespace {

// Checks, defaults, variables' names and help all come from this table.
struct KeyRow {
  const char* name;
  ConfigType type;
  const char* default_text;
  const char* choices;  // separated by commas
  bool fixed_at_init;
  const char* help;
};

constexpr KeyRow kKeys[] = {
    {"default_device", ConfigType::kString, "\"\"", "", true,
     "device of tensors that are made without naming one; \"\" is the host"},
    {"fallback", ConfigType::kString, "\"error\"", "error,warn,host", false,
     "an operator that a device lacks: an error, or run on the host with or without a warning"},
    {"log", ConfigType::kString, "\"warn\"", "silent,warn,info", false, "lines on stderr"},
    {"memory.huge_pages", ConfigType::kBool, "true", "", true,
     "whether large blocks of host memory ask for huge pages"},
    {"plugins.disable", ConfigType::kStrings, "[]", "", true, "plugins that are not used"},
    {"plugins.path", ConfigType::kStrings, "[]", "", true,
     "folders searched for plugins before the one beside libtenon; absolute"},
    {"plugins.required", ConfigType::kStrings, "[]", "", true,
     "plugins without which nothing shall start"},
    {"providers.*", ConfigType::kStrings, "[]", "", true,
     "providers of kernels for a device, the preferred one first"},
    {"threads", ConfigType::kInt, "0", "", true,
     "threads that kernels use; 0 is one for each core; tn_set_num_threads changes it later"},
};

ConfigKey make_key(const KeyRow& row) {
  ConfigKey key{row.name, row.type, {}, row.help, split_list(row.choices, ','), row.fixed_at_init};
  toml_parse_value(row.default_text, "default", &key.default_value);
  return key;
}

bool fits(const ConfigKey& known, std::string_view key) {
  if (!core_key_is_pattern(known)) return key == known.name;
  const std::string_view stem = std::string_view(known.name).substr(0, known.name.size() - 1);
  return key.starts_with(stem) && key.size() > stem.size() &&
         key.find('.', stem.size()) == std::string_view::npos;
}

std::atomic<FallbackPolicy> fallback{FallbackPolicy::kError};
std::atomic<int32_t> threads{0};

// The enumerators of a choice stand in the order of the table's choices.
template <class Choice>
Choice choice_of(std::string_view key, const std::string& text) {
  ConfigKey known;
  core_key_find(key, &known);
  const auto found = std::find(known.choices.begin(), known.choices.end(), text);
  return static_cast<Choice>(found - known.choices.begin());
}

}  // namespace

FallbackPolicy config_fallback() {
  return fallback.load(std::memory_order_relaxed);
}
int32_t config_threads() {
  return threads.load(std::memory_order_relaxed);
}

namespace {

struct Keys : std::vector<ConfigKey> {
  Keys() {
    for (const KeyRow& row : kKeys) push_back(make_key(row));
  }
};
constinit Once<Keys> once;

}  // namespace

const std::vector<ConfigKey>& core_keys() {
  return once.get();
}

bool core_key_is_pattern(const ConfigKey& key) {
  return key.name.ends_with('*');
}

bool core_key_find(std::string_view key, ConfigKey* out) {
  for (const ConfigKey& known : core_keys()) {
    if (!fits(known, key)) continue;
    *out = known;
    out->name = key;
    return true;
  }
  return false;
}

bool core_key_is_section(std::string_view path) {
  const std::string prefix = std::string(path) + ".";
  const auto& keys = core_keys();
  return std::any_of(keys.begin(), keys.end(),
                     [&](const ConfigKey& key) { return key.name.starts_with(prefix); });
}

Problem core_key_check(const ConfigKey& key, const std::string& origin, TomlValue* value) {
  if (Problem problem = config_check(key, origin, value)) return problem;
  if (key.name == "threads" &&
      (value->integer < 0 || value->integer > std::numeric_limits<int16_t>::max())) {
    return {TN_INVALID_ARGUMENT,
            concat({origin, ": threads must be 0 (one for each core) to 32767, not ",
                    toml_text(*value)})};
  }
  if (key.name == "plugins.path") {
    for (const TomlValue& folder : value->items) {
      if (folder.string.starts_with('/')) continue;
      return {
          TN_INVALID_ARGUMENT,
          concat({origin, ": plugins.path must hold absolute paths, not \"", folder.string, "\""})};
    }
  }
  return {};
}

void core_key_publish(std::string_view key, const TomlValue& value) {
  if (key == "fallback") {
    fallback = choice_of<FallbackPolicy>(key, value.string);
  } else if (key == "log") {
    log_set_level(choice_of<LogLevel>(key, value.string));
  } else if (key == "threads") {
    threads = static_cast<int32_t>(value.integer);
  } else if (key == "memory.huge_pages") {
    memory_use_huge_pages(value.boolean);
  }
}

}  // namespace tenon
