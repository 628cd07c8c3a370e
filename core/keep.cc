#include "core/keep.h"

#include <mutex>
#include <set>

namespace tenon {

const char* keep(std::string_view text) {
  // Never destroyed: plugins and programs may read the strings while the process exits.
  static auto& mutex = *new std::mutex;
  static auto& strings = *new std::set<std::string, std::less<>>;
  std::lock_guard lock(mutex);
  auto found = strings.find(text);
  if (found == strings.end()) found = strings.emplace(text).first;
  return found->c_str();
}

}  // namespace tenon
