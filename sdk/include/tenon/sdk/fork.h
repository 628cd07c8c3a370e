// What a plugin does so that a child of fork can go on using it.
#pragma once

#include <mutex>

#include <tenon/sdk/error.h>

namespace tn {

// Calls `f` in children of fork, before they go on. For the plugin's entry, as below.
inline void call_in_children(tn_plugin* plugin, void (*f)()) {
  const tn_fork_handlers handlers{nullptr, nullptr, f};
  check(api->register_fork_handlers(plugin, &handlers));
}

// Makes forks wait for `mutex`, so that a child finds it free and what it guards whole. Who holds
// it must not call what loads plugins or looks something up.
template <std::mutex& mutex>
void hold_across_forks(tn_plugin* plugin) {
  constexpr auto unlock = [] { mutex.unlock(); };
  const tn_fork_handlers handlers{[] { mutex.lock(); }, unlock, unlock};
  check(api->register_fork_handlers(plugin, &handlers));
}

}  // namespace tn
