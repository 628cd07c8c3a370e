#include "core/json.h"

#include <cstdio>

namespace tenon {
namespace {

// Length of the valid UTF-8 sequence at the start of `text`; 0 when there is none.
size_t utf8_length(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const size_t length = first < 0xc2   ? 0
                        : first < 0xe0 ? 2
                        : first < 0xf0 ? 3
                        : first < 0xf5 ? 4
                                       : 0;
  if (length == 0 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  // Overlong forms, surrogates and numbers beyond Unicode.
  const unsigned char second = byte(1);
  if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
      (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f)) {
    return 0;
  }
  return length;
}

}  // namespace

void JsonWriter::begin(std::string_view key) {
  if (!text_.empty() && text_.back() != '{' && text_.back() != '[') text_ += ',';
  if (key.data() == nullptr) return;
  quote(key);
  text_ += ':';
}

void JsonWriter::quote(std::string_view text) {
  text_ += '"';
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    const auto first = static_cast<unsigned char>(text.front());
    if (length == 0) {
      text_ += "\\ufffd";  // paths may hold any bytes, JSON may not
    } else if (first == '"' || first == '\\') {
      text_ += '\\';
      text_ += text.front();
    } else if (first < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(first));
      text_ += escape;
    } else {
      text_ += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  text_ += '"';
}

void JsonWriter::open_object(std::string_view key) {
  begin(key);
  text_ += '{';
}

void JsonWriter::close_object() {
  text_ += '}';
}

void JsonWriter::open_array(std::string_view key) {
  begin(key);
  text_ += '[';
}

void JsonWriter::close_array() {
  text_ += ']';
}

void JsonWriter::member(std::string_view key, std::string_view text) {
  begin(key);
  quote(text);
}

void JsonWriter::member(std::string_view key, int64_t number) {
  begin(key);
  text_ += std::to_string(number);
}

void JsonWriter::member(std::string_view key, bool truth) {
  begin(key);
  text_ += truth ? "true" : "false";
}

void JsonWriter::item(std::string_view text) {
  begin({});
  quote(text);
}

}  // namespace tenon
