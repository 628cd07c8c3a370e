#include "argument.h"

#include <cctype>
#include <charconv>

#include <tenon/sdk/error.h>

namespace command {
namespace {

constexpr std::size_t kMaxDepth = 8;

bool is_word_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == ':' || c == '.';
}

// A whole text as a number; false when it is none.
template <class Number>
bool read_number(std::string_view text, Number* out) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *out);
  return error == std::errc() && end == text.data() + text.size();
}

// "2j", "1+2j", "-0.5-1e-3j"
bool read_complex(std::string_view text, std::complex<double>* out) {
  if (!text.ends_with('j')) return false;
  text.remove_suffix(1);
  double real = 0, imaginary = 0;
  // The sign between the parts: neither the first character nor an exponent's.
  for (std::size_t i = text.size(); i-- > 1;) {
    if ((text[i] != '+' && text[i] != '-') || text[i - 1] == 'e' || text[i - 1] == 'E') continue;
    if (!read_number(text.substr(0, i), &real)) return false;
    text.remove_prefix(i);
    break;
  }
  if (!read_number(text, &imaginary)) return false;
  *out = {real, imaginary};
  return true;
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  std::vector<Argument> arguments() {
    std::vector<Argument> list;
    for (skip(); at_ < text_.size(); skip()) {
      list.push_back({name(), literal(0)});
      if (list.back().name.empty() && list.size() > 1 && !list[list.size() - 2].name.empty()) {
        fail("an argument by position stands behind one by name");
      }
    }
    return list;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    const std::string where(at_, ' ');
    tn::fail(TN_INVALID_ARGUMENT,
             "--args: %s, at character %zu\n  %.*s\n  %s^\n"
             "write tensors as f32[2,3]@cpu, numbers, true, none, \"text\", lists as [1,2], and "
             "arguments by name as alpha=2",
             what.c_str(), at_ + 1, static_cast<int>(text_.size()), text_.data(), where.c_str());
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  // Spaces, and one comma at most.
  void skip() {
    bool comma = false;
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == ',' && !comma) {
        comma = true;
      } else if (!std::isspace(static_cast<unsigned char>(text_[at_]))) {
        return;
      }
    }
  }

  // "alpha" of "alpha=2", or nothing.
  std::string name() {
    std::size_t end = at_;
    while (end < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[end])) || text_[end] == '_')) {
      ++end;
    }
    if (end == at_ || end == text_.size() || text_[end] != '=') return "";
    const std::string found(text_.substr(at_, end - at_));
    at_ = end + 1;
    return found;
  }

  Literal literal(std::size_t depth) {
    const std::size_t start = at_;
    Literal read;
    if (depth > kMaxDepth) fail("lists are nested too deeply");
    if (peek() == '[') {
      read.value = list(depth);
    } else if (peek() == '"' || peek() == '\'') {
      read.value = string();
    } else {
      read = plain();
    }
    read.text = text_.substr(start, at_ - start);
    return read;
  }

  List list(std::size_t depth) {
    List items;
    ++at_;
    for (skip(); peek() != ']'; skip()) {
      if (at_ == text_.size()) fail("a list has no end");
      items.push_back(literal(depth + 1));
    }
    ++at_;
    return items;
  }

  std::string string() {
    const std::size_t end = text_.find(text_[at_], at_ + 1);
    if (end == std::string_view::npos) fail("a string has no end");
    std::string found(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return found;
  }

  // A number, a word or a tensor.
  Literal plain() {
    const std::size_t start = at_;
    while (at_ < text_.size() &&
           (is_word_character(text_[at_]) || text_[at_] == '+' || text_[at_] == '-')) {
      ++at_;
    }
    const std::string_view token = text_.substr(start, at_ - start);
    if (token.empty()) fail(at_ < text_.size() ? "this cannot be read" : "a value is missing");
    if (peek() == '[') {
      const tn_dtype dtype = dtype_named(token);
      if (dtype == TN_DTYPE_NONE) {
        at_ = start;
        fail("there is no dtype " + std::string(token));
      }
      return {tensor(dtype), ""};
    }
    std::int64_t integer = 0;
    double real = 0;
    std::complex<double> complex;
    if (read_number(token, &integer)) return {integer, ""};
    const bool is_whole = token.find_first_not_of("+-0123456789") == std::string_view::npos;
    if (!is_whole && read_number(token, &real)) return {real, ""};
    if (read_complex(token, &complex)) return {complex, ""};
    if (token == "true" || token == "True") return {true, ""};
    if (token == "false" || token == "False") return {false, ""};
    if (token == "none" || token == "None") return {std::monostate(), ""};
    if (std::isdigit(static_cast<unsigned char>(token[0])) || token[0] == '-' || token[0] == '+') {
      at_ = start;
      fail("no number, or one that is too large");
    }
    return {Word{std::string(token)}, ""};
  }

  TensorForm tensor(tn_dtype dtype) {
    TensorForm form;
    form.dtype = dtype;
    ++at_;
    for (skip(); peek() != ']'; skip()) {
      const std::size_t start = at_;
      while (std::isdigit(static_cast<unsigned char>(peek()))) ++at_;
      std::int64_t size = 0;
      if (!read_number(text_.substr(start, at_ - start), &size)) {
        at_ = start;
        fail("a tensor's size must be a number, 0 or more");
      }
      form.sizes.push_back(size);
      if (form.sizes.size() > TN_MAX_DIMS) fail("a tensor has too many dimensions");
    }
    ++at_;
    if (peek() != '@') return form;
    const std::size_t start = ++at_;
    while (is_word_character(peek())) ++at_;
    form.device = text_.substr(start, at_ - start);
    if (form.device.empty()) fail("the name of a device is missing");
    return form;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

tn_dtype dtype_named(std::string_view name) {
  for (int d = 0; d < 64; ++d) {
    const auto dtype = static_cast<tn_dtype>(d);
    if (dtype != TN_DTYPE_NONE && tn::api->dtype_size(dtype) != 0 &&
        tn::api->dtype_name(dtype) == name) {
      return dtype;
    }
  }
  return TN_DTYPE_NONE;
}

std::vector<Argument> parse_arguments(std::string_view text) {
  return Reader(text).arguments();
}

}  // namespace command
