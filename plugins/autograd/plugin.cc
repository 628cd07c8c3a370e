#include <tenon/sdk/entry.h>

#include "api.h"
#include "meta.h"
#include "node.h"
#include "record.h"
#include "view.h"

extern "C" TN_API tn_status tn_plugin_entry(const tn_host* host, tn_plugin* plugin) {
  return tn::plugin_entry(host, [&] {
    using namespace tn::graph;
    prepare_threads();
    prepare_views_for_forks(plugin);
    register_slot();
    tn::check(tn::api->register_layer(plugin, "autograd", &registration.layer));
    tn::check(tn::api->register_fallback(plugin, "autograd", record, nullptr));
    tn::check(tn::api->register_interface(plugin, TN_AUTOGRAD_INTERFACE, 1, &interface_table));
  });
}
