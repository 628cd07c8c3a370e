// The functions of tenon/plugin.h, but for interfaces (interfaces.cc).
#include <tenon/plugin.h>
#include <tenon/value.h>

#include <algorithm>

#include "core/awaited_layers.h"
#include "core/catalog.h"
#include "core/config.h"
#include "core/error.h"
#include "core/guard.h"
#include "core/keep.h"
#include "core/layers.h"
#include "core/loader.h"
#include "core/locks.h"
#include "core/registration.h"
#include "core/suggest.h"

namespace tenon {
namespace {

void fill_info(const Plugin& plugin, tn_plugin_info* out) {
  const Manifest& manifest = plugin.manifest;
  tn_plugin_info info = TN_INIT(tn_plugin_info);
  info.name = keep(manifest.name);
  info.version = keep(manifest.version);
  info.vendor = keep(manifest.vendor);
  info.manifest = keep(manifest.path);
  info.library = keep(plugin.library);
  info.reason = keep(plugin.problem.text);
  info.state = plugin.state;
  info.priority = manifest.priority;
  info.devices = keep_list(manifest.devices, [](const auto& device) { return device.name; });
  info.layers = keep_list(manifest.layers, [](const auto& layer) { return layer.name; });
  info.interfaces = keep_list(manifest.interfaces, [](const auto& interface) {
    return interface.name + "/" + std::to_string(interface.version);
  });
  info.declares = keep_list(manifest.declares, [](const auto& pattern) { return pattern; });
  info.provides =
      keep_list(manifest.provides, [](const auto& provides) { return provides.device; });
  // The caller's struct may be an older and shorter one.
  const uint32_t size = std::min<uint32_t>(out->size, sizeof info);
  info.size = out->size;
  std::copy_n(reinterpret_cast<const char*>(&info), size, reinterpret_cast<char*>(out));
}

tn_status find_plugin(const char* function, const char* name, Plugin** out) {
  if (name == nullptr) return TN_ERROR(TN_INVALID_ARGUMENT, "%s: name may not be null", function);
  *out = catalog().find(name);
  if (*out != nullptr) return nullptr;
  std::string folders;
  for (const std::string& folder : discovery_folders()) folders += "\n  " + folder;
  return TN_ERROR(TN_NOT_FOUND, "%s: no plugin \"%s\" was found%s; searched were%s", function, name,
                  suggestion(name, catalog().names()).c_str(), folders.c_str());
}

tn_status unload(Plugin* plugin) {
  const char* name = plugin->handle.name;
  if (plugin->state != TN_PLUGIN_LOADED) {
    return TN_ERROR(TN_RUNTIME_ERROR, "tn_plugin_unload: plugin %s is not loaded but %s",
                    plugin->name().c_str(), tn_plugin_state_name(plugin->state));
  }
  if (!plugin->manifest.unloadable) {
    return TN_ERROR(TN_RUNTIME_ERROR,
                    "tn_plugin_unload: plugin %s cannot be unloaded; its manifest does not say "
                    "unloadable = true",
                    name);
  }
  for (const auto& other : catalog().plugins) {
    const auto& needs = other->manifest.requires_plugins;
    if ((other->state == TN_PLUGIN_LOADED || other->loading) &&
        std::find(needs.begin(), needs.end(), name) != needs.end()) {
      return TN_ERROR(TN_BUSY, "tn_plugin_unload: plugin %s is required by plugin %s", name,
                      other->name().c_str());
    }
  }
  if (plugin->tables_taken) {
    return TN_ERROR(TN_BUSY,
                    "tn_plugin_unload: an interface of plugin %s has been handed out, and "
                    "interfaces live as long as the process",
                    name);
  }
  registration_retire(name);
  awaited_layers_left(layers_bits(*plugin));
  plugin->tables.clear();
  plugin->state = TN_PLUGIN_UNLOADED;
  // The library itself stays mapped: another thread may be inside one of its kernels.
  if (plugin->handle.unload != nullptr) plugin->handle.unload(&plugin->handle);
  return nullptr;
}

tn_status to_value(const ConfigEntry& entry, tn_value* out) {
  tn_value value{};
  const TomlValue& source = entry.value;
  switch (source.kind) {
    case TomlValue::Kind::kBoolean:
      value.tag = TN_TAG_BOOL;
      value.u.i = source.boolean ? 1 : 0;
      break;
    case TomlValue::Kind::kInteger:
      value.tag = TN_TAG_INT;
      value.u.i = source.integer;
      break;
    case TomlValue::Kind::kFloat:
      value.tag = TN_TAG_FLOAT;
      value.u.f = source.number;
      break;
    case TomlValue::Kind::kString:
      value.tag = TN_TAG_STRING;
      value.u.str = keep(source.string);
      value.len = static_cast<uint32_t>(source.string.size());
      break;
    default:
      return TN_ERROR(TN_INTERNAL, "a plugin's key has a type that no manifest can declare");
  }
  *out = value;
  return nullptr;
}

tn_status plugin_config(const tn_plugin* handle, const char* key, tn_value* out) {
  const Locked lock(Lock::kCatalog);
  const Plugin* plugin = catalog().owner(handle);
  if (plugin == nullptr || key == nullptr || out == nullptr) {
    return TN_ERROR(TN_INVALID_ARGUMENT,
                    "tn_plugin_config: needs a plugin that the core has made, a key and an out");
  }
  const std::string prefix = "plugin." + plugin->name() + ".";
  std::vector<std::string> keys;
  for (const ConfigKey& known : plugin->manifest.config) {
    keys.push_back(known.name.substr(prefix.size()));
  }
  if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
    return TN_ERROR(TN_NOT_FOUND, "tn_plugin_config: %s declares no key %s%s",
                    plugin->manifest.path.c_str(), key, suggestion(key, keys).c_str());
  }
  ConfigEntry entry;
  if (!config().get(prefix + key, &entry)) {
    return TN_ERROR(TN_INTERNAL, "tn_plugin_config: key %s has no value", key);
  }
  return to_value(entry, out);
}

tn_status register_layer(tn_plugin* handle, const char* name, uint64_t* bit) {
  const Locked lock(Lock::kCatalog);
  const Plugin* plugin = catalog().owner(handle);
  if (plugin == nullptr || handle->registration == nullptr) {
    return TN_ERROR(TN_RUNTIME_ERROR,
                    "tn_register_layer: may be called from a plugin's entry alone");
  }
  if (name == nullptr || bit == nullptr) {
    return TN_ERROR(TN_INVALID_ARGUMENT, "tn_register_layer: name and bit may not be null");
  }
  const auto& layers = plugin->manifest.layers;
  if (std::none_of(layers.begin(), layers.end(),
                   [&](const auto& layer) { return layer.name == name; })) {
    return TN_ERROR(
        TN_NOT_FOUND,
        "tn_register_layer: %s does not declare layer %s; add a [[layer]] with its name",
        plugin->manifest.path.c_str(), name);
  }
  *bit = layers_bit(name);
  return nullptr;
}

}  // namespace
}  // namespace tenon

using tenon::catalog;
using tenon::guard;

size_t tn_plugin_count(void) {
  size_t count = 0;
  tn_status_release(guard([&]() -> tn_status {
    tn_status status = tenon::ensure_init();
    // After a failed start too: what was found helps to see why.
    const tenon::Locked lock(tenon::Lock::kCatalog);
    count = catalog().plugins.size();
    return status;
  }));
  return count;
}

tn_status tn_plugin_get_info(size_t index, tn_plugin_info* out) {
  return guard([&]() -> tn_status {
    if (out == nullptr || out->size < sizeof(uint32_t)) {
      return TN_ERROR(TN_INVALID_ARGUMENT, "tn_plugin_get_info: make out with TN_INIT");
    }
    const tenon::Locked lock(tenon::Lock::kCatalog);
    const auto& plugins = catalog().plugins;
    if (index >= plugins.size()) {
      return TN_ERROR(TN_INDEX_ERROR, "tn_plugin_get_info: index %zu of %zu plugins", index,
                      plugins.size());
    }
    tenon::fill_info(*plugins[index], out);
    return nullptr;
  });
}

tn_status tn_plugin_load(const char* name) {
  return guard([&]() -> tn_status {
    if (tn_status status = tenon::ensure_init()) return status;
    const tenon::Locked lock(tenon::Lock::kCatalog);
    tenon::Plugin* plugin = nullptr;
    if (tn_status status = tenon::find_plugin("tn_plugin_load", name, &plugin)) return status;
    return tenon::to_status(tenon::load_plugin(plugin));
  });
}

tn_status tn_plugin_unload(const char* name) {
  return guard([&]() -> tn_status {
    if (tn_status status = tenon::ensure_init()) return status;
    const tenon::Locked lock(tenon::Lock::kCatalog);
    tenon::Plugin* plugin = nullptr;
    if (tn_status status = tenon::find_plugin("tn_plugin_unload", name, &plugin)) return status;
    return tenon::unload(plugin);
  });
}

tn_status tn_register_layer(tn_plugin* plugin, const char* name, uint64_t* bit) {
  return guard([&] { return tenon::register_layer(plugin, name, bit); });
}

tn_status tn_plugin_config(const tn_plugin* plugin, const char* key, tn_value* out) {
  return guard([&] { return tenon::plugin_config(plugin, key, out); });
}
