// What the fuzz targets of the core hold a failure to.
#pragma once

#include <cstdio>
#include <cstdlib>

#include "core/problem.h"

namespace tenon {

inline void require(bool expected, const char* file = __builtin_FILE(),
                    int line = __builtin_LINE()) {
  if (expected) return;
  std::fprintf(stderr, "%s:%d: not as expected\n", file, line);
  std::abort();
}

// A failure is a person's: it says something and is no defect of Tenon's.
inline void require_clear(const Problem& problem, const char* file = __builtin_FILE(),
                          int line = __builtin_LINE()) {
  require(problem.code != TN_INTERNAL && !problem.text.empty(), file, line);
}

}  // namespace tenon
