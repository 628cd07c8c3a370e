// An error as a plain value, for code that keeps errors: the reason of a quarantine, the outcome of
// tn_init.
#pragma once

#include <tenon/status.h>

#include <source_location>
#include <string>
#include <utility>

namespace tenon {

struct Problem {
  tn_code code = TN_OK;
  std::string text;
  std::source_location where;

  Problem() = default;
  Problem(tn_code code, std::string text,
          std::source_location where = std::source_location::current())
      : code(code), text(std::move(text)), where(where) {}

  explicit operator bool() const { return code != TN_OK; }
};

// A new status with the problem's code and text; null for none.
tn_status to_status(const Problem& problem);

// Consumes `status`.
Problem to_problem(tn_status status);

}  // namespace tenon
