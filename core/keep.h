// Strings that the ABI promises to keep for the life of the process.
#pragma once

#include <string>
#include <string_view>

namespace tenon {

// A null-terminated copy of `text`, never freed; equal texts share one copy.
const char* keep(std::string_view text);

// "a, b, c", kept.
template <class Range, class Name>
const char* keep_list(const Range& items, Name name) {
  std::string text;
  for (const auto& item : items) {
    if (!text.empty()) text += ", ";
    text += name(item);
  }
  return keep(text);
}

}  // namespace tenon
