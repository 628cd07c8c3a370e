#include "core/glob.h"

namespace tenon {

bool glob_match(std::string_view pattern, std::string_view text, GlobDots dots) {
  // The usual linear matcher: on a mismatch, let the last star take one character more.
  constexpr size_t kNone = static_cast<size_t>(-1);
  size_t p = 0, t = 0, star = kNone, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != kNone && (dots == GlobDots::kCross || text[resume] != '.')) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace tenon
