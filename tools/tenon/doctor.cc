#include <tenon/sdk/error.h>

#include "commands.h"
#include "doctor_text.h"
#include "fixes.h"
#include "linked_libraries.h"
#include "report.h"

namespace command {
namespace {

// What the core cannot say without loading a plugin: the libraries that loading it would bring
// along.
void add_libraries(Json& report) {
  for (Json& plugin : report["plugins"]) {
    Json& list = plugin["libraries"] = Json::array();
    const std::string path = plugin["library"];
    if (path.empty()) continue;
    for (const LinkedLibrary& library : linked_libraries(path)) {
      list.push_back(
          {{"name", library.name}, {"path", library.path}, {"version", library.version}});
    }
  }
}

}  // namespace

Answer doctor(const Options& options) {
  // Not tn::init: what is wrong with the configuration is part of the report.
  tn::api = tn_get_host();
  Json report = core_report();
  add_libraries(report);
  report["fixes"] = fixes_for(report);
  return {options.json ? json_text(report) : doctor_text(report),
          report["fixes"].empty() ? kWell : kFault};
}

}  // namespace command
