// Patterns over names in manifests.
#pragma once

#include <string_view>

namespace tenon {

// Whether `*` also stands for text with dots in it.
enum class GlobDots {
  kCross,
  kStop
};

// `*` stands for any text, every other character for itself.
bool glob_match(std::string_view pattern, std::string_view text, GlobDots dots = GlobDots::kCross);

}  // namespace tenon
