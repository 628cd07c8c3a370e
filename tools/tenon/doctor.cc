#include <tenon/sdk/error.h>

#include "commands.h"

namespace command {

std::string doctor(Format format) {
  tn::init();
  tn_value report{};
  tn::check(tn::api->doctor(format == Format::json, &report));
  std::string text(report.u.str, report.len);
  tn::api->value_drop(&report);
  if (!text.ends_with('\n')) text += '\n';
  return text;
}

}  // namespace command
