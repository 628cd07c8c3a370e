// Named tables of functions that plugins offer to programs and to each other.
#include <tenon/plugin.h>

#include <algorithm>

#include "core/catalog.h"
#include "core/concat.h"
#include "core/error.h"
#include "core/guard.h"
#include "core/loader.h"
#include "core/locks.h"
#include "core/suggest.h"

namespace tenon {
namespace {

bool promises(const Manifest& manifest, std::string_view name, uint32_t version) {
  return std::any_of(manifest.interfaces.begin(), manifest.interfaces.end(), [&](const auto& part) {
    return part.name == name && static_cast<uint32_t>(part.version) == version;
  });
}

const Plugin::Table* find_table(const Plugin& plugin, std::string_view name, uint32_t version) {
  for (const Plugin::Table& table : plugin.tables) {
    if (table.name == name && table.version == version) return &table;
  }
  return nullptr;
}

// Says what there is instead: other versions of the interface, or names like it.
Problem nobody_promises(const std::string& name, uint32_t version) {
  std::vector<std::string> names;
  std::string others;
  for (const auto& plugin : catalog().plugins) {
    for (const auto& part : plugin->manifest.interfaces) {
      names.push_back(part.name);
      if (part.name == name) {
        append(&others,
               {"; plugin ", plugin->name(), " has version ", std::to_string(part.version)});
      }
    }
  }
  return {TN_NOT_FOUND,
          concat({"no plugin found provides the interface ", name, ", version ",
                  std::to_string(version), others.empty() ? suggestion(name, names) : others,
                  "; install one that does (`tenon doctor` lists what was found)"})};
}

Problem get_interface(const std::string& name, uint32_t version, const void** out) {
  const auto candidates =
      catalog().select([&](const Manifest& manifest) { return promises(manifest, name, version); });
  if (candidates.empty()) return nobody_promises(name, version);
  Problem failures(TN_NOT_FOUND, "");
  for (Plugin* plugin : candidates) {
    Problem problem =
        plugin->loading
            ? Problem(TN_RUNTIME_ERROR, "plugin " + plugin->name() + " is just being loaded")
            : load_plugin(plugin);
    if (!problem) {
      if (const Plugin::Table* table = find_table(*plugin, name, version)) {
        plugin->tables_taken = true;
        *out = table->table;
        return {};
      }
      problem =
          Problem(TN_NOT_FOUND,
                  concat({"plugin ", plugin->name(),
                          " promises it in its manifest, but its entry did not register it"}));
    }
    failures.add(std::move(problem));
  }
  failures.text = concat({"the interface ", name, ", version ", std::to_string(version),
                          ", cannot be had:", failures.text});
  return failures;
}

tn_status register_interface(tn_plugin* handle, const char* name, uint32_t version,
                             const void* table) {
  const Locked lock(Lock::kCatalog);
  Plugin* plugin = catalog().owner(handle);
  if (plugin == nullptr || handle->registration == nullptr) {
    return TN_ERROR(TN_RUNTIME_ERROR,
                    "tn_register_interface: may be called from a plugin's entry alone");
  }
  if (name == nullptr || table == nullptr) {
    return TN_ERROR(TN_INVALID_ARGUMENT, "tn_register_interface: name and table may not be null");
  }
  if (!promises(plugin->manifest, name, version)) {
    return TN_ERROR(TN_NOT_FOUND,
                    "tn_register_interface: %s does not declare interface %s, version %u; add an "
                    "[[interface]] with both",
                    plugin->manifest.path.c_str(), name, version);
  }
  if (find_table(*plugin, name, version) != nullptr) {
    return TN_ERROR(TN_ALREADY_EXISTS,
                    "tn_register_interface: plugin %s has registered %s, version %u, already",
                    plugin->name().c_str(), name, version);
  }
  // Visible only once the plugin is loaded, and dropped when its entry fails.
  plugin->tables.push_back({name, version, table});
  return nullptr;
}

}  // namespace
}  // namespace tenon

tn_status tn_get_interface(const char* name, uint32_t version, const void** out) {
  return tenon::guard([&]() -> tn_status {
    if (name == nullptr || out == nullptr) {
      return TN_ERROR(TN_INVALID_ARGUMENT, "tn_get_interface: name and out may not be null");
    }
    if (tn_status status = tenon::ensure_init()) return status;
    const tenon::Locked lock(tenon::Lock::kCatalog);
    return tenon::to_status(tenon::get_interface(name, version, out));
  });
}

tn_status tn_register_interface(tn_plugin* plugin, const char* name, uint32_t version,
                                const void* table) {
  return tenon::guard([&] { return tenon::register_interface(plugin, name, version, table); });
}
