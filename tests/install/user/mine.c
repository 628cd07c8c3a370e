/* A plugin in C that promises one interface. */
#include <tenon/host.h>

#include "mine.h"

static const struct mine_interface table = {7};

TN_API tn_status tn_plugin_entry(const tn_host* host, tn_plugin* plugin) {
  return host->register_interface(plugin, "mine", 1, &table);
}
