// The configuration in force: every key, its value and where that came from.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/config_key.h"
#include "core/core_keys.h"
#include "core/manifest.h"
#include "core/problem.h"
#include "core/toml.h"

namespace tenon {

// The name of the device for tensors that are made without one; "" is the host.
std::string config_default_device();

struct ConfigEntry {
  // Where a value came from, in rising order of precedence.
  enum class Rank {
    kDefault,
    kFile,
    kVariable,
    kProgram
  };

  TomlValue value;
  std::string text;    // the value as TOML
  std::string origin;  // "default", "/etc/xdg/tenon/tenon.toml:3", "TENON_THREADS", "tn_config_set"
  Rank rank = Rank::kDefault;
};

// All members may be called from any thread; those that return pointers say how long they last.
class Config {
 public:
  using Entries = std::map<std::string, ConfigEntry, std::less<>>;

  // Reads files, variables and what `set` was given before. Values of plugins' keys are kept
  // unchecked until `adopt`.
  Problem read();

  // Checks the values of plugins' keys and adds their defaults. `unreadable` names plugins whose
  // manifests are broken: nothing is known of their keys, so anything is accepted for them.
  Problem adopt(const std::vector<const Manifest*>& manifests,
                const std::vector<std::string>& unreadable);

  // Sets a key from the program. Before `read` it is kept and takes part in discovery.
  Problem set(std::string_view key, std::string_view text);

  // Copies; false when there is no such key.
  bool get(std::string_view key, ConfigEntry* out) const;
  bool at(size_t index, std::string* key, ConfigEntry* out) const;
  size_t count() const;

  // Copies of parts; empty when the key has no value.
  std::string origin(std::string_view key) const;
  std::string string(std::string_view key) const;
  std::vector<std::string> strings(std::string_view key) const;
  // A copy, for reports.
  Entries entries() const;
  // Files read, in order.
  std::vector<std::string> files() const;
  // Things worth a look: variables that set nothing, providers that are listed but not there.
  std::vector<std::string> notes() const;
  void add_note(std::string text);
  // All keys that are known: the core's, then those of plugins. Null beyond the last; what is
  // pointed to lasts.
  const ConfigKey* key_at(size_t index) const;
  size_t key_count() const;
  // ` (did you mean "..."?)`
  std::string suggest(std::string_view key) const;

 private:
  // The members below expect Lock::kConfig to be held.
  Problem read_file(const std::string& path, bool project);
  Problem read_table(const TomlValue& table, const std::string& prefix, const std::string& path,
                     bool project);
  Problem read_variables();
  Problem check(const std::string& key, const std::string& origin, TomlValue* value) const;
  Problem put(const std::string& key, TomlValue value, const std::string& origin,
              ConfigEntry::Rank rank);
  void store(const std::string& key, TomlValue value, const std::string& origin,
             ConfigEntry::Rank rank);
  std::string suggest_locked(std::string_view key) const;

  bool was_read_ = false;
  bool adopted_ = false;
  Entries entries_;
  std::map<std::string, ConfigKey, std::less<>> plugin_keys_;
  std::vector<std::pair<std::string, TomlValue>> pending_;  // set before `read`
  std::vector<std::pair<std::string, std::string>> unused_variables_;
  std::vector<std::string> files_;
  std::vector<std::string> notes_;
};

// The process's configuration.
Config& config();

}  // namespace tenon
