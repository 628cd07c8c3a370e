// "Did you mean ...?"
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tenon {

// ` (did you mean "x"?)` with the candidate closest to `name`, or "" when none is close.
std::string suggestion(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace tenon
