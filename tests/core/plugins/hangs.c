/* Its entry does not return. */
#include <tenon/host.h>

#include <unistd.h>

TN_API tn_status tn_plugin_entry(const tn_host* host, tn_plugin* plugin);

tn_status tn_plugin_entry(const tn_host* host, tn_plugin* plugin) {
  (void)host, (void)plugin;
  for (;;) pause();
}
