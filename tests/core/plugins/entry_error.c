/* Registers an interface and a device, and then fails. */
#include <tenon/host.h>

TN_API tn_status tn_plugin_entry(const tn_host* host, tn_plugin* plugin);

static tn_status count(void* state, int32_t* out) {
  (void)state;
  *out = 1;
  return NULL;
}

tn_status tn_plugin_entry(const tn_host* host, tn_plugin* plugin) {
  static const int table = 1;
  static tn_device_vtable device = TN_INIT(tn_device_vtable);
  device.flags = TN_DEVICE_NO_DATA;
  device.name = "test_broken";
  device.count = count;
  tn_status status = host->register_interface(plugin, "test.broken", 1, &table);
  if (status == NULL) status = host->register_device(plugin, &device);
  if (status != NULL) return status;
  return host->status_make(TN_DEVICE_LOST, "test", 7, __FILE__, __LINE__, "the driver is too old");
}
