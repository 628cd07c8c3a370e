// The text of a schema, read from left to right: tokens, words and numbers, with blanks between.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tenon {

struct SchemaStop {  // thrown: what was expected, and where
  size_t at;
  std::string expected;
};

class SchemaReader {
 public:
  explicit SchemaReader(std::string_view text) : text_(text) {}

  bool peek(std::string_view token);
  bool accept(std::string_view token);
  void expect(std::string_view token);
  bool at_end();
  bool at_number();  // a digit or a minus comes next

  // Letters, digits and underscores; `what` is expected. With `spaced`, a namespace may stand
  // before the name: "acme::swiglu".
  std::string_view word(const char* what, bool spaced = false);
  int64_t integer();
  // What stands between quotation marks of either kind, one of which comes next.
  std::string_view quoted();
  // All that is left, and how much of it was read.
  std::string_view rest() const { return text_.substr(at_); }
  void skip(size_t count) { at_ += count; }

  size_t at() const { return at_; }
  void back_to(size_t at) { at_ = at; }
  [[noreturn]] void stop(std::string expected) const;

 private:
  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace tenon
