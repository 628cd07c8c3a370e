#include "core/report.h"

#include <tenon/config.h>
#include <tenon/device.h>

#include <algorithm>
#include <new>

#include "core/catalog.h"
#include "core/cpu_features.h"
#include "core/keep.h"
#include "core/loader.h"
#include "core/locks.h"
#include "core/trust.h"

namespace tenon {
namespace {

// Names of a device type's units, from its plugin.
Problem ask_units(const std::string& device, std::vector<std::string>* units) {
  int32_t type = 0, count = 0;
  if (Problem problem = to_problem(tn_device_find(device.c_str(), &type))) return problem;
  if (Problem problem = to_problem(tn_device_count(type, &count))) return problem;
  for (int32_t index = 0; index < count; ++index) {
    tn_device_properties properties = TN_INIT(tn_device_properties);
    if (Problem problem = to_problem(tn_device_get_properties({type, index}, &properties))) {
      return problem;
    }
    properties.name[sizeof properties.name - 1] = '\0';
    units->emplace_back(properties.name[0] == '\0' ? device : properties.name);
  }
  return {};
}

void gather_plugin(const Plugin& plugin, Report* report) {
  const Manifest& manifest = plugin.manifest;
  Report::Plugin& entry = report->plugins.emplace_back();
  entry.name = manifest.name;
  entry.version = manifest.version;
  entry.vendor = manifest.vendor;
  entry.state = tn_plugin_state_name(plugin.state);
  entry.reason = plugin.problem.text;
  entry.manifest = manifest.path;
  entry.library = plugin.library;
  entry.priority = manifest.priority;
  entry.devices = keep_list(manifest.devices, [](const auto& part) { return part.name; });
  entry.layers = keep_list(manifest.layers, [](const auto& part) { return part.name; });
  entry.interfaces = keep_list(manifest.interfaces, [](const auto& part) {
    return part.name + "/" + std::to_string(part.version);
  });
}

void gather_devices(const Plugin& plugin, Report* report) {
  for (const Manifest::Device& device : plugin.manifest.devices) {
    Report::Device& entry = report->devices.emplace_back();
    entry.name = device.name;
    entry.plugin = plugin.name();
    entry.host = device.host;
    entry.loaded = plugin.state == TN_PLUGIN_LOADED;
    if (entry.loaded) entry.problem = ask_units(device.name, &entry.units).text;
  }
}

void gather_providers(const Plugin& plugin, Report* report) {
  for (const Manifest::Provides& provides : plugin.manifest.provides) {
    const auto known = std::find_if(
        report->providers.begin(), report->providers.end(),
        [&](const Report::Provider& entry) { return entry.device == provides.device; });
    if (known == report->providers.end()) {
      report->providers.push_back({provides.device, provider_order(provides.device)});
    }
  }
}

}  // namespace

Report report_gather() {
  Report report;
  report.version = tn_version();
  report.abi = std::to_string(TN_ABI_MAJOR) + "." + std::to_string(TN_ABI_MINOR);
  report.library = own_path();
  report.cpu = cpu_features();
  report.problem = to_problem(ensure_init()).text;
  const Locked lock(Lock::kCatalog);
  report.files = config().files();
  report.folders = discovery_folders();
  report.notes = config().notes();
  report.config = config().entries();
  for (const auto& plugin : catalog().plugins) {
    Problem passing;
    if (plugin->state == TN_PLUGIN_DISCOVERED && !plugin->loading && !plugin->library.empty()) {
      Problem problem = check_plugin(*plugin);
      if (problem.code == TN_OUT_OF_MEMORY) throw std::bad_alloc();
      if (problem.passes())
        passing = std::move(problem);
      else if (problem)
        plugin->quarantine(std::move(problem));
    }
    gather_plugin(*plugin, &report);
    if (passing) report.plugins.back().reason = passing.text;
    if (!plugin->usable()) continue;
    gather_devices(*plugin, &report);
    gather_providers(*plugin, &report);
  }
  return report;
}

}  // namespace tenon
