#include "core/concat.h"

namespace tenon {

void append(std::string* text, std::initializer_list<std::string_view> parts) {
  for (const std::string_view part : parts) text->append(part);
}

std::string concat(std::initializer_list<std::string_view> parts) {
  std::string text;
  append(&text, parts);
  return text;
}

}  // namespace tenon
