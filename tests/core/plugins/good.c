/* A plugin that works: it offers an interface, claims a layer where its manifest has one, and reads
 * its configuration. */
#include <tenon/host.h>

typedef struct test_table {
  int64_t answer;
  int32_t layered; /* whether it got a bit for its layer */
} test_table;

TN_API tn_status tn_plugin_entry(const tn_host* host, tn_plugin* plugin);

tn_status tn_plugin_entry(const tn_host* host, tn_plugin* plugin) {
  static test_table table = {42, 0};
  tn_value answer;
  tn_status status = host->plugin_config(plugin, "answer", &answer);
  if (status == NULL) {
    table.answer = answer.u.i;
  } else {
    host->status_release(status); /* the manifest declares no such key */
  }
  uint64_t bit = 0;
  status = host->register_layer(plugin, "test_layer", &bit);
  if (status == NULL) {
    table.layered = bit != 0;
  } else {
    host->status_release(status); /* nor such a layer */
  }
  return host->register_interface(plugin, "test.good", 1, &table);
}
