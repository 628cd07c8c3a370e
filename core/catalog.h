// All plugins found at init, in the order of discovery. Lock::kCatalog is held while plugins are
// loaded, their entries included, and while their states are read; nobody may hold a lock that an
// entry could want while asking for this one.
#pragma once

#include <tenon/plugin.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/discovery.h"

namespace tenon {

struct Catalog {
  Plugins plugins;               // fixed after tn_init
  std::vector<Plugin*> loading;  // outermost first; all of the thread that holds the lock

  // The members below expect Lock::kCatalog to be held.
  Plugin* find(std::string_view name) const;     // null when there is none
  Plugin* owner(const tn_plugin* handle) const;  // null for a pointer that is no plugin's
  std::vector<std::string> names() const;
  // Those that `wanted` accepts, the highest priority first.
  template <class Wanted>
  std::vector<Plugin*> select(Wanted wanted) const {
    std::vector<Plugin*> found;
    for (const auto& plugin : plugins) {
      if (!plugin->manifest_broken && wanted(plugin->manifest)) found.push_back(plugin.get());
    }
    by_priority(&found);
    return found;
  }

 private:
  static void by_priority(std::vector<Plugin*>* plugins);
};

Catalog& catalog();

}  // namespace tenon
