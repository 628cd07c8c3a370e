// Default values of a schema's arguments.
#pragma once

#include <tenon/schema.h>

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "core/schema_reader.h"

namespace tenon {

// What a parsed schema's pointers point to. Nothing in it ever moves.
struct SchemaRoom {
  std::deque<std::string> strings;
  std::deque<std::vector<int64_t>> ints;
  std::deque<std::vector<double>> floats;
  std::deque<std::vector<uint8_t>> bools;

  const char* keep(std::string_view text) { return strings.emplace_back(text).c_str(); }
};

// Reads the value that stands after an argument's "=", in the form that calls hand over.
tn_value schema_default(SchemaReader& reader, const tn_param& param, SchemaRoom& room);

}  // namespace tenon
