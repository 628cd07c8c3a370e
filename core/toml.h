// TOML documents as plain values: all that the rest of the core sees of the parser.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/problem.h"

namespace tenon {

struct TomlMember;

struct TomlValue {
  enum class Kind {
    kBoolean,
    kInteger,
    kFloat,
    kString,
    kArray,
    kTable
  };

  Kind kind = Kind::kTable;
  int line = 0;  // from 1; 0 for a value that came from no file
  bool boolean = false;
  int64_t integer = 0;
  double number = 0;
  std::string string;
  std::vector<TomlValue> items;
  std::vector<TomlMember> members;

  static TomlValue of_string(std::string text);
  static TomlValue of_strings(const std::vector<std::string>& texts);

  bool is_strings() const;                   // an array of nothing but strings
  std::vector<std::string> strings() const;  // of such an array
};

// One key of a table and its value.
struct TomlMember {
  std::string key;
  TomlValue value;
};

// "a boolean", "an array", ...: for messages.
std::string_view toml_kind_name(TomlValue::Kind kind);

// Parses a document; `source` names it in messages, which give the line.
Problem toml_parse(std::string_view text, std::string_view source, TomlValue* out);

// Reads and parses a file of at most 1 MiB.
Problem toml_read(const std::string& path, TomlValue* out);

// Parses a single value, such as `["a", "b"]` or `true`.
Problem toml_parse_value(std::string_view text, std::string_view source, TomlValue* out);

// The value on one line, as toml_parse_value reads it.
std::string toml_text(const TomlValue& value);

}  // namespace tenon
