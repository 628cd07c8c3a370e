#include "core/schema_default.h"

#include <charconv>
#include <optional>

#include "core/dtype.h"

namespace tenon {
namespace {

// The tag of each tn_type's literals; tensors, devices and objects have none, and a Scalar's may be
// any number's.
constexpr tn_tag kLiterals[] = {TN_TAG_NONE,   TN_TAG_INT,           TN_TAG_FLOAT, TN_TAG_BOOL,
                                TN_TAG_NONE,   TN_TAG_STRING,        TN_TAG_DTYPE, TN_TAG_NONE,
                                TN_TAG_LAYOUT, TN_TAG_MEMORY_FORMAT, TN_TAG_NONE};

struct NamedConstant {
  std::string_view name;
  tn_tag tag;
  int64_t value;
};
constexpr NamedConstant kConstants[] = {
    {"contiguous_format", TN_TAG_MEMORY_FORMAT, TN_CONTIGUOUS},
    {"channels_last", TN_TAG_MEMORY_FORMAT, TN_CHANNELS_LAST},
    {"preserve_format", TN_TAG_MEMORY_FORMAT, TN_PRESERVE},
    {"strided", TN_TAG_LAYOUT, TN_STRIDED},
    {"Mean", TN_TAG_INT, 1},
    {"Sum", TN_TAG_INT, 2},
    {"None", TN_TAG_NONE, 0},
};

bool is_of_type(const tn_value& v, uint16_t type) {
  if (type == TN_TYPE_SCALAR)
    return v.tag == TN_TAG_INT || v.tag == TN_TAG_FLOAT || v.tag == TN_TAG_BOOL;
  return v.tag == kLiterals[type];
}

tn_value number(SchemaReader& reader, uint16_t type) {
  tn_value v{};
  double real = 0;
  const std::string_view rest = reader.rest();
  const char *begin = rest.data(), *end = begin + rest.size();
  const char* first = *begin == '-' ? begin + 1 : begin;
  if (first == end || *first < '0' || *first > '9') reader.stop("a number");
  const auto [after, error] = std::from_chars(begin, end, real);
  if (error != std::errc()) reader.stop("a number");
  const std::string_view digits(begin, static_cast<size_t>(after - begin));
  const bool integral = digits.find_first_of(".eE") == std::string_view::npos;
  if (type == TN_TYPE_FLOAT || !integral) {
    v.tag = TN_TAG_FLOAT;
    v.u.f = real;
  } else {
    v.tag = TN_TAG_INT;
    if (std::from_chars(begin, after, v.u.i).ec != std::errc())
      reader.stop("an integer of 64 bits");
  }
  reader.skip(digits.size());
  return v;
}

std::optional<tn_value> named_constant(std::string_view name) {
  tn_value v{};
  if (name == "True" || name == "False") {
    v.tag = TN_TAG_BOOL;
    v.u.i = name == "True";
    return v;
  }
  for (const NamedConstant& c : kConstants)
    if (c.name == name) {
      v.tag = static_cast<uint16_t>(c.tag);
      v.u.i = c.value;
      return v;
    }
  for (int d = 0; d < kDtypeCount; ++d)
    if (name == tn_dtype_name(static_cast<tn_dtype>(d))) {
      v.tag = TN_TAG_DTYPE;
      v.u.i = d;
      return v;
    }
  return std::nullopt;
}

tn_value constant(SchemaReader& reader, uint16_t type, SchemaRoom& room) {
  if (reader.peek("'") || reader.peek("\"")) {
    const std::string_view text = reader.quoted();
    tn_value v{};
    v.tag = TN_TAG_STRING;
    v.len = static_cast<uint32_t>(text.size());
    v.u.str = room.keep(text);
    return v;
  }
  if (reader.at_number()) return number(reader, type);
  const size_t start = reader.at();
  if (const auto named = named_constant(reader.word("a default value"))) return *named;
  reader.back_to(start);
  reader.stop("a number, a string, True, False, None or a named constant");
}

// Copies the numbers to where they stay.
template <class T, class Read>
const T* keep(std::deque<std::vector<T>>& room, const std::vector<tn_value>& items, Read read) {
  auto& out = room.emplace_back();
  out.reserve(items.size());
  for (const tn_value& item : items) out.push_back(static_cast<T>(read(item)));
  return out.data();
}

tn_value list(SchemaReader& reader, tn_param item, SchemaRoom& room) {
  item.flags &= static_cast<uint16_t>(~(TN_PARAM_LIST | TN_PARAM_OPTIONAL));
  std::vector<tn_value> items;
  if (!reader.accept("[")) {
    // `int[2] stride=1`: the one number stands for all.
    items.assign(item.list_length ? item.list_length : 1, schema_default(reader, item, room));
  } else if (!reader.accept("]")) {
    do items.push_back(schema_default(reader, item, room));
    while (reader.accept(","));
    reader.expect("]");
  }
  tn_value v{};
  v.len = static_cast<uint32_t>(items.size());
  const auto integer = [](const tn_value& i) { return i.u.i; };
  if (item.type == TN_TYPE_FLOAT) {
    v.tag = TN_TAG_FLOATS;
    v.u.floats = keep(room.floats, items, [](const tn_value& i) { return i.u.f; });
  } else if (item.type == TN_TYPE_BOOL) {
    v.tag = TN_TAG_BOOLS;
    v.u.bools = keep(room.bools, items, integer);
  } else if (item.type == TN_TYPE_TENSOR) {
    v.tag = TN_TAG_TENSORS;
  } else {
    v.tag = TN_TAG_INTS;
    v.u.ints = keep(room.ints, items, integer);
  }
  return v;
}

}  // namespace

tn_value schema_default(SchemaReader& reader, const tn_param& param, SchemaRoom& room) {
  if (param.flags & TN_PARAM_LIST && !reader.peek("None")) return list(reader, param, room);
  reader.peek("");  // the blanks before it
  const size_t start = reader.at();
  const tn_value v = constant(reader, param.type, room);
  if (v.tag == TN_TAG_NONE ? param.flags & TN_PARAM_OPTIONAL : is_of_type(v, param.type)) return v;
  reader.back_to(start);
  reader.stop("a default value of the argument's type");
}

}  // namespace tenon
