#include "core/catalog.h"

#include <algorithm>

#include "core/once.h"

namespace tenon {

Plugin* Catalog::find(std::string_view name) const {
  for (const auto& plugin : plugins) {
    if (plugin->name() == name) return plugin.get();
  }
  return nullptr;
}

Plugin* Catalog::owner(const tn_plugin* handle) const {
  for (const auto& plugin : plugins) {
    if (&plugin->handle == handle) return plugin.get();
  }
  return nullptr;
}

std::vector<std::string> Catalog::names() const {
  std::vector<std::string> found;
  for (const auto& plugin : plugins) found.push_back(plugin->name());
  return found;
}

void Catalog::by_priority(std::vector<Plugin*>* plugins) {
  std::stable_sort(plugins->begin(), plugins->end(), [](const Plugin* a, const Plugin* b) {
    return a->manifest.priority > b->manifest.priority;
  });
}

namespace {

constinit Once<Catalog> once;

}  // namespace

Catalog& catalog() {
  return once.get();
}

}  // namespace tenon
