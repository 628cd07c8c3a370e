// The start: configuration, discovery, and what follows from both. No plugin's code runs here.
#include <tenon/config.h>

#include <algorithm>
#include <atomic>
#include <new>
#include <utility>

#include "core/catalog.h"
#include "core/concat.h"
#include "core/config.h"
#include "core/device.h"
#include "core/error.h"
#include "core/guard.h"
#include "core/layers.h"
#include "core/library.h"
#include "core/loader.h"
#include "core/locks.h"
#include "core/log.h"
#include "core/once.h"
#include "core/suggest.h"
#include "core/trust.h"

namespace tenon {
namespace {

constinit std::atomic<bool> succeeded{false};

struct Start {
  bool done = false;
  Problem outcome;
};

constinit Once<Start> once;

std::vector<Plugin*> sound_plugins() {
  std::vector<Plugin*> plugins;
  for (const auto& plugin : catalog().plugins) {
    if (!plugin->manifest_broken) plugins.push_back(plugin.get());
  }
  return plugins;
}

// Marks plugins as required or disabled. A disabled plugin need not exist, a required one must.
Problem apply_lists() {
  const std::vector<std::string> required = config().strings("plugins.required");
  const std::vector<std::string> disabled = config().strings("plugins.disable");
  for (const std::string& name : required) {
    Plugin* plugin = catalog().find(name);
    if (plugin == nullptr) {
      return {TN_NOT_FOUND,
              concat({config().origin("plugins.required"), ": plugins.required lists \"", name,
                      "\", which was not found", suggestion(name, catalog().names())})};
    }
    plugin->required = true;
  }
  for (Plugin* plugin : sound_plugins()) {
    if (std::find(disabled.begin(), disabled.end(), plugin->name()) != disabled.end()) {
      plugin->skip({TN_NOT_FOUND,
                    "switched off by plugins.disable in " + config().origin("plugins.disable")});
    }
  }
  return {};
}

Problem adopt_config() {
  std::vector<const Manifest*> manifests;
  std::vector<std::string> unreadable;
  for (const auto& plugin : catalog().plugins) {
    if (!plugin->manifest_broken) {
      manifests.push_back(&plugin->manifest);
    } else if (catalog().find(plugin->name()) == plugin.get()) {
      unreadable.push_back(plugin->name());
    }
  }
  return config().adopt(manifests, unreadable);
}

void reserve_devices(Plugin* plugin) {
  for (const Manifest::Device& device : plugin->manifest.devices) {
    int32_t type = 0;
    if (Problem problem = to_problem(device_reserve(device.name, device.dlpack, &type))) {
      if (problem.passes()) throw std::bad_alloc();  // it opens nothing, so memory it was
      plugin->quarantine(std::move(problem));
      return;
    }
  }
}

// A list says who is preferred, so one file serves machines that lack some of its plugins; what
// must be there stands in plugins.required. A list of which nothing is there serves none.
Problem check_providers() {
  constexpr std::string_view kPrefix = "providers.";
  const std::vector<std::string> names = catalog().names();
  for (const auto& [key, entry] : config().entries()) {
    if (!key.starts_with(kPrefix)) continue;
    const std::vector<std::string> listed = entry.value.strings();
    std::vector<std::string> missing;
    for (const std::string& name : listed) {
      if (std::find(names.begin(), names.end(), name) != names.end()) continue;
      missing.push_back(
          concat({entry.origin, ": ", key, " lists \"", name,
                  "\", but no plugin of that name was found", suggestion(name, names)}));
    }
    if (missing.empty()) continue;
    if (missing.size() == listed.size()) return {TN_NOT_FOUND, missing.front()};
    for (const std::string& text : missing) {
      log_warning("%s; the others of the list serve without it", text.c_str());
      config().add_note(text);
    }
  }
  return {};
}

Problem check_required() {
  for (const auto& plugin : catalog().plugins) {
    if (!plugin->required || plugin->usable()) continue;
    Problem problem = plugin->why_not();
    problem.text = "plugins.required lists " + plugin->name() + ", but " + problem.text;
    return problem;
  }
  return {};
}

Problem start() {
  if (const std::string other = library_other_core(); !other.empty()) {
    return {TN_RUNTIME_ERROR, concat({"two copies of libtenon are in this process, ", own_path(),
                                      " and ", other, "; make everything use one of them"})};
  }
  Problem problems = config().read();
  const Locked lock(Lock::kCatalog);
  if (Problem problem = discover(&catalog().plugins)) return problem;
  problems.add(adopt_config());
  if (problems) return problems;
  if (Problem problem = apply_lists()) return problem;
  for (Plugin* plugin : sound_plugins()) {
    if (plugin->usable()) discovery_choose_library(plugin);
  }
  layers_allot(sound_plugins());
  for (Plugin* plugin : sound_plugins()) {
    if (plugin->usable()) reserve_devices(plugin);
  }
  if (Problem problem = check_providers()) return problem;
  return check_required();
}

tn_status init_once() {
  const Locked lock(Lock::kStart);
  Start& state = once.get();
  if (!state.done) {
    // An attempt that ends for lack of memory or the like, by an exception or not, is no last word:
    // the next one begins again.
    Problem outcome = start();
    std::swap(state.outcome, outcome);  // with the old one's memory
    state.done = !state.outcome.passes();
    succeeded.store(!state.outcome, std::memory_order_release);
  }
  return to_status(state.outcome);
}

}  // namespace

tn_status ensure_init() {
  if (succeeded.load(std::memory_order_acquire)) return nullptr;
  return guard(init_once);
}

}  // namespace tenon

tn_status tn_init(uint32_t abi_major, uint32_t abi_minor) {
  // While the major is 0, a minor may break.
  if (abi_major != TN_ABI_MAJOR || abi_minor != TN_ABI_MINOR) {
    return TN_ERROR(
        TN_INCOMPATIBLE,
        "tn_init: the program was built for ABI %u.%u, but this libtenon has ABI %d.%d; "
        "rebuild it with the headers of this release, or install a libtenon with ABI "
        "%u.%u",
        abi_major, abi_minor, TN_ABI_MAJOR, TN_ABI_MINOR, abi_major, abi_minor);
  }
  return tenon::ensure_init();
}
