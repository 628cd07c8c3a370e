#include "core/plugin.h"

#include <utility>

#include "core/concat.h"
#include "core/log.h"

namespace tenon {

void Plugin::skip(Problem why) {
  state = TN_PLUGIN_SKIPPED;
  problem = std::move(why);
}

void Plugin::quarantine(Problem why) {
  state = TN_PLUGIN_QUARANTINED;
  problem = std::move(why);
  tables.clear();
  log_line(LogLevel::kWarn, why_not().text);
}

Problem Plugin::why_not() const {
  Problem why = problem;
  if (state == TN_PLUGIN_UNLOADED) why = Problem(TN_RUNTIME_ERROR, "a process loads a plugin once");
  why.text = concat({"plugin ", name(), " is ", tn_plugin_state_name(state), ": ", why.text});
  return why;
}

}  // namespace tenon

const char* tn_plugin_state_name(tn_plugin_state state) {
  switch (state) {
    case TN_PLUGIN_DISCOVERED:
      return "discovered";
    case TN_PLUGIN_LOADED:
      return "loaded";
    case TN_PLUGIN_SKIPPED:
      return "skipped";
    case TN_PLUGIN_QUARANTINED:
      return "quarantined";
    case TN_PLUGIN_UNLOADED:
      return "unloaded";
  }
  return "?";
}
