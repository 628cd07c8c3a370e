#include "core/config.h"

#include <algorithm>
#include <cctype>
#include <iterator>

#include "core/concat.h"
#include "core/config_sources.h"
#include "core/locks.h"
#include "core/once.h"
#include "core/split.h"
#include "core/suggest.h"

namespace tenon {
namespace {

constexpr std::string_view kProviders = "providers.";
constexpr std::string_view kPlugin = "plugin.";

bool is_section(std::string_view path) {
  return path == "plugin" || path.starts_with(kPlugin) || core_key_is_section(path);
}

std::string at_line(const std::string& path, int line) {
  return line > 0 ? path + ":" + std::to_string(line) : path;
}

// NAME of "plugin.NAME.KEY"; "" when the key has another form.
std::string plugin_of_key(std::string_view key) {
  const std::string_view rest = key.substr(kPlugin.size());
  const size_t dot = rest.find('.');
  if (dot == std::string_view::npos || dot == 0 || dot + 1 == rest.size()) return "";
  return std::string(rest.substr(0, dot));
}

}  // namespace

std::string config_default_device() {
  return config().string("default_device");
}

namespace {

constinit Once<Config> once;

}  // namespace

Config& config() {
  return once.get();
}

void Config::store(const std::string& key, TomlValue value, const std::string& origin,
                   ConfigEntry::Rank rank) {
  ConfigEntry& entry = entries_[key];
  if (entry.rank > rank) return;
  core_key_publish(key, value);
  entry.text = toml_text(value);
  entry.value = std::move(value);
  entry.origin = origin;
  entry.rank = rank;
}

Problem Config::check(const std::string& key, const std::string& origin, TomlValue* value) const {
  ConfigKey known;
  if (core_key_find(key, &known)) return core_key_check(known, origin, value);
  if (key.starts_with(kPlugin) && !plugin_of_key(key).empty()) {
    // Until the manifests are read nothing is known of it.
    if (!adopted_) return {};
    const auto declared = plugin_keys_.find(key);
    if (declared != plugin_keys_.end()) return config_check(declared->second, origin, value);
  }
  return {TN_NOT_FOUND, concat({origin, ": unknown key ", key, suggest_locked(key)})};
}

Problem Config::put(const std::string& key, TomlValue value, const std::string& origin,
                    ConfigEntry::Rank rank) {
  if (Problem problem = check(key, origin, &value)) return problem;
  store(key, std::move(value), origin, rank);
  return {};
}

Problem Config::read_table(const TomlValue& table, const std::string& prefix,
                           const std::string& path, bool project) {
  Problem problems;
  for (const auto& [name, value] : table.members) {
    const std::string key = prefix + name;
    const std::string origin = at_line(path, value.line);
    if (value.kind == TomlValue::Kind::kTable && (!value.members.empty() || is_section(key))) {
      problems.add(read_table(value, key + ".", path, project));
    } else if (project && key == "plugins.path") {
      problems.add({TN_INVALID_ARGUMENT,
                    origin +
                        ": a project's file may not set plugins.path, since it would choose code "
                        "to run; put it into the user's file or into TENON_PLUGIN_PATH"});
    } else {
      problems.add(put(key, value, origin, ConfigEntry::Rank::kFile));
    }
  }
  return problems;
}

Problem Config::read_file(const std::string& path, bool project) {
  TomlValue document;
  if (Problem problem = toml_read(path, &document)) return problem;
  files_.push_back(path);
  return read_table(document, "", path, project);
}

Problem Config::read_variables() {
  Problem problems;
  for (auto& [variable, text] : config_variables()) {
    if (variable == "TENON_CONFIG") continue;
    if (variable == kPathVariable) {
      TomlValue folders = TomlValue::of_strings(split_list(text, ':'));
      problems.add(put("plugins.path", std::move(folders), variable, ConfigEntry::Rank::kVariable));
      continue;
    }
    ConfigKey known;
    bool found = false;
    for (const ConfigKey& key : core_keys()) {
      if (!core_key_is_pattern(key) && config_variable(key.name) == variable)
        found = core_key_find(key.name, &known);
    }
    const std::string providers = config_variable(kProviders);
    if (variable.starts_with(providers)) {
      std::string device = variable.substr(providers.size());
      std::transform(device.begin(), device.end(), device.begin(),
                     [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      found = core_key_find(std::string(kProviders) + device, &known);
    }
    if (!found) {
      // It may be a plugin's; `adopt` tells.
      unused_variables_.emplace_back(std::move(variable), std::move(text));
      continue;
    }
    TomlValue value;
    Problem problem = config_from_text(known, text, variable, &value);
    if (!problem) {
      problem = put(known.name, std::move(value), variable, ConfigEntry::Rank::kVariable);
    }
    problems.add(std::move(problem));
  }
  return problems;
}

Problem Config::read() {
  const Locked lock(Lock::kConfig);
  was_read_ = true;
  // An attempt that failed for lack of memory may have come before.
  adopted_ = false;
  entries_.clear();
  plugin_keys_.clear();
  unused_variables_.clear();
  files_.clear();
  notes_.clear();
  for (const ConfigKey& key : core_keys()) {
    if (!core_key_is_pattern(key))
      store(key.name, key.default_value, "default", ConfigEntry::Rank::kDefault);
  }
  Problem problems;
  for (const ConfigFile& file : config_files()) problems.add(read_file(file.path, file.project));
  problems.add(read_variables());
  for (auto& [key, value] : pending_)
    problems.add(put(key, value, "tn_config_set", ConfigEntry::Rank::kProgram));
  return problems;
}

Problem Config::adopt(const std::vector<const Manifest*>& manifests,
                      const std::vector<std::string>& unreadable) {
  const Locked lock(Lock::kConfig);
  std::vector<std::string> names = unreadable;
  for (const Manifest* manifest : manifests) {
    names.push_back(manifest->name);
    for (const ConfigKey& key : manifest->config) plugin_keys_.emplace(key.name, key);
  }
  adopted_ = true;
  Problem problems;
  for (auto& [key, entry] : entries_) {
    if (!key.starts_with(kPlugin)) continue;
    const std::string name = plugin_of_key(key);
    if (std::find(unreadable.begin(), unreadable.end(), name) != unreadable.end()) continue;
    const auto declared = plugin_keys_.find(key);
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      problems.add(
          {TN_NOT_FOUND, concat({entry.origin, ": ", key, " is for a plugin that was not found",
                                 suggestion(name, names)})});
    } else if (declared == plugin_keys_.end()) {
      problems.add(
          {TN_NOT_FOUND, concat({entry.origin, ": unknown key ", key, suggest_locked(key)})});
    } else {
      problems.add(config_check(declared->second, entry.origin, &entry.value));
      entry.text = toml_text(entry.value);
    }
  }
  for (const auto& [name, key] : plugin_keys_) {
    if (!entries_.contains(name)) {
      store(name, key.default_value, "default", ConfigEntry::Rank::kDefault);
    }
    const std::string variable = config_variable(name);
    for (auto used = unused_variables_.begin(); used != unused_variables_.end(); ++used) {
      if (used->first != variable) continue;
      TomlValue value;
      if (Problem problem = config_from_text(key, used->second, variable, &value)) {
        problems.add(std::move(problem));
      } else {
        store(name, std::move(value), variable, ConfigEntry::Rank::kVariable);
      }
      unused_variables_.erase(used);
      break;
    }
  }
  std::vector<std::string> known = {std::string(kPathVariable), "TENON_CONFIG"};
  for (const auto& [key, entry] : entries_) known.push_back(config_variable(key));
  for (const auto& [variable, text] : unused_variables_) {
    notes_.push_back(variable + " sets nothing" + suggestion(variable, known));
  }
  return problems;
}

Problem Config::set(std::string_view key, std::string_view text) {
  const Locked lock(Lock::kConfig);
  const std::string name(key);
  TomlValue value;
  if (Problem problem = toml_parse_value(text, "tn_config_set(\"" + name + "\")", &value)) {
    return problem;
  }
  ConfigKey known;
  const bool is_core = core_key_find(name, &known);
  if (was_read_) {
    if (is_core && known.fixed_at_init) {
      return {TN_BUSY,
              concat({"tn_config_set: ", name, " is fixed since tn_init has run; set it earlier, ",
                      "or in a file or the variable ", config_documented_variable(name)})};
    }
    return put(name, std::move(value), "tn_config_set", ConfigEntry::Rank::kProgram);
  }
  // Mistakes show at the call that made them, not at tn_init.
  if (Problem problem = check(name, "tn_config_set", &value)) return problem;
  pending_.emplace_back(name, std::move(value));
  return {};
}

bool Config::at(size_t index, std::string* key, ConfigEntry* out) const {
  const Locked lock(Lock::kConfig);
  if (index >= entries_.size()) return false;
  const auto& [name, entry] = *std::next(entries_.begin(), static_cast<std::ptrdiff_t>(index));
  *key = name;
  *out = entry;
  return true;
}

size_t Config::count() const {
  const Locked lock(Lock::kConfig);
  return entries_.size();
}

bool Config::get(std::string_view key, ConfigEntry* out) const {
  const Locked lock(Lock::kConfig);
  const auto found = entries_.find(key);
  if (found == entries_.end()) return false;
  *out = found->second;
  return true;
}

std::string Config::origin(std::string_view key) const {
  ConfigEntry entry;
  get(key, &entry);
  return entry.origin;
}

std::string Config::string(std::string_view key) const {
  ConfigEntry entry;
  get(key, &entry);
  return entry.value.string;
}

std::vector<std::string> Config::strings(std::string_view key) const {
  ConfigEntry entry;
  get(key, &entry);
  return entry.value.strings();
}

Config::Entries Config::entries() const {
  const Locked lock(Lock::kConfig);
  return entries_;
}

std::vector<std::string> Config::files() const {
  const Locked lock(Lock::kConfig);
  return files_;
}

void Config::add_note(std::string text) {
  const Locked lock(Lock::kConfig);
  notes_.push_back(std::move(text));
}

std::vector<std::string> Config::notes() const {
  const Locked lock(Lock::kConfig);
  return notes_;
}

const ConfigKey* Config::key_at(size_t index) const {
  const auto& own = core_keys();
  if (index < own.size()) return &own[index];
  const Locked lock(Lock::kConfig);
  if (index - own.size() >= plugin_keys_.size()) return nullptr;
  return &std::next(plugin_keys_.begin(), static_cast<std::ptrdiff_t>(index - own.size()))->second;
}

size_t Config::key_count() const {
  const Locked lock(Lock::kConfig);
  return core_keys().size() + plugin_keys_.size();
}

std::string Config::suggest_locked(std::string_view key) const {
  std::vector<std::string> names;
  for (const ConfigKey& known : core_keys()) {
    if (!core_key_is_pattern(known)) names.push_back(known.name);
  }
  for (const auto& [name, known] : plugin_keys_) names.push_back(name);
  // So that "provider.cpu" finds "providers.cpu".
  if (const size_t dot = key.find('.'); dot != std::string_view::npos) {
    names.push_back(std::string(kProviders) + std::string(key.substr(dot + 1)));
  }
  return suggestion(key, names);
}

std::string Config::suggest(std::string_view key) const {
  const Locked lock(Lock::kConfig);
  return suggest_locked(key);
}

}  // namespace tenon
