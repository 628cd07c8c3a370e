#include "core/arguments.h"

#include <cstring>
#include <string>

#include "core/dtype.h"
#include "core/error.h"
#include "core/text.h"

namespace tenon {
namespace {

const char* type_name(const tn_param& p) {
  static constexpr const char* kNames[] = {"Tensor", "int",          "float",      "bool",
                                           "Scalar", "str",          "ScalarType", "Device",
                                           "Layout", "MemoryFormat", "object"};
  return kNames[p.type];
}

tn_status wrong_kind(const Operator& op, const tn_param& p, uint32_t index, const tn_value& v) {
  ShortText came;
  append_value(came, v);
  static constexpr const char* kTags[] = {"none",
                                          "a tensor",
                                          "an int",
                                          "a float",
                                          "a bool",
                                          "a complex number",
                                          "a string",
                                          "a dtype",
                                          "a device",
                                          "a layout",
                                          "a memory format",
                                          "a list of ints",
                                          "a list of floats",
                                          "a list of bools",
                                          "a list of tensors",
                                          "an object",
                                          "a symbolic int"};
  const bool counted = p.type == TN_TYPE_BOOL && p.flags & TN_PARAM_LIST && p.list_length;
  const std::string list = counted                   ? "[" + std::to_string(p.list_length) + "]"
                           : p.flags & TN_PARAM_LIST ? "[]"
                                                     : "";
  return TN_ERROR(TN_TYPE_ERROR, "%s: argument %u (%s) is %s, %s; expected %s%s%s\n  %s", op.name(),
                  index + 1, p.name, v.tag < 17 ? kTags[v.tag] : "of an unknown kind", came.c_str(),
                  type_name(p), list.c_str(), p.flags & TN_PARAM_OPTIONAL ? " or none" : "",
                  op.schema->text);
}

bool is_whole(const tn_value& v) {
  return v.tag == TN_TAG_INT || v.tag == TN_TAG_BOOL;
}

// One value where the schema has a list: it stands for all `n` of them.
bool spread(const tn_param& p, uint32_t index, const tn_value& v, ArgumentBuffer& buffer) {
  const uint32_t n = p.list_length ? p.list_length : 1;
  tn_value& out = buffer.values[index];
  if (n > 8) return false;
  if (p.type == TN_TYPE_INT && is_whole(v)) {
    for (uint32_t i = 0; i < n; ++i) buffer.ints[index][i] = v.u.i;
    out.tag = TN_TAG_INTS;
    out.u.ints = buffer.ints[index];
  } else if (p.type == TN_TYPE_FLOAT && (is_whole(v) || v.tag == TN_TAG_FLOAT) && index < 8) {
    for (uint32_t i = 0; i < n; ++i)
      buffer.floats[index][i] = v.tag == TN_TAG_FLOAT ? v.u.f : static_cast<double>(v.u.i);
    out.tag = TN_TAG_FLOATS;
    out.u.floats = buffer.floats[index];
  } else {
    return false;
  }
  out.len = n;
  return true;
}

// Widens `v` for parameter `p` into buffer.values[index]; false when it cannot stand there.
bool fit(const tn_param& p, uint32_t index, const tn_value& v, ArgumentBuffer& buffer) {
  tn_value& out = buffer.values[index];
  out = v;
  if (p.flags & TN_PARAM_LIST) {
    if (p.type == TN_TYPE_BOOL && p.list_length)
      return v.tag == TN_TAG_BOOLS && v.len == p.list_length;
    // An empty list has no kind of its own.
    if (v.tag >= TN_TAG_INTS && v.tag <= TN_TAG_TENSORS && v.len == 0) {
      out.tag = static_cast<uint16_t>(p.type == TN_TYPE_TENSOR  ? TN_TAG_TENSORS
                                      : p.type == TN_TYPE_FLOAT ? TN_TAG_FLOATS
                                      : p.type == TN_TYPE_BOOL  ? TN_TAG_BOOLS
                                                                : TN_TAG_INTS);
      return true;
    }
    if (p.type == TN_TYPE_FLOAT && v.tag == TN_TAG_INTS && v.len <= 8 && index < 8) {
      for (uint32_t i = 0; i < v.len; ++i)
        buffer.floats[index][i] = static_cast<double>(v.u.ints[i]);
      out.tag = TN_TAG_FLOATS;
      out.u.floats = buffer.floats[index];
      return true;
    }
    return spread(p, index, v, buffer);
  }
  switch (p.type) {
    case TN_TYPE_FLOAT:
      if (!is_whole(v)) return false;
      out.tag = TN_TAG_FLOAT;
      out.u.f = static_cast<double>(v.u.i);
      return true;
    case TN_TYPE_INT:
      if (v.tag != TN_TAG_BOOL) return false;
      out.tag = TN_TAG_INT;
      return true;
    default:
      return false;
  }
}

}  // namespace

tn_status arguments_normalize(const Operator& op, const tn_value* args, uint32_t nargs,
                              ArgumentBuffer& buffer) {
  const tn_schema& schema = *op.schema;
  if (nargs > schema.nargs)
    return TN_ERROR(TN_TYPE_ERROR, "%s takes at most %u arguments, %u were given\n  %s", op.name(),
                    schema.nargs, nargs, schema.text);
  if (nargs < schema.nrequired)
    return TN_ERROR(TN_TYPE_ERROR,
                    "%s needs at least %u arguments, %u were given; missing: %s\n  %s", op.name(),
                    schema.nrequired, nargs, schema.args[nargs].name, schema.text);
  for (uint32_t i = 0; i < schema.nargs; ++i) {
    const tn_param& p = schema.args[i];
    if (i >= nargs) {
      buffer.values[i] = p.default_value;
      continue;
    }
    if (op.accepted[i] >> args[i].tag & 1)
      buffer.values[i] = args[i];
    else if (args[i].tag == TN_TAG_NONE && p.flags & TN_PARAM_HAS_DEFAULT &&
             !(p.flags & TN_PARAM_OPTIONAL))
      buffer.values[i] = p.default_value;
    else if (!fit(p, i, args[i], buffer))
      return wrong_kind(op, p, i, args[i]);
  }
  // Defaults are written in the schema's own terms: `Scalar alpha=1`, `float eps=1`.
  for (uint32_t i = nargs; i < schema.nargs; ++i) {
    const tn_value v = buffer.values[i];
    if (!(op.accepted[i] >> v.tag & 1) && !fit(schema.args[i], i, v, buffer))
      return wrong_kind(op, schema.args[i], i, v);
  }
  return nullptr;
}

bool arguments_enumerator_exists(const tn_value& value) {
  const auto number = static_cast<uint64_t>(value.u.i);
  if (value.tag == TN_TAG_DTYPE) return number < kDtypeCount;
  if (value.tag == TN_TAG_LAYOUT) return number == TN_STRIDED;
  return value.tag != TN_TAG_MEMORY_FORMAT || number <= TN_PRESERVE;
}

tn_status arguments_check_contents(const Operator& op, const tn_value* args) {
  for (uint32_t i = 0; i < op.nargs; ++i) {
    const tn_param& p = op.schema->args[i];
    if (!arguments_enumerator_exists(args[i]))
      return TN_ERROR(TN_INVALID_ARGUMENT, "%s: argument %u (%s) is %lld, which is no %s",
                      op.name(), i + 1, p.name, static_cast<long long>(args[i].u.i), type_name(p));
    if (args[i].tag != TN_TAG_TENSORS || p.flags & TN_PARAM_LIST_OPTIONAL) continue;
    for (uint32_t k = 0; k < args[i].len; ++k)
      if (!args[i].u.tensors[k])
        return TN_ERROR(TN_TYPE_ERROR, "%s: argument %u (%s) has no tensor at place %u of %u\n  %s",
                        op.name(), i + 1, p.name, k, args[i].len, op.schema->text);
  }
  return nullptr;
}

bool arguments_are_default(const Operator& op, const tn_value* args, uint32_t first) {
  for (uint32_t i = first; i < op.nargs; ++i) {
    const tn_value &v = args[i], &d = op.schema->args[i].default_value;
    if (v.tag != d.tag || v.len != d.len) return false;
    size_t nbytes = 0;
    switch (v.tag) {
      case TN_TAG_NONE:
        continue;
      case TN_TAG_STRING:
      case TN_TAG_BOOLS:
        nbytes = v.len;
        break;
      case TN_TAG_INTS:
      case TN_TAG_FLOATS:
        nbytes = size_t{v.len} * 8;
        break;
      default:
        if (v.u.bits != d.u.bits) return false;
        continue;
    }
    if (std::memcmp(v.u.p, d.u.p, nbytes) != 0) return false;
  }
  return true;
}

}  // namespace tenon
