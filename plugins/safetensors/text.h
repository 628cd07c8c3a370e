// text.h - UTF-8, and names as messages print them.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace safetensors {

// The length of the longest valid UTF-8 prefix: text.size() when all of it is valid. Overlong
// forms, surrogates and code points above U+10FFFF are invalid.
std::size_t valid_utf8_prefix(std::string_view text);

// Appends the UTF-8 form of a code point that is no surrogate and at most U+10FFFF.
void append_utf8(std::string& text, char32_t code_point);

// In double quotes, control characters escaped, cut to about a line: for messages.
std::string quoted(std::string_view text);

}  // namespace safetensors
