#include <tenon/sdk/error.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <regex>
#include <sstream>

#include "commands.h"
#include "json.h"
#include "layout.h"
#include "report.h"

namespace command {
namespace {

// Makes `file` all there is of configuration. Where plugins are found stays as it is: the file may
// set their keys.
void leave_only(const std::string& file) {
  std::vector<std::string> names;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (text.starts_with("TENON_")) names.emplace_back(text.substr(0, text.find('=')));
  }
  for (const std::string& name : names) {
    if (name != "TENON_PLUGIN_PATH") unsetenv(name.c_str());
  }
  setenv("TENON_CONFIG", file.c_str(), 1);
}

// A fault and where it is, as the message begins: "/home/me/tenon.toml:3:5: ...".
Json fault_of(const std::string& message) {
  std::smatch found;
  Json fault = {{"message", message}, {"file", ""}, {"line", 0}};
  if (std::regex_search(message, found, std::regex("^(.*?):([0-9]+)(:[0-9]+)?: "))) {
    fault["file"] = found[1].str();
    fault["line"] = std::atoi(found[2].str().c_str());
  }
  return fault;
}

// The core tells all faults in one message, a line each. Files keep its order; in each, lines
// count.
Json faults_of(const std::string& problem) {
  std::map<std::string, std::size_t> files;
  std::map<std::pair<std::size_t, int>, std::vector<Json>> sorted;
  std::istringstream lines(problem);
  for (std::string line; std::getline(lines, line);) {
    Json fault = fault_of(line);
    const std::size_t file = files.try_emplace(fault["file"], files.size()).first->second;
    sorted[{file, fault["line"]}].push_back(std::move(fault));
  }
  Json faults = Json::array();
  for (auto& [place, some] : sorted)
    for (Json& fault : some) faults.push_back(std::move(fault));
  return faults;
}

std::string as_text(const Json& result) {
  std::string out;
  for (const Json& fault : result["faults"])
    out += wrap(fault["message"].get<std::string>(), 0, 2) + '\n';
  if (!out.empty()) return out;
  for (const std::string note : result["notes"]) out += "note: " + wrap(note, 6, 6) + '\n';
  if (result["files"].empty()) out += "no files; the defaults and the environment are in force\n";
  for (const std::string file : result["files"]) out += file + ": well formed\n";
  return out;
}

}  // namespace

Answer config_check(const Options& options) {
  if (!options.file.empty()) leave_only(options.file);
  tn::api = tn_get_host();
  const Json report = core_report();
  const Json faults = faults_of(report["problem"]);
  Json result = faults.empty() ? fault_of("") : faults[0];
  result.update({{"ok", faults.empty()},
                 {"files", report["config_files"]},
                 {"faults", faults},
                 {"notes", report["notes"]}});
  return {options.json ? json_text(result) : as_text(result), faults.empty() ? kWell : kFault};
}

}  // namespace command
