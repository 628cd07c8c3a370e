#include "plugin.h"

extern "C" TN_API tn_status tn_plugin_entry(const tn_host* host, tn_plugin* plugin) {
  return tn::plugin_entry(host, [plugin] {
    acme::register_device(plugin);
    acme::register_pointwise(plugin);
    acme::declare_operators(plugin);
  });
}
