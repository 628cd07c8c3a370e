#include "json_reader.h"

#include <limits>

#include "failure.h"
#include "text.h"

namespace safetensors {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_high_surrogate(char32_t unit) {
  return unit >= 0xD800 && unit < 0xDC00;
}
bool is_low_surrogate(char32_t unit) {
  return unit >= 0xDC00 && unit < 0xE000;
}

}  // namespace

bool JsonReader::take(char c) {
  skip_space();
  if (at_ == text_.size() || text_[at_] != c) return false;
  ++at_;
  return true;
}

void JsonReader::expect(char c, const char* what) {
  if (!take(c)) fail_expected(what);
}

std::string JsonReader::read_string(const char* what) {
  if (!take('"')) fail_expected(what);
  std::string value;
  for (;;) {
    if (at_ == text_.size()) fail("the header ends inside a string");
    const char c = text_[at_];
    if (static_cast<unsigned char>(c) < 0x20) fail("a string holds a control character");
    ++at_;
    if (c == '"') return value;
    if (c == '\\') {
      append_utf8(value, read_escape());
    } else {
      value.push_back(c);
    }
  }
}

std::uint64_t JsonReader::read_natural(const char* what) {
  skip_space();
  if (at_ < text_.size() && text_[at_] == '-') fail(std::string(what) + " is negative");
  if (at_ == text_.size() || !is_digit(text_[at_])) fail_expected(what);
  constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();
  const std::size_t start = at_;
  std::uint64_t value = 0;
  for (; at_ < text_.size() && is_digit(text_[at_]); ++at_) {
    const auto digit = static_cast<std::uint64_t>(text_[at_] - '0');
    if (value > (kLargest - digit) / 10) fail(std::string(what) + " does not fit 64 bits");
    value = value * 10 + digit;
  }
  if (text_[start] == '0' && at_ - start > 1) fail(std::string(what) + " starts with a zero");
  if (at_ < text_.size() && (text_[at_] == '.' || text_[at_] == 'e' || text_[at_] == 'E')) {
    fail(std::string(what) + " is not a whole number in plain digits");
  }
  return value;
}

void JsonReader::expect_end() {
  skip_space();
  if (at_ != text_.size()) fail("something follows the header's object");
}

std::size_t JsonReader::position() {
  skip_space();
  return first_ + at_;
}

void JsonReader::skip_space() {
  while (at_ < text_.size() &&
         (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r')) {
    ++at_;
  }
}

char32_t JsonReader::read_escape() {
  if (at_ == text_.size()) fail("the header ends inside a string");
  switch (text_[at_++]) {
    case '"':
      return '"';
    case '\\':
      return '\\';
    case '/':
      return '/';
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'u':
      break;
    default:
      --at_;
      fail("a string holds an escape that JSON lacks");
  }
  const char32_t unit = read_hex4();
  if (unit == 0) fail("a string holds U+0000, which no C string can");
  if (is_low_surrogate(unit)) fail("a string holds half a surrogate pair");
  if (!is_high_surrogate(unit)) return unit;
  if (text_.substr(at_, 2) != "\\u") fail("a string holds half a surrogate pair");
  at_ += 2;
  const char32_t low = read_hex4();
  if (!is_low_surrogate(low)) fail("a string holds half a surrogate pair");
  return 0x10000 + ((unit - 0xD800) << 10 | (low - 0xDC00));
}

char32_t JsonReader::read_hex4() {
  char32_t value = 0;
  for (int i = 0; i < 4; ++i, ++at_) {
    const char c = at_ < text_.size() ? text_[at_] : '\0';
    char32_t digit = 0;
    if (is_digit(c)) {
      digit = static_cast<char32_t>(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      digit = static_cast<char32_t>(c - 'a' + 10);
    } else if (c >= 'A' && c <= 'F') {
      digit = static_cast<char32_t>(c - 'A' + 10);
    } else {
      fail("\\u is not followed by four hexadecimal digits");
    }
    value = value << 4 | digit;
  }
  return value;
}

void JsonReader::fail(const std::string& why) const {
  throw Malformed(why, first_ + at_);
}

void JsonReader::fail_expected(const char* what) const {
  if (at_ == text_.size()) fail(std::string("the header ends where ") + what + " is expected");
  fail(std::string("expected ") + what + ", found " + quoted(text_.substr(at_, 1)));
}

}  // namespace safetensors
