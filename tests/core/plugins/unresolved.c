/* It calls what no library has. */
#include <tenon/host.h>

TN_API tn_status tn_plugin_entry(const tn_host* host, tn_plugin* plugin);

tn_status tn_function_of_no_library(const tn_host* host, tn_plugin* plugin);

tn_status tn_plugin_entry(const tn_host* host, tn_plugin* plugin) {
  return tn_function_of_no_library(host, plugin);
}
