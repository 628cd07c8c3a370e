// suggestion.h - names that a misspelt one may mean.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace safetensors {

// At most three of `names`, the closest first, by the number of characters to insert, delete or
// replace; none that is further away than a third of the name.
std::vector<std::string> close_names(std::string_view wanted,
                                     const std::vector<std::string_view>& names);

}  // namespace safetensors
