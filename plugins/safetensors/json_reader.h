// json_reader.h - reads the subset of JSON that a header may consist of: objects, arrays, strings,
// natural numbers.
//
// Why not a JSON library: a header has a fixed shape, so its reader asks for what must come next,
// and whatever else comes is refused at once with its place. Nothing recurses, numbers stay 64-bit
// integers, duplicate keys are seen, and no tree is built from a file that may be hostile. A
// general parser would have to be talked out of all its generality.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace safetensors {

// All members throw `Malformed` with the position, counted from `first` for the text's first byte.
class JsonReader {
 public:
  // `text` is valid UTF-8.
  JsonReader(std::string_view text, std::size_t first) : text_(text), first_(first) {}

  // Skips white space; consumes `c` if it comes next.
  bool take(char c);
  // As take, but anything else is an error: "expected `what`".
  void expect(char c, const char* what);
  // A string, unescaped. U+0000 is refused: names and values go through an interface of C strings.
  std::string read_string(const char* what);
  // A natural number below 2^64, in digits alone.
  std::uint64_t read_natural(const char* what);
  // Nothing but white space may follow.
  void expect_end();

  // Of the next byte that is not white space.
  std::size_t position();

 private:
  void skip_space();
  char32_t read_escape();
  char32_t read_hex4();
  [[noreturn]] void fail(const std::string& why) const;
  [[noreturn]] void fail_expected(const char* what) const;

  std::string_view text_;
  std::size_t first_;
  std::size_t at_ = 0;
};

}  // namespace safetensors
