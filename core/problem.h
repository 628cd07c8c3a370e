// An error as a plain value, for code that keeps errors: the reason of a quarantine, the outcome of
// tn_init.
#pragma once

#include <tenon/status.h>

#include <cstdint>
#include <string>
#include <utility>

namespace tenon {

struct Problem {
  tn_code code = TN_OK;
  std::string text;
  const char* file = "";
  int32_t line = 0;

  Problem() = default;
  // In one place: they are called wherever something may fail, and inlined they are half of it.
  ~Problem();
  Problem(Problem&&) noexcept;
  Problem(const Problem&);
  Problem& operator=(Problem&&) noexcept;
  // The last two parameters are the caller's place: clang 14 has no std::source_location.
  Problem(tn_code code, std::string text, const char* file = __builtin_FILE(),
          int32_t line = __builtin_LINE())
      : code(code), text(std::move(text)), file(file), line(line) {}

  explicit operator bool() const { return code != TN_OK; }

  // Takes another one in, a line of its own. Lack of memory says nothing of what was looked at, so
  // it is the code of whatever it is among.
  void add(Problem other);
};

// A new status with the problem's code and text; null for none.
tn_status to_status(const Problem& problem);

// Consumes `status`.
Problem to_problem(tn_status status);

}  // namespace tenon
