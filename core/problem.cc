#include "core/problem.h"

#include <cerrno>
#include <cstring>

#include "core/concat.h"
#include "core/file_error.h"

namespace tenon {

Problem::~Problem() = default;
Problem::Problem(Problem&&) noexcept = default;
Problem::Problem(const Problem&) = default;
Problem& Problem::operator=(Problem&&) noexcept = default;

void Problem::add(Problem other) {
  if (!other) return;
  if (!*this) {
    *this = std::move(other);
    return;
  }
  if (other.passes()) {
    code = other.code;
    flags |= other.flags;
    error = other.error;
  }
  text += "\n" + other.text;
}

Problem system_problem(int error, std::string_view text, const char* file, int32_t line) {
  Problem problem(error == ENOMEM ? TN_OUT_OF_MEMORY : TN_IO_ERROR,
                  concat({text, ": ", std::strerror(error)}), file, line);
  problem.error = error;
  if (error_passes(error)) problem.flags = TN_ERROR_RETRYABLE;
  return problem;
}

tn_status to_status(const Problem& problem) {
  if (!problem) return nullptr;
  tn_status status = tn_status_make(problem.code, problem.error ? "errno" : nullptr, problem.error,
                                    problem.file, problem.line, "%s", problem.text.c_str());
  tn_status_set_flags(status, problem.flags);
  return status;
}

Problem to_problem(tn_status status) {
  if (status == nullptr) return {};
  Problem problem(tn_status_code(status), tn_status_message(status));
  problem.flags = tn_status_flags(status);
  if (std::string_view(tn_status_domain(status)) == "errno")
    problem.error = static_cast<int32_t>(tn_status_native_code(status));
  tn_status_release(status);
  return problem;
}

}  // namespace tenon
