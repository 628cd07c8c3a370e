#include "core/keep.h"

#include <set>

#include "core/locks.h"
#include "core/once.h"

namespace tenon {

namespace {

constinit Once<std::set<std::string, std::less<>>> kept;

}  // namespace

const char* keep(std::string_view text) {
  const Locked lock(Lock::kStrings);
  auto& strings = kept.get();
  auto found = strings.find(text);
  if (found == strings.end()) found = strings.emplace(text).first;
  return found->c_str();
}

}  // namespace tenon
