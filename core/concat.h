// One string of many parts. Messages are made in many places: one call is a tenth of the code of a
// chain of `+`.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace tenon {

std::string concat(std::initializer_list<std::string_view> parts);
void append(std::string* text, std::initializer_list<std::string_view> parts);

}  // namespace tenon
