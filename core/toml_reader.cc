#include "core/toml_reader.h"

#include <algorithm>
#include <limits>

#include "core/concat.h"
#include "core/suggest.h"

namespace tenon {

using Kind = TomlValue::Kind;

TomlReader::TomlReader(const TomlValue& table, std::string source, std::string section,
                       Problem* problem)
    : table_(table), source_(std::move(source)), section_(std::move(section)), problem_(problem) {}

void TomlReader::fail(const std::string& text, int line) {
  if (*problem_) return;
  if (line == 0) line = table_.line;
  std::string place = source_;
  if (line > 0) place += ":" + std::to_string(line);
  *problem_ = Problem(TN_INVALID_ARGUMENT, place + ": " + text);
}

const TomlValue* TomlReader::find(std::string_view key, Kind kind) {
  known_.emplace_back(key);
  for (const auto& [name, value] : table_.members) {
    if (name != key) continue;
    if (value.kind == kind) return &value;
    fail(concat({section_, key, " must be ", toml_kind_name(kind), ", not ",
                 toml_kind_name(value.kind)}),
         value.line);
  }
  return nullptr;
}

void TomlReader::get(std::string_view key, bool* out) {
  if (const TomlValue* value = find(key, Kind::kBoolean)) *out = value->boolean;
}

void TomlReader::get(std::string_view key, int32_t* out) {
  const TomlValue* value = find(key, Kind::kInteger);
  if (value == nullptr) return;
  if (value->integer < std::numeric_limits<int32_t>::min() ||
      value->integer > std::numeric_limits<int32_t>::max()) {
    fail(concat({section_, key, " does not fit 32 bits"}), value->line);
    return;
  }
  *out = static_cast<int32_t>(value->integer);
}

void TomlReader::get(std::string_view key, std::string* out) {
  if (const TomlValue* value = find(key, Kind::kString)) *out = value->string;
}

void TomlReader::get(std::string_view key, std::vector<std::string>* out) {
  const TomlValue* value = find(key, Kind::kArray);
  if (value == nullptr) return;
  if (!value->is_strings()) {
    fail(concat({section_, key, " must be a list of strings, not ", toml_text(*value)}),
         value->line);
    return;
  }
  *out = value->strings();
}

void TomlReader::get(std::string_view key, TomlValue* out) {
  known_.emplace_back(key);
  for (const auto& [name, value] : table_.members) {
    if (name == key) *out = value;
  }
}

void TomlReader::require(std::string_view key, std::string* out) {
  get(key, out);
  if (out->empty()) fail(concat({section_, key, " is missing"}));
}

void TomlReader::read_table(const TomlValue& table, std::string section, const Each& read) {
  TomlReader reader(table, source_, std::move(section), problem_);
  read(reader);
  reader.finish();
}

void TomlReader::table(std::string_view key, const Each& read) {
  if (const TomlValue* value = find(key, Kind::kTable)) {
    read_table(*value, concat({section_, key, "."}), read);
  }
}

void TomlReader::tables(std::string_view key, const Each& read) {
  const TomlValue* value = find(key, Kind::kArray);
  if (value == nullptr) return;
  for (const TomlValue& item : value->items) {
    if (item.kind != Kind::kTable) {
      fail(concat({"write [[", section_, key, "]], a table each"}), value->line);
      return;
    }
    read_table(item, concat({section_, key, "."}), read);
  }
}

void TomlReader::members(
    std::string_view key,
    const std::function<void(const std::string& name, TomlReader& reader)>& read) {
  const TomlValue* value = find(key, Kind::kTable);
  if (value == nullptr) return;
  for (const TomlMember& entry : value->members) {
    const std::string path = concat({section_, key, ".", entry.key});
    if (entry.value.kind != Kind::kTable) {
      fail(path + " must be a table", entry.value.line);
      return;
    }
    read_table(entry.value, path + ".", [&](TomlReader& reader) { read(entry.key, reader); });
  }
}

void TomlReader::finish() {
  for (const auto& [name, value] : table_.members) {
    if (std::find(known_.begin(), known_.end(), name) == known_.end()) {
      fail(concat({"unknown key ", section_, name, suggestion(name, known_)}), value.line);
    }
  }
}

Problem TomlReader::read(const TomlValue& document, const std::string& source, const Each& read) {
  Problem problem;
  TomlReader reader(document, source, "", &problem);
  read(reader);
  reader.finish();
  return problem;
}

}  // namespace tenon
