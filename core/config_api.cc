// The functions of tenon/config.h that read and set values.
#include <tenon/config.h>

#include <algorithm>

#include "core/config.h"
#include "core/config_sources.h"
#include "core/error.h"
#include "core/guard.h"
#include "core/keep.h"
#include "core/loader.h"

using tenon::config;
using tenon::guard;

namespace {

// What is shown is kept, since another thread may set the key at any time.
void show(const tenon::ConfigEntry& entry, const char** value, const char** origin) {
  const char* text = tenon::keep(entry.text);
  if (origin != nullptr) *origin = tenon::keep(entry.origin);
  if (value != nullptr) *value = text;
}

}  // namespace

tn_status tn_config_set(const char* key, const char* value) {
  return guard([&]() -> tn_status {
    if (key == nullptr || value == nullptr) {
      return TN_ERROR(TN_INVALID_ARGUMENT, "tn_config_set: key and value may not be null");
    }
    return tenon::to_status(config().set(key, value));
  });
}

tn_status tn_config_get(const char* key, const char** value, const char** origin) {
  return guard([&]() -> tn_status {
    if (key == nullptr) return TN_ERROR(TN_INVALID_ARGUMENT, "tn_config_get: key may not be null");
    if (tn_status status = tenon::ensure_init()) return status;
    tenon::ConfigEntry entry;
    if (!config().get(key, &entry)) {
      if (tenon::ConfigKey known; tenon::core_key_find(key, &known)) {
        return TN_ERROR(TN_NOT_FOUND, "tn_config_get: nothing sets %s, which has no default", key);
      }
      return TN_ERROR(TN_NOT_FOUND, "tn_config_get: no key %s%s", key,
                      config().suggest(key).c_str());
    }
    show(entry, value, origin);
    return nullptr;
  });
}

size_t tn_config_count(void) {
  size_t count = 0;
  tn_status_release(guard([&]() -> tn_status {
    if (tn_status status = tenon::ensure_init()) return status;
    count = config().count();
    return nullptr;
  }));
  return count;
}

tn_status tn_config_at(size_t index, const char** key, const char** value, const char** origin) {
  return guard([&]() -> tn_status {
    if (tn_status status = tenon::ensure_init()) return status;
    tenon::ConfigEntry entry;
    std::string name;
    if (!config().at(index, &name, &entry)) {
      return TN_ERROR(TN_INDEX_ERROR, "tn_config_at: index %zu of %zu keys", index,
                      config().count());
    }
    const char* kept = tenon::keep(name);
    show(entry, value, origin);
    if (key != nullptr) *key = kept;
    return nullptr;
  });
}

size_t tn_config_key_count(void) {
  size_t count = 0;
  tn_status_release(guard([&]() -> tn_status {
    if (tn_status status = tenon::ensure_init()) return status;
    count = config().key_count();
    return nullptr;
  }));
  return count;
}

tn_status tn_config_key_at(size_t index, tn_config_key* out) {
  return guard([&]() -> tn_status {
    if (out == nullptr || out->size < sizeof(uint32_t)) {
      return TN_ERROR(TN_INVALID_ARGUMENT, "tn_config_key_at: make out with TN_INIT");
    }
    if (tn_status status = tenon::ensure_init()) return status;
    const tenon::ConfigKey* found = config().key_at(index);
    if (found == nullptr) {
      return TN_ERROR(TN_INDEX_ERROR, "tn_config_key_at: index %zu of %zu keys", index,
                      config().key_count());
    }
    const tenon::ConfigKey& key = *found;
    tn_config_key full = TN_INIT(tn_config_key);
    full.flags = key.fixed_at_init ? TN_CONFIG_FIXED_AT_INIT : 0;
    full.name = tenon::keep(key.name);
    full.type = tenon::keep(tenon::config_type_name(key.type));
    full.default_value = tenon::keep(tenon::toml_text(key.default_value));
    full.choices = tenon::keep_list(key.choices, [](const auto& choice) { return choice; });
    full.variable = tenon::keep(tenon::config_documented_variable(key.name));
    full.help = tenon::keep(key.help);
    // The caller's struct may be an older and shorter one.
    const uint32_t size = std::min<uint32_t>(out->size, sizeof full);
    full.size = out->size;
    std::copy_n(reinterpret_cast<const char*>(&full), size, reinterpret_cast<char*>(out));
    return nullptr;
  });
}
