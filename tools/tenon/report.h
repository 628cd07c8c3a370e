// report.h - the core's own answers, which it writes as JSON.
#pragma once
#include <tenon/sdk/error.h>

#include "json.h"

namespace command {

// The text that `ask(tn_value*)` answers with.
template <class Ask>
std::string text_from(Ask&& ask) {
  tn_value answer{};
  tn::check(ask(&answer));
  std::string text(answer.u.str, answer.len);
  tn::api->value_drop(&answer);
  return text;
}

// tn_doctor's report. Works also where tn_init fails: "problem" says why.
inline Json core_report() {
  return Json::parse(text_from([](tn_value* out) { return tn::api->doctor(1, out); }));
}

}  // namespace command
