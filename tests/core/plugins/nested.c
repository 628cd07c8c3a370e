/* A plugin whose entry needs another plugin, the one named by its key `needs`. */
#include <tenon/host.h>

TN_API tn_status tn_plugin_entry(const tn_host* host, tn_plugin* plugin);

tn_status tn_plugin_entry(const tn_host* host, tn_plugin* plugin) {
  static const int table = 1;
  tn_value needs;
  tn_status status = host->plugin_config(plugin, "needs", &needs);
  if (status == NULL) status = host->plugin_load(needs.u.str);
  if (status == NULL) status = host->register_interface(plugin, "test.nested", 1, &table);
  return status;
}
