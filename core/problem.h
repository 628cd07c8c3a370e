// An error as a plain value, for code that keeps errors: the reason of a quarantine, the outcome of
// tn_init.
#pragma once

#include <tenon/status.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace tenon {

struct Problem {
  tn_code code = TN_OK;
  std::string text;
  const char* file = "";
  int32_t line = 0;
  uint32_t flags = 0;  // TN_ERROR_*
  int32_t error = 0;   // the operating system's errno; 0 where it is not its error

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

  // Whether it says nothing of what was looked at: the process lacked memory or descriptors just
  // then, and whoever looks again may find all well. Nothing is decided for good by such a problem.
  bool passes() const { return code == TN_OUT_OF_MEMORY || (flags & TN_ERROR_RETRYABLE) != 0; }

  // Takes another one in, a line of its own. One that passes makes the whole pass.
  void add(Problem other);
};

// "TEXT: No such file or directory", for what the operating system refused with `error`, an errno.
Problem system_problem(int error, std::string_view text, const char* file = __builtin_FILE(),
                       int32_t line = __builtin_LINE());

// A new status with the problem's code and text; null for none.
tn_status to_status(const Problem& problem);

// Consumes `status`.
Problem to_problem(tn_status status);

}  // namespace tenon
