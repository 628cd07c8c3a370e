// A provider that comes before the fake plugin's kernels and is loaded while one of them runs. As
// "foreign" it was built with another schema than there ever was.
#include <cstring>

#include <tenon/sdk/entry.h>

namespace {

tn_status versioned(tn_frame*, void*, const tn_value*, uint32_t, tn_value* rets, uint32_t) {
  *static_cast<float*>(rets[0].u.tensor->dl.data) = 2;
  return nullptr;
}

}  // namespace

extern "C" TN_API tn_status tn_plugin_entry(const tn_host* host, tn_plugin* plugin) {
  return tn::plugin_entry(host, [&] {
    tn_kernel_desc d = TN_INIT(tn_kernel_desc);
    d.op = "fake::versioned";
    d.device = "fakehost";
    d.fn = versioned;
    d.caps = TN_INIT(tn_caps);
    if (!std::strcmp(plugin->name, "foreign")) d.schema_hash = 1;
    tn::check(tn::api->register_kernel(plugin, &d));
  });
}
