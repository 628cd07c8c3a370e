#include "core/suggest.h"

#include <algorithm>

namespace tenon {
namespace {

// Edits (insert, delete, replace, swap of neighbours) between two names; Damerau's optimal string
// alignment.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replace = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

}  // namespace

std::string suggestion(std::string_view name, const std::vector<std::string>& candidates) {
  // Names of any length are compared in full, but a hostile one must not cost seconds.
  if (name.size() > 200) return "";
  const std::string* best = nullptr;
  // Up to a third of the name may be wrong, and one letter of a short one.
  size_t limit = std::max<size_t>(1, name.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const size_t distance = edit_distance(name, candidate);
    if (distance < limit) {
      limit = distance;
      best = &candidate;
    }
  }
  return best == nullptr ? "" : " (did you mean \"" + *best + "\"?)";
}

}  // namespace tenon
