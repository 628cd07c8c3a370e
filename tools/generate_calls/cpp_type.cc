#include "cpp_type.h"

#include <charconv>
#include <cmath>
#include <set>
#include <stdexcept>

namespace generate {
namespace {

std::string value_type(tn_type type) {
  switch (type) {
    case TN_TYPE_INT:
      return "int64_t";
    case TN_TYPE_FLOAT:
      return "double";
    case TN_TYPE_BOOL:
      return "bool";
    case TN_TYPE_SCALAR:
      return "Scalar";
    case TN_TYPE_STRING:
      return "const char*";
    case TN_TYPE_DTYPE:
      return "DType";
    case TN_TYPE_DEVICE:
      return "Device";
    case TN_TYPE_MEMORY_FORMAT:
      return "tn_memory_format";
    case TN_TYPE_OBJECT:
      return "tn_object*";
    default:
      return "";
  }
}

std::string list_type(const tn_param& param) {
  const bool optional = param.flags & TN_PARAM_OPTIONAL;
  switch (param.type) {
    case TN_TYPE_TENSOR:
      return "Tensors";
    case TN_TYPE_INT:
      return optional ? "OptionalInts" : "Ints";
    case TN_TYPE_FLOAT:
      return optional ? "OptionalFloats" : "Floats";
    case TN_TYPE_BOOL:
      return optional ? "" : "Bools";
    default:
      return "";
  }
}

std::string number_text(double value) {
  if (std::isinf(value)) return value < 0 ? "-__builtin_inf()" : "__builtin_inf()";
  if (std::isnan(value)) return "__builtin_nan(\"\")";
  char text[32];
  std::string out(text, std::to_chars(text, text + sizeof text, value).ptr);
  // Without a point it would be an int, which Scalar tells apart.
  return out.find_first_of(".e") == std::string::npos ? out + ".0" : out;
}

template <class T, class Text>
std::string list_text(const T* items, uint32_t count, Text&& text) {
  std::string out = "{";
  for (uint32_t i = 0; i < count; ++i) out += (i ? ", " : "") + text(items[i]);
  return out + "}";
}

// One number where a list is wanted stands for as many as the schema says.
std::string repeated(const std::string& one, uint32_t count) {
  std::string out = "{" + one;
  for (uint32_t i = 1; i < count; ++i) out += ", " + one;
  return out + "}";
}

std::string quoted(const char* text) {
  std::string out = "\"";
  for (; *text; ++text) {
    if (*text == '"' || *text == '\\') out += '\\';
    out += *text;
  }
  return out + "\"";
}

std::string dtype_text(int64_t dtype) {
  std::string name = tn_dtype_name(static_cast<tn_dtype>(dtype));
  for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return "TN_" + name;
}

std::string format_text(int64_t format) {
  constexpr const char* names[] = {"TN_CONTIGUOUS", "TN_CHANNELS_LAST", "TN_PRESERVE"};
  return names[format];
}

}  // namespace

std::string parameter_type(const tn_param& param, bool operand) {
  std::string type;
  if (param.flags & TN_PARAM_LIST) {
    type = list_type(param);
  } else if (param.type == TN_TYPE_TENSOR) {
    type = operand ? "const Operand&" : "const Tensor&";
  } else {
    type = value_type(static_cast<tn_type>(param.type));
    const bool by_reference = type == "Scalar" || type == "Device";
    if (param.flags & TN_PARAM_OPTIONAL && param.type != TN_TYPE_OBJECT)
      type = "std::optional<" + type + ">";
    if (by_reference) type = "const " + type + "&";
  }
  if (type.empty())
    throw std::runtime_error(std::string("argument ") + param.name +
                             " has a type that calls.h cannot express");
  return type;
}

std::string default_text(const tn_param& param) {
  if (!(param.flags & TN_PARAM_HAS_DEFAULT)) return "";
  const tn_value& v = param.default_value;
  std::string text;
  switch (v.tag) {
    case TN_TAG_NONE:
      if (param.flags & TN_PARAM_LIST && param.type == TN_TYPE_TENSOR) return "{}";
      if (param.type == TN_TYPE_OBJECT) return "nullptr";
      return param.type == TN_TYPE_TENSOR ? "{}" : "std::nullopt";
    case TN_TAG_INT:
      text = param.type == TN_TYPE_FLOAT ? number_text(static_cast<double>(v.u.i))
                                         : std::to_string(v.u.i);
      break;
    case TN_TAG_FLOAT:
      text = number_text(v.u.f);
      break;
    case TN_TAG_BOOL:
      text = v.u.i ? "true" : "false";
      break;
    case TN_TAG_STRING:
      return quoted(v.u.str);
    case TN_TAG_DTYPE:
      return dtype_text(v.u.i);
    case TN_TAG_MEMORY_FORMAT:
      return format_text(v.u.i);
    case TN_TAG_INTS:
      if (v.len == 1) return repeated(std::to_string(v.u.ints[0]), param.list_length);
      return list_text(v.u.ints, v.len, [](int64_t i) { return std::to_string(i); });
    case TN_TAG_FLOATS:
      return list_text(v.u.floats, v.len, number_text);
    case TN_TAG_BOOLS:
      return list_text(v.u.bools, v.len,
                       [](uint8_t b) { return std::string(b ? "true" : "false"); });
    default:
      throw std::runtime_error(std::string("argument ") + param.name +
                               " has a default that calls.h cannot express");
  }
  return param.flags & TN_PARAM_LIST ? repeated(text, param.list_length) : text;
}

std::string result_type(const tn_schema& schema) {
  std::string out;
  for (uint32_t i = 0; i < schema.nrets; ++i) {
    const tn_param& ret = schema.rets[i];
    std::string type =
        ret.type == TN_TYPE_TENSOR ? "Tensor" : value_type(static_cast<tn_type>(ret.type));
    if (ret.flags & TN_PARAM_LIST) type = "std::vector<" + type + ">";
    out += (i ? ", " : "") + type;
  }
  if (schema.nrets == 0) return "void";
  return schema.nrets == 1 ? out : "std::tuple<" + out + ">";
}

bool is_keyword(const std::string& name) {
  static const std::set<std::string> reserved = {
      "and",      "auto",    "bool",     "break",    "case",    "char",     "class",    "const",
      "continue", "default", "delete",   "do",       "double",  "else",     "enum",     "export",
      "false",    "float",   "for",      "goto",     "if",      "inline",   "int",      "long",
      "new",      "not",     "operator", "or",       "private", "public",   "register", "return",
      "short",    "signed",  "static",   "struct",   "switch",  "template", "this",     "throw",
      "true",     "try",     "typedef",  "typename", "union",   "unsigned", "using",    "virtual",
      "void",     "while",   "xor"};
  return reserved.contains(name);
}

std::string identifier(const std::string& name) {
  return is_keyword(name) ? name + "_" : name;
}

}  // namespace generate
