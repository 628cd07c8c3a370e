/* Provides a layer, which adds 40 to what an operator answers, and where its key `none` is true
 * does not see any operator. */
#include <tenon/host.h>

TN_API tn_status tn_plugin_entry(const tn_host* host, tn_plugin* plugin);

static tn_status add_forty(tn_frame* frame, void* state, const tn_value* args, uint32_t nargs,
                           tn_value* rets, uint32_t nrets) {
  const tn_host* host = state;
  tn_status status = host->next(frame, args, nargs, rets, nrets);
  if (status == NULL) rets[0].u.i += 40;
  return status;
}

tn_status tn_plugin_entry(const tn_host* host, tn_plugin* plugin) {
  tn_value none;
  uint64_t bit = 0;
  tn_status status = host->plugin_config(plugin, "none", &none);
  if (status == NULL) status = host->register_layer(plugin, "test_layer", &bit);
  if (status == NULL && !none.u.i)
    status = host->register_fallback(plugin, "test_layer", add_forty, (void*)host);
  return status;
}
