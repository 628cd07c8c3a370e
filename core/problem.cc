#include "core/problem.h"

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
  if (other.code == TN_OUT_OF_MEMORY) code = other.code;
  text += "\n" + other.text;
}

tn_status to_status(const Problem& problem) {
  if (!problem) return nullptr;
  return tn_status_make(problem.code, nullptr, 0, problem.file, problem.line, "%s",
                        problem.text.c_str());
}

Problem to_problem(tn_status status) {
  if (status == nullptr) return {};
  Problem problem(tn_status_code(status), tn_status_message(status));
  tn_status_release(status);
  return problem;
}

}  // namespace tenon
