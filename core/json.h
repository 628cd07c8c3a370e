// Writes JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tenon {

// Calls follow the document's order; the writer puts commas and quotes. Members of an object need a
// key, items of an array take none.
class JsonWriter {
 public:
  void open_object(std::string_view key = {});
  void close_object();
  void open_array(std::string_view key = {});
  void close_array();

  void member(std::string_view key, std::string_view text);
  void member(std::string_view key, const char* text) { member(key, std::string_view(text)); }
  void member(std::string_view key, int64_t number);
  void member(std::string_view key, bool truth);
  void item(std::string_view text);

  const std::string& text() const { return text_; }

 private:
  void begin(std::string_view key);
  void quote(std::string_view text);

  std::string text_;
};

}  // namespace tenon
