#include "suggestion.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace safetensors {
namespace {

// Levenshtein's distance, row by row.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t k = 0; k < b.size(); ++k) {
      const std::size_t replaced = diagonal + (a[i] == b[k] ? 0 : 1);
      diagonal = row[k + 1];
      row[k + 1] = std::min({replaced, row[k] + 1, diagonal + 1});
    }
  }
  return row.back();
}

}  // namespace

std::vector<std::string> close_names(std::string_view wanted,
                                     const std::vector<std::string_view>& names) {
  const std::size_t limit = std::max<std::size_t>(2, wanted.size() / 3);
  std::vector<std::pair<std::size_t, std::string_view>> close;
  for (const std::string_view name : names) {
    const auto [shorter, longer] = std::minmax({name.size(), wanted.size()});
    if (longer - shorter > limit) continue;
    const std::size_t away = distance(wanted, name);
    if (away <= limit) close.emplace_back(away, name);
  }
  std::sort(close.begin(), close.end());
  if (close.size() > 3) close.resize(3);
  std::vector<std::string> result;
  result.reserve(close.size());
  for (const auto& [away, name] : close) result.emplace_back(name);
  return result;
}

}  // namespace safetensors
