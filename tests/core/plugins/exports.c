/* Works, but exports names of the core's and of the C library's beside its entry. */
#include <tenon/host.h>

#include <stdlib.h>

TN_API const tn_host* tn_get_host(void) {
  abort();
}
TN_API tn_status tn_config_get(const char* key, const char** value, const char** origin) {
  (void)key, (void)value, (void)origin;
  abort();
}
TN_API char* strerror(int number) {
  (void)number;
  abort();
}

TN_API tn_status tn_plugin_entry(const tn_host* host, tn_plugin* plugin) {
  static const int table = 1;
  return host->register_interface(plugin, "test.broken", 1, &table);
}
