#include "fixes.h"

#include <tenon/sdk/error.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "plugin_list.h"

namespace command {
namespace {

std::string at(const Json& object, const char* key) {
  return object.value(key, std::string());
}

// The first line of a message that may go on.
std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

void check_configuration(const Json& report, Json& fixes) {
  if (const std::string problem = at(report, "problem"); !problem.empty()) {
    fixes.push_back("mend the configuration: " + first_line(problem));
  }
  for (const std::string note : report["notes"]) fixes.push_back("mend the environment: " + note);
}

void check_plugin(const Json& plugin, Json& fixes) {
  const std::string start = "plugin " + at(plugin, "name") + ": ";
  std::vector<std::string> missing;
  for (const Json& library : plugin["libraries"]) {
    if (at(library, "path").empty()) missing.push_back(at(library, "name"));
  }
  if (!missing.empty()) {
    fixes.push_back(start + "install " + join(missing) +
                    ", which the dynamic loader does not find, or put it beside " +
                    at(plugin, "library"));
  } else if (at(plugin, "state") == "quarantined") {
    fixes.push_back(start + first_line(at(plugin, "reason")) +
                    "; if that cannot be mended, remove " + at(plugin, "manifest") +
                    " or list the plugin in plugins.disable");
  }
}

// Two OpenMP runtimes in one process keep two pools of threads that wait for each other's cores.
void check_openmp(const Json& report, Json& fixes) {
  std::set<std::string> runtimes;
  for (const Json& plugin : report["plugins"]) {
    for (const Json& library : plugin["libraries"]) {
      const std::string name = at(library, "name");
      for (const char* runtime : {"libgomp", "libomp", "libiomp5"}) {
        if (name.starts_with(std::string(runtime) + ".so")) runtimes.insert(name);
      }
    }
  }
  if (runtimes.size() > 1) {
    fixes.push_back("build the plugins with one OpenMP runtime: together they load " +
                    join({runtimes.begin(), runtimes.end()}));
  }
}

void check_devices(const Json& report, Json& fixes) {
  const Json& devices = report["devices"];
  if (std::none_of(devices.begin(), devices.end(),
                   [](const Json& device) { return device.value("host", false); })) {
    fixes.push_back(
        "install a plugin that provides the host's device, such as cpu, into one of the folders "
        "named under \"plugins in\": tensors cannot be made without one");
  }
  for (const Json& entry : report["config"]) {
    if (at(entry, "key") != "default_device") continue;
    const Json value = Json::parse(at(entry, "value"), nullptr, false);
    const std::string name = value.is_string() ? value.get<std::string>() : "";
    const std::string type = name.substr(0, name.find(':'));
    if (!type.empty() && std::none_of(devices.begin(), devices.end(), [&](const Json& device) {
          return at(device, "name") == type;
        })) {
      fixes.push_back("install a plugin for device " + type + " or change default_device (" +
                      at(entry, "origin") + "), which names it");
    }
  }
}

}  // namespace

Json fixes_for(const Json& report) {
  Json fixes = Json::array();
  check_configuration(report, fixes);
  for (const Json& plugin : report["plugins"]) check_plugin(plugin, fixes);
  // Where the configuration is broken nothing has been looked for.
  if (at(report, "problem").empty()) check_devices(report, fixes);
  check_openmp(report, fixes);
  return fixes;
}

}  // namespace command
