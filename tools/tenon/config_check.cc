#include <tenon/sdk/error.h>

#include <cstdlib>
#include <regex>

#include "commands.h"
#include "json.h"
#include "layout.h"
#include "report.h"

extern char** environ;

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

// Where a message points to: "/home/me/tenon.toml:3:5: ...".
struct Place {
  std::string file;
  int line = 0;
};

Place place_of(const std::string& message) {
  std::smatch found;
  if (!std::regex_search(message, found, std::regex("^([^\\n]*?):([0-9]+)(:[0-9]+)?: "))) return {};
  return {found[1], std::atoi(found[2].str().c_str())};
}

std::string as_text(const Json& result) {
  const std::string problem = result["message"];
  std::string out;
  if (!problem.empty()) return wrap(problem, 0, 2) + '\n';
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
  const std::string problem = report["problem"];
  const Place place = place_of(problem);
  const Json result = {{"ok", problem.empty()}, {"files", report["config_files"]},
                       {"message", problem},    {"file", place.file},
                       {"line", place.line},    {"notes", report["notes"]}};
  return {options.json ? json_text(result) : as_text(result), problem.empty() ? kWell : kFault};
}

}  // namespace command
