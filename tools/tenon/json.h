// json.h - writes JSON, and nothing else of it.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace command {

// A string with its quotes. Bytes that are not UTF-8 become U+FFFD, so that the result is always
// valid JSON.
std::string json_string(std::string_view text);

// An array of strings.
std::string json_strings(const std::vector<std::string>& texts);

// An object, member by member, in the order of the calls: JsonObject().text("name",
// "add").raw("kind", "1").str().
class JsonObject {
 public:
  JsonObject& text(const char* key, std::string_view value) { return raw(key, json_string(value)); }
  JsonObject& number(const char* key, std::int64_t value) {
    return raw(key, std::to_string(value));
  }
  JsonObject& strings(const char* key, const std::vector<std::string>& values) {
    return raw(key, json_strings(values));
  }
  // `json` is valid JSON already.
  JsonObject& raw(const char* key, const std::string& json);
  std::string str() const { return "{" + members_ + "}"; }

 private:
  std::string members_;
};

// An array of one object a line.
std::string json_lines(const std::vector<std::string>& objects);

}  // namespace command
