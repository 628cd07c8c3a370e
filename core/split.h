// Lists in one string.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tenon {

// Splits at `separator`; drops empty parts and spaces around parts.
std::vector<std::string> split_list(std::string_view text, char separator);

}  // namespace tenon
