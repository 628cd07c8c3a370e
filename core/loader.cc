#include "core/loader.h"

#include <tenon/config.h>
#include <cstdlib>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <new>
#include <system_error>
#include <utility>

#include "core/awaited_layers.h"
#include "core/catalog.h"
#include "core/concat.h"
#include "core/config.h"
#include "core/file_error.h"
#include "core/guard.h"
#include "core/keep.h"
#include "core/layers.h"
#include "core/library.h"
#include "core/locks.h"
#include "core/log.h"
#include "core/registration.h"
#include "core/suggest.h"
#include "core/trust.h"

namespace tenon {
namespace {

// The time in which a plugin is being loaded, which may end in an exception.
class Loading {
 public:
  explicit Loading(Plugin* plugin) : plugin_(plugin) {
    catalog().loading.push_back(plugin);
    plugin_->loading = true;
  }
  ~Loading() {
    plugin_->loading = false;
    catalog().loading.pop_back();
  }
  Loading(const Loading&) = delete;
  Loading& operator=(const Loading&) = delete;

 private:
  Plugin* plugin_;
};

// "a -> b -> a" for a plugin that is being loaded and wanted again.
std::string circle(const Plugin* plugin) {
  const std::vector<Plugin*>& way = catalog().loading;
  std::string text;
  for (auto p = std::find(way.begin(), way.end(), plugin); p != way.end(); ++p) {
    text += (*p)->name() + " -> ";
  }
  return text + plugin->name();
}

Problem load_required(const Plugin& plugin) {
  for (const std::string& name : plugin.manifest.requires_plugins) {
    Plugin* other = catalog().find(name);
    if (other == nullptr) {
      return {TN_NOT_FOUND, concat({"it requires plugin ", name, ", which was not found",
                                    suggestion(name, catalog().names())})};
    }
    if (Problem problem = load_plugin(other)) {
      problem.text = concat({"it requires plugin ", name, "; ", problem.text});
      return problem;
    }
  }
  for (const std::string& name : plugin.manifest.requires_libraries) {
    if (Problem problem = library_find(name, plugin.manifest.directory)) return problem;
  }
  return {};
}

// Runs the entry. What it throws is caught here, where it would otherwise leave a C function.
tn_status call_entry(tn_plugin_entry_fn entry, tn_plugin* handle) {
  try {
    return entry(tn_get_host(), handle);
  } catch (const std::bad_alloc&) {
    return tn_status_out_of_memory();
  } catch (const std::system_error& error) {
    const std::error_category& category = error.code().category();
    const bool is_errno = category == std::generic_category() || category == std::system_category();
    return tn_status_make(TN_RUNTIME_ERROR, is_errno ? "errno" : category.name(),
                          error.code().value(), __FILE__, __LINE__, "it threw an exception: %s",
                          error.what());
  } catch (const std::exception& error) {
    return tn_status_make(TN_RUNTIME_ERROR, nullptr, 0, __FILE__, __LINE__,
                          "it threw an exception: %s", error.what());
  } catch (...) {
    return tn_status_make(TN_RUNTIME_ERROR, nullptr, 0, __FILE__, __LINE__,
                          "it threw an exception that is no std::exception");
  }
}

Problem run_entry(tn_plugin_entry_fn entry, Plugin* plugin) {
  plugin->handle = {};
  plugin->handle.size = sizeof(tn_plugin);
  plugin->handle.name = keep(plugin->name());
  plugin->handle.directory = keep(plugin->manifest.directory);
  plugin->tables.clear();  // of an attempt that failed
  // Taken back unless it is committed, whatever ends the attempt.
  struct Attempt {
    Plugin* plugin;
    Registration* registration;
    ~Attempt() {
      plugin->handle.registration = nullptr;  // too late to register anything more
      if (registration) registration_abort(registration);
    }
  } attempt{plugin, registration_begin(plugin->handle.name)};
  if (attempt.registration == nullptr) return to_problem(tn_status_out_of_memory());
  plugin->handle.registration = attempt.registration;
  // Whoever waits for an entry that hangs learns here whose it is.
  log_line(LogLevel::kInfo, concat({"plugin ", plugin->name(), ": its entry runs"}));
  if (Problem problem = to_problem(call_entry(entry, &plugin->handle))) {
    problem.text = "tn_plugin_entry failed: " + problem.text;
    return problem;
  }
  plugin->handle.registration = nullptr;
  return to_problem(registration_commit(std::exchange(attempt.registration, nullptr)));
}

Problem load_library(Plugin* plugin) {
  if (Problem problem = check_plugin(*plugin)) return problem;
  if (Problem problem = load_required(*plugin)) return problem;
  tn_plugin_entry_fn entry = nullptr;
  // Some libraries read settings from the environment, once, when they are mapped. What the user
  // has set stays as it is.
  for (const Manifest::Environment& variable : plugin->manifest.environment)
    setenv(variable.name.c_str(), variable.value.c_str(), 0);
  if (Problem problem = library_load(plugin->library, &entry)) return problem;
  return run_entry(entry, plugin);
}

// What a load_for_* function does with the plugins it found.
enum class Want {
  kAll,
  kAny,
  kFirst
};

Problem load_some(const std::vector<Plugin*>& plugins, Want want) {
  Problem failure;
  bool served = false;
  for (Plugin* plugin : plugins) {
    // A plugin that asks, in its entry, for what it provides itself: it will be there when the
    // entry returns.
    Problem problem = plugin->loading ? Problem() : load_plugin(plugin);
    if (!problem) {
      served = true;
      if (want == Want::kFirst) return {};
    } else if (plugin->required || problem.passes()) {
      // To go on without a plugin that only just now cannot be loaded would settle for good what
      // serves instead.
      return problem;
    } else {
      failure.add(std::move(problem));
    }
  }
  return served || want == Want::kAll ? Problem() : failure;
}

// Whether a manifest promises what is wanted, which one or two names say.
using Promises = bool(const Manifest&, std::string_view, std::string_view);

// No template: five copies would be some kilobytes of code.
tn_status load_for(Want want, Promises* promises, std::string_view a = {},
                   std::string_view b = {}) {
  return guard([&]() -> tn_status {
    if (tn_status status = ensure_init()) return status;
    const Locked lock(Lock::kCatalog);
    return to_status(
        load_some(catalog().select([&](const Manifest& m) { return promises(m, a, b); }), want));
  });
}

template <class Parts>
bool has_name(const Parts& parts, std::string_view name) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](const auto& part) { return part.name == name; });
}

}  // namespace

Problem check_plugin(const Plugin& plugin) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path real = fs::canonical(plugin.library, error);
  throw_if_out_of_memory(error);
  if (error) return {TN_NOT_FOUND, concat({plugin.library, ": ", error.message()})};
  if (real.parent_path() != fs::path(plugin.manifest.directory)) {
    return {TN_INVALID_ARGUMENT,
            concat({plugin.library, ": refused, it is a link out of its folder, to ", real.string(),
                    "; put the library itself there"})};
  }
  if (Problem problem = check_trust(real.string())) return problem;
  return library_check(real.string());
}

Problem load_plugin(Plugin* plugin) {
  if (plugin->state == TN_PLUGIN_LOADED) return {};
  if (!plugin->usable()) return plugin->why_not();
  if (plugin->loading) {
    return {TN_INVALID_ARGUMENT, "plugins need each other in a circle: " + circle(plugin)};
  }
  Problem problem;
  {
    const Loading scope(plugin);
    problem = load_library(plugin);
  }
  if (problem.passes()) {
    problem.text = concat({"plugin ", plugin->name(),
                           " could not be loaded now, the next call tries again: ", problem.text});
    return problem;
  }
  if (problem) {
    plugin->quarantine(std::move(problem));
    return plugin->why_not();
  }
  plugin->state = TN_PLUGIN_LOADED;
  awaited_layers_arrived(layers_bits(*plugin));
  log_line(LogLevel::kInfo,
           concat({"plugin ", plugin->name(), " is loaded from ", plugin->library}));
  return {};
}

tn_status load_for_operator(std::string_view name) {
  return load_for(
      Want::kAny, [](const Manifest& m, auto op, auto) { return m.declares_operator(op); }, name);
}

tn_status load_for_device(std::string_view device) {
  return load_for(
      Want::kFirst, [](const Manifest& m, auto d, auto) { return has_name(m.devices, d); }, device);
}

tn_status load_for_layer(std::string_view layer) {
  return load_for(
      Want::kAny, [](const Manifest& m, auto l, auto) { return has_name(m.layers, l); }, layer);
}

tn_status load_for_kernel(std::string_view op, std::string_view device) {
  return load_for(
      Want::kAll, [](const Manifest& m, auto o, auto d) { return m.provides_kernel(o, d); }, op,
      device);
}

tn_status load_for_host() {
  return load_for(Want::kFirst, [](const Manifest& m, auto, auto) {
    return std::any_of(m.devices.begin(), m.devices.end(),
                       [](const auto& device) { return device.host; });
  });
}

}  // namespace tenon
