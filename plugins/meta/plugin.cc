// plugin.cc - the device type "meta": tensors without memory, operators that stop after inferring.
//
// All of that is the core's work. TN_DEVICE_NO_DATA asks for it; there is nothing to allocate, copy
// or wait for, so the table names the device, counts one of it, and ends there.
#include <tenon/sdk/entry.h>

namespace {

tn_status count(void*, int32_t* out) noexcept {
  *out = 1;
  return nullptr;
}

constexpr tn_device_vtable make_vtable() {
  tn_device_vtable table = TN_INIT(tn_device_vtable);
  table.flags = TN_DEVICE_NO_DATA;
  table.name = "meta";
  table.count = count;
  return table;
}

constexpr tn_device_vtable kDevice = make_vtable();

}  // namespace

extern "C" TN_API tn_status tn_plugin_entry(const tn_host* host, tn_plugin* plugin) {
  return tn::plugin_entry(host, [&] { tn::check(host->register_device(plugin, &kDevice)); });
}
