// Its entry lets an exception out.
#include <tenon/host.h>

#include <stdexcept>

extern "C" TN_API tn_status tn_plugin_entry(const tn_host*, tn_plugin*);

tn_status tn_plugin_entry(const tn_host* host, tn_plugin* plugin) {
  static const int table = 1;
  if (tn_status status = host->register_interface(plugin, "test.broken", 1, &table)) return status;
  throw std::runtime_error("nobody caught this");
}
