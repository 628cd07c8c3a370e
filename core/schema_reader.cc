#include "core/schema_reader.h"

#include <cctype>
#include <charconv>
#include <utility>

namespace tenon {
namespace {

bool is_space(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}

bool is_part_of_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

}  // namespace

void SchemaReader::stop(std::string expected) const {
  throw SchemaStop{at_, std::move(expected)};
}

bool SchemaReader::peek(std::string_view token) {
  while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  return text_.substr(at_, token.size()) == token;
}

bool SchemaReader::accept(std::string_view token) {
  if (!peek(token)) return false;
  at_ += token.size();
  return true;
}

void SchemaReader::expect(std::string_view token) {
  if (!accept(token)) stop("'" + std::string(token) + "'");
}

bool SchemaReader::at_end() {
  peek("");
  return at_ == text_.size();
}

bool SchemaReader::at_number() {
  return !at_end() && (std::isdigit(static_cast<unsigned char>(text_[at_])) || text_[at_] == '-');
}

std::string_view SchemaReader::word(const char* what, bool spaced) {
  peek("");
  const size_t start = at_;
  while (at_ < text_.size() &&
         (is_part_of_word(text_[at_]) || (spaced && text_.substr(at_, 2) == "::")))
    at_ += text_[at_] == ':' ? 2 : 1;
  if (at_ == start) stop(what);
  return text_.substr(start, at_ - start);
}

int64_t SchemaReader::integer() {
  peek("");
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
  if (error != std::errc()) stop("an integer");
  at_ = static_cast<size_t>(end - text_.data());
  return value;
}

std::string_view SchemaReader::quoted() {
  const size_t start = at_ + 1, end = text_.find(text_[at_], start);
  at_ = start;
  if (end == std::string_view::npos) stop("a closing quote");
  at_ = end + 1;
  return text_.substr(start, end - start);
}

}  // namespace tenon
