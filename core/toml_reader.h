// Takes a table of known shape apart: typed getters, then an error for every key nobody asked for.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/toml.h"

namespace tenon {

// The first thing found wrong is kept in the problem given; later calls then do nothing.
class TomlReader {
 public:
  using Each = std::function<void(TomlReader& reader)>;

  // Reads a whole document; `source` is the file's name, for messages.
  static Problem read(const TomlValue& document, const std::string& source, const Each& read);

  // Each leaves `out` as it is when the key is absent.
  void get(std::string_view key, bool* out);
  void get(std::string_view key, int32_t* out);
  void get(std::string_view key, std::string* out);
  void get(std::string_view key, std::vector<std::string>* out);
  void get(std::string_view key, TomlValue* out);

  // The key must be there, and text must not be empty.
  void require(std::string_view key, std::string* out);

  void table(std::string_view key, const Each& read);   // [key]
  void tables(std::string_view key, const Each& read);  // [[key]]
  // [key.NAME] for any names
  void members(std::string_view key,
               const std::function<void(const std::string& name, TomlReader& reader)>& read);

  // An error of this table, with file and line.
  void fail(const std::string& text, int line = 0);

 private:
  TomlReader(const TomlValue& table, std::string source, std::string section, Problem* problem);

  const TomlValue* find(std::string_view key, TomlValue::Kind kind);
  void read_table(const TomlValue& table, std::string section, const Each& read);
  void finish();

  const TomlValue& table_;
  std::string source_;
  std::string section_;
  Problem* problem_;
  std::vector<std::string> known_;
};

}  // namespace tenon
