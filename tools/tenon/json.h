// json.h - answers as JSON: members keep the order in which they were added.
#pragma once
#include <nlohmann/json.hpp>

#include <string>

namespace command {

using Json = nlohmann::ordered_json;

// Indented, one line break at the end. Bytes that are not UTF-8 become U+FFFD, so that the result
// is always valid.
inline std::string json_text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace command
