#include "doctor_text.h"

#include "layout.h"

namespace command {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string text(const Json& object, const char* key) {
  return object.value(key, std::string());
}

std::string lines(const Json& list) {
  std::string out;
  for (const std::string item : list) out += (out.empty() ? "" : "\n") + item;
  return out;
}

std::string joined(const Json& list, const char* separator) {
  std::string out;
  for (const std::string item : list) out += (out.empty() ? "" : separator) + item;
  return out;
}

// Rows with something to say, indented under a heading.
std::string section(const std::string& heading, const Rows& rows) {
  Rows kept;
  for (const auto& row : rows) {
    if (!row.back().empty()) kept.push_back({"  " + row[0], row[1]});
  }
  return heading + '\n' + columns(kept);
}

std::string describe(const Json& device) {
  std::string out = "plugin " + text(device, "plugin");
  if (device["host"]) out += ", the host";
  if (!device["loaded"]) return out + ", not loaded so far";
  if (!text(device, "problem").empty()) return out + '\n' + text(device, "problem");
  if (device["units"].empty()) return out + ", none present";
  for (std::size_t i = 0; i < device["units"].size(); ++i) {
    out += '\n' + std::to_string(i) + ": " + device["units"][i].get<std::string>();
  }
  return out;
}

std::string libraries(const Json& plugin) {
  std::string out;
  for (const Json& library : plugin["libraries"]) {
    const std::string path = text(library, "path"), version = text(library, "version");
    if (!out.empty()) out += '\n';
    out += text(library, "name");
    if (!version.empty()) out += ' ' + version;
    out += path.empty() ? " not found" : " in " + path;
  }
  return out;
}

std::string heading(const Json& plugin) {
  std::string out = text(plugin, "name");
  if (!text(plugin, "version").empty()) out += ' ' + text(plugin, "version");
  if (!text(plugin, "vendor").empty()) out += " (" + text(plugin, "vendor") + ')';
  return out + ": " + text(plugin, "state");
}

}  // namespace

std::string doctor_text(const Json& report) {
  const std::string files = lines(report["config_files"]);
  std::string out = section("Tenon " + text(report, "version") + ", ABI " + text(report, "abi"),
                            {{"library", text(report, "library")},
                             {"processor", joined(report["processor"], " ")},
                             {"config", files.empty() ? "no files" : files},
                             {"plugins in", lines(report["plugin_folders"])},
                             {"problem", text(report, "problem")},
                             {"note", lines(report["notes"])}});
  Rows rows;
  for (const Json& device : report["devices"]) {
    rows.push_back({text(device, "name"), describe(device)});
  }
  out += section("\nDevices", rows);
  if (rows.empty()) out += "  none; no plugin found provides one\n";

  rows.clear();
  for (const Json& provider : report["providers"]) {
    rows.push_back({text(provider, "device"), joined(provider["order"], ", ")});
  }
  if (!rows.empty()) out += section("\nProviders of kernels, the preferred one first", rows);

  rows.clear();
  for (const Json& entry : report["config"]) {
    rows.push_back({text(entry, "key"), text(entry, "value") + "  from " + text(entry, "origin")});
  }
  if (!rows.empty()) out += section("\nConfiguration", rows);

  out += "\nPlugins, " + std::to_string(report["plugins"].size()) + '\n';
  for (const Json& plugin : report["plugins"]) {
    out += section('\n' + heading(plugin),
                   {{"why", text(plugin, "reason")},
                    {"manifest", text(plugin, "manifest")},
                    {"library", text(plugin, "library")},
                    {"loads", libraries(plugin)},
                    {"devices", text(plugin, "devices")},
                    {"layers", text(plugin, "layers")},
                    {"interfaces", text(plugin, "interfaces")},
                    {"priority", std::to_string(plugin.value("priority", 0))}});
  }

  out += report["fixes"].empty() ? "\nNothing to mend.\n" : "\nTo mend\n";
  int number = 0;
  for (const std::string fix : report["fixes"]) {
    const std::string start = "  " + std::to_string(++number) + ". ";
    out += start + wrap(fix, start.size(), start.size()) + '\n';
  }
  return out;
}

}  // namespace command
