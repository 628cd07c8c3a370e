// A plugin's entry: checks that both sides agree on the layouts, sets tn::api and turns exceptions
// into status.
//
//   extern "C" TN_API tn_status tn_plugin_entry(const tn_host* host, tn_plugin* plugin) {
//     return tn::plugin_entry(host, [&] { tn::register_kernel<mm>(plugin, "mm", "cpu", caps); });
//   }
#pragma once

#include <tenon/sdk/kernel.h>

namespace tn {

template <class Body>
tn_status plugin_entry(const tn_host* host, Body&& body) noexcept {
  if (host->layout_fingerprint != TN_LAYOUT_FINGERPRINT)
    return host->status_make(
        TN_INCOMPATIBLE, nullptr, 0, "", 0,
        "built for other struct layouts (%llx) than this libtenon's (%llx); rebuild the plugin "
        "against its headers",
        static_cast<unsigned long long>(TN_LAYOUT_FINGERPRINT),
        static_cast<unsigned long long>(host->layout_fingerprint));
  if (api && api != host)
    return host->status_make(TN_INCOMPATIBLE, nullptr, 0, "", 0,
                             "already in use by another copy of libtenon");
  api = host;
  return guard(body);
}

// Registers a typed function as a device's kernel. `op` is a full name such as "add.Tensor".
template <auto Fn>
void register_kernel(tn_plugin* plugin, const char* op, const char* device, const tn_caps& caps,
                     tn_accepts_fn accepts = nullptr) {
  tn_kernel_desc desc = TN_INIT(tn_kernel_desc);
  desc.op = op;
  desc.device = device;
  desc.fn = kernel_fn<Fn>;
  desc.caps = caps;
  desc.accepts = accepts;
  check(api->register_kernel(plugin, &desc));
}

}  // namespace tn
