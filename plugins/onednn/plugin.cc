// The plugin's entry: kernels for the device "cpu", which another plugin provides.
#include "crossover.h"
#include "kernels.h"
#include "primitive.h"
#include "tenon/sdk/entry.h"
#include "tenon/sdk/fork.h"

extern "C" TN_API tn_status tn_plugin_entry(const tn_host* host, tn_plugin* plugin) {
  return tn::plugin_entry(host, [plugin] {
    tn_value count{};
    tn::check(tn::api->plugin_config(plugin, "cached_primitives", &count));
    if (count.u.i < 1)
      tn::fail(TN_INVALID_ARGUMENT, "cached_primitives must be at least 1, got %lld",
               static_cast<long long>(count.u.i));
    onednn::set_cache_capacity(static_cast<size_t>(count.u.i));
    tn_value all{};
    tn::check(tn::api->plugin_config(plugin, "all_products", &all));
    onednn::set_take_all_products(all.u.i != 0);
    onednn::prepare_forks(plugin);
    tn::hold_across_forks<onednn::making>(plugin);
    onednn::register_matmul(plugin);
    onednn::register_conv(plugin);
    onednn::register_pool(plugin);
  });
}
