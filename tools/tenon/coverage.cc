#include "coverage.h"

#include <algorithm>

#include <tenon/sdk/types.h>

#include "plugin_list.h"
#include "report.h"

namespace command {

std::vector<Service> services(const std::vector<const tn_op*>& ops, const std::string& device) {
  const std::int32_t type = tn::Device(device).type;
  // Loads the device's plugin, and so tells what kind of device it is.
  std::int32_t count = 0;
  tn::check(tn::api->device_count(type, &count));
  const bool no_data = tn::api->device_flags(type) & TN_DEVICE_NO_DATA;
  std::vector<Service> list;
  list.reserve(ops.size());
  for (const tn_op* op : ops) {
    const tn_op_desc* facts = tn::api->op_facts(op);
    Service service;
    service.op = op;
    service.providers =
        split(text_from([&](tn_value* out) { return tn::api->op_providers(op, type, out); }));
    service.decomposes = facts->decomposition != nullptr;
    service.infers = no_data && facts->kind != TN_KIND_DIRECT && facts->kind != TN_KIND_COMPOSITE;
    list.push_back(std::move(service));
  }
  return list;
}

std::vector<std::string> all_devices() {
  std::vector<std::string> names;
  for (const tn_plugin_info& info : all_plugins()) {
    if (info.state != TN_PLUGIN_DISCOVERED && info.state != TN_PLUGIN_LOADED) continue;
    for (std::string& name : split(info.devices)) {
      if (std::find(names.begin(), names.end(), name) != names.end()) continue;
      std::int32_t type = 0, count = 0;
      tn_status status = tn::api->device_find(name.c_str(), &type);
      if (!status) status = tn::api->device_count(type, &count);
      if (!status) names.push_back(std::move(name));
      tn::api->status_release(status);
    }
  }
  return names;
}

}  // namespace command
