// Which provider of a device's kernels comes first.
#include <algorithm>

#include "core/catalog.h"
#include "core/config.h"
#include "core/loader.h"
#include "core/locks.h"

namespace tenon {
namespace {

std::vector<std::string> listed(std::string_view device) {
  return config().strings("providers." + std::string(device));
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

int32_t priority_of(std::string_view name) {
  const Plugin* plugin = catalog().find(name);
  return plugin == nullptr ? 0 : plugin->manifest.priority;
}

}  // namespace

std::vector<std::string> provider_order(std::string_view device) {
  std::vector<std::string> order = listed(device);
  const Locked lock(Lock::kCatalog);
  const auto provides = [&](const Manifest& manifest) { return manifest.provides_device(device); };
  for (const Plugin* plugin : catalog().select(provides)) {
    if (plugin->usable() && !contains(order, plugin->name())) order.push_back(plugin->name());
  }
  return order;
}

bool provider_tie(std::string_view a, std::string_view b, std::string_view device) {
  const std::vector<std::string> names = listed(device);
  if (contains(names, a) || contains(names, b)) return false;
  const Locked lock(Lock::kCatalog);
  return priority_of(a) == priority_of(b);
}

std::string provider_failures(std::string_view op, std::string_view device) {
  std::string text;
  const Locked lock(Lock::kCatalog);
  for (const Plugin* plugin : catalog().select(
           [&](const Manifest& manifest) { return manifest.provides_kernel(op, device); })) {
    if (plugin->usable()) continue;
    if (!text.empty()) text += '\n';
    text += plugin->why_not().text;
  }
  return text;
}

}  // namespace tenon
