// The configuration keys of the core itself, and their values in force.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/config_key.h"

namespace tenon {

// What happens to a call that no provider and no decomposition serves.
enum class FallbackPolicy {
  kError = 0,
  kWarn = 1,
  kHost = 2
};

// Read without a lock. Defaults until tn_init has run.
FallbackPolicy config_fallback();
int32_t config_threads();  // 0: as many as the process may use cores

// All keys; a name that ends in `*` stands for any last part.
const std::vector<ConfigKey>& core_keys();
bool core_key_is_pattern(const ConfigKey& key);

// Describes one key, named `key` even where the list has a pattern. False when it is none of the
// core's.
bool core_key_find(std::string_view key, ConfigKey* out);

// Whether keys lie below `path`: "memory" of "memory.huge_pages".
bool core_key_is_section(std::string_view path);

// Type, choices and range of a value for a key.
Problem core_key_check(const ConfigKey& key, const std::string& origin, TomlValue* value);

// Makes a checked value take effect; no-op for keys that are read from Config.
void core_key_publish(std::string_view key, const TomlValue& value);

}  // namespace tenon
