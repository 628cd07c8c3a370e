// The parser of operator schemas.
#include <tenon/schema.h>

#include <cctype>
#include <charconv>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/dtype.h"
#include "core/error.h"
#include "core/guard.h"
#include "core/schema.h"

namespace tenon {
namespace {

// A parsed schema with everything its pointers point to.
struct Parsed : tn_schema {
  std::vector<tn_param> params;  // arguments, then results
  std::deque<std::string> strings;
  std::deque<std::vector<int64_t>> ints;
  std::deque<std::vector<double>> floats;
  std::deque<std::vector<uint8_t>> bools;

  const char* keep(std::string_view text) { return strings.emplace_back(text).c_str(); }
};

struct Stop {  // thrown inside the parser: what was expected, and where
  size_t at;
  std::string expected;
};

struct TypeName {
  std::string_view name;
  tn_type type;
};
constexpr TypeName kTypes[] = {
    {"Tensor", TN_TYPE_TENSOR},
    {"int", TN_TYPE_INT},
    {"SymInt", TN_TYPE_INT},
    {"float", TN_TYPE_FLOAT},
    {"bool", TN_TYPE_BOOL},
    {"Scalar", TN_TYPE_SCALAR},
    {"str", TN_TYPE_STRING},
    {"ScalarType", TN_TYPE_DTYPE},
    {"Device", TN_TYPE_DEVICE},
    {"Layout", TN_TYPE_LAYOUT},
    {"MemoryFormat", TN_TYPE_MEMORY_FORMAT},
};

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

class Parser {
 public:
  Parser(std::string_view text, Parsed& out) : text_(text), out_(out) {}

  void run() {
    const std::string name(word("an operator name", true));
    std::string overload;
    if (accept(".")) overload = word("an overload name", false);
    out_.name = out_.keep(name);
    out_.overload = out_.keep(overload);
    out_.full_name = out_.keep(overload.empty() ? name : name + "." + overload);
    arguments();
    expect("->");
    results();
    skip();
    if (at_ != text_.size()) stop("the end");
  }

 private:
  [[noreturn]] void stop(std::string expected) const { throw Stop{at_, std::move(expected)}; }

  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool peek(std::string_view token) {
    skip();
    return text_.substr(at_, token.size()) == token;
  }
  bool accept(std::string_view token) {
    if (!peek(token)) return false;
    at_ += token.size();
    return true;
  }
  void expect(std::string_view token) {
    if (!accept(token)) stop("'" + std::string(token) + "'");
  }

  // Letters, digits and underscores; with `dotted`, operator names of a namespace: "acme.swiglu" is
  // namespace and name only when another dot or the parenthesis follows, which is told apart by
  // "::" instead: "acme::swiglu.out".
  std::string_view word(const char* what, bool dotted) {
    skip();
    const size_t start = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) ||
                                  text_[at_] == '_' || (dotted && text_.substr(at_, 2) == "::")))
      at_ += text_[at_] == ':' ? 2 : 1;
    if (at_ == start) stop(what);
    return text_.substr(start, at_ - start);
  }

  int64_t integer() {
    skip();
    int64_t value = 0;
    const auto [end, error] =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc()) stop("an integer");
    at_ = static_cast<size_t>(end - text_.data());
    return value;
  }

  uint32_t list_length() {
    const int64_t n = integer();
    if (n < 1 || n > TN_MAX_DIMS) stop("a list length from 1 to 64");
    return static_cast<uint32_t>(n);
  }

  void arguments() {
    expect("(");
    bool keyword_only = false;
    if (!accept(")")) {
      do {
        if (accept("*")) {
          keyword_only = true;
          continue;
        }
        tn_param p = type();
        p.name = out_.keep(word("an argument name", false));
        if (keyword_only) p.flags |= TN_PARAM_KEYWORD_ONLY;
        if (accept("=")) {
          p.flags |= TN_PARAM_HAS_DEFAULT;
          p.default_value = default_value(p);
        }
        out_.params.push_back(p);
      } while (accept(","));
      expect(")");
    }
    out_.nargs = static_cast<uint32_t>(out_.params.size());
  }

  void results() {
    if (accept("(")) {
      if (!accept(")")) {
        do result(true);
        while (accept(","));
        expect(")");
      }
    } else {
      result(false);
    }
    out_.nrets = static_cast<uint32_t>(out_.params.size()) - out_.nargs;
  }

  void result(bool may_be_named) {
    tn_param p = type();
    p.name = "";
    if (may_be_named && !peek(",") && !peek(")")) p.name = out_.keep(word("a result name", false));
    out_.params.push_back(p);
  }

  tn_param type() {
    tn_param p{};
    const std::string_view name = word("a type", false);
    p.type = TN_TYPE_OBJECT;
    for (const TypeName& t : kTypes)
      if (t.name == name) p.type = static_cast<uint16_t>(t.type);
    if (accept("(")) alias(p);
    if (accept("?"))
      p.flags |= static_cast<uint16_t>(peek("[") ? TN_PARAM_LIST_OPTIONAL : TN_PARAM_OPTIONAL);
    if (peek("[")) {
      const bool listable = p.type <= TN_TYPE_BOOL;  // a value holds lists of these four alone
      if (!listable) stop("no list: only Tensor, int, float and bool have lists");
      expect("[");
      p.flags |= TN_PARAM_LIST;
      if (!peek("]")) p.list_length = list_length();
      expect("]");
      if (accept("(")) alias(p);
      if (accept("?")) p.flags |= TN_PARAM_OPTIONAL;
    }
    return p;
  }

  // After "(": `a`, `a!`, `a -> *`, `a|b`.
  void alias(tn_param& p) {
    do {
      const std::string_view set = word("an alias set", false);
      if (set.size() != 1 || !std::islower(static_cast<unsigned char>(set[0])))
        stop("an alias set a to z");
      p.alias_sets |= uint64_t{1} << (set[0] - 'a');
    } while (accept("|"));
    if (accept("!")) p.flags |= TN_PARAM_WRITTEN;
    if (accept("->")) {
      expect("*");
      p.flags |= TN_PARAM_ALIAS_ALL;
    }
    expect(")");
  }

  // In the form that calls hand over.
  tn_value default_value(const tn_param& p) {
    skip();
    const size_t start = at_;
    if (p.flags & TN_PARAM_LIST && !peek("None")) return list(p);
    const tn_value v = constant(p);
    if (v.tag == TN_TAG_NONE ? p.flags & TN_PARAM_OPTIONAL : is_of_type(v, p.type)) return v;
    at_ = start;
    stop("a default value of the argument's type");
  }

  static bool is_of_type(const tn_value& v, uint16_t type) {
    if (type == TN_TYPE_SCALAR)
      return v.tag == TN_TAG_INT || v.tag == TN_TAG_FLOAT || v.tag == TN_TAG_BOOL;
    return v.tag == kLiterals[type];
  }

  tn_value constant(const tn_param& p) {
    tn_value v{};
    if (peek("'") || peek("\"")) {
      const char quote = text_[at_++];
      const size_t end = text_.find(quote, at_);
      if (end == std::string_view::npos) stop("a closing quote");
      v.tag = TN_TAG_STRING;
      v.len = static_cast<uint32_t>(end - at_);
      v.u.str = out_.keep(text_.substr(at_, end - at_));
      at_ = end + 1;
      return v;
    }
    skip();
    if (at_ < text_.size() &&
        (std::isdigit(static_cast<unsigned char>(text_[at_])) || text_[at_] == '-'))
      return number(p);
    const std::string_view name = word("a default value", false);
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
    at_ -= name.size();
    stop("a number, a string, True, False, None or a named constant");
  }

  tn_value number(const tn_param& p) {
    tn_value v{};
    double real = 0;
    const char *begin = text_.data() + at_, *end = text_.data() + text_.size();
    const char* first = *begin == '-' ? begin + 1 : begin;
    if (first == end || !std::isdigit(static_cast<unsigned char>(*first))) stop("a number");
    const auto [after, error] = std::from_chars(begin, end, real);
    if (error != std::errc()) stop("a number");
    const std::string_view digits(begin, static_cast<size_t>(after - begin));
    const bool integral = digits.find_first_of(".eE") == std::string_view::npos;
    if (p.type == TN_TYPE_FLOAT || !integral) {
      v.tag = TN_TAG_FLOAT;
      v.u.f = real;
    } else {
      v.tag = TN_TAG_INT;
      if (std::from_chars(begin, after, v.u.i).ec != std::errc()) stop("an integer of 64 bits");
    }
    at_ += digits.size();
    return v;
  }

  tn_value list(const tn_param& p) {
    std::vector<tn_value> items;
    const bool bracket = accept("[");
    if (!bracket) {
      // `int[2] stride=1`: the one number stands for all.
      items.assign(p.list_length ? p.list_length : 1, item(p));
    } else if (!accept("]")) {
      do items.push_back(item(p));
      while (accept(","));
      expect("]");
    }
    tn_value v{};
    v.len = static_cast<uint32_t>(items.size());
    if (p.type == TN_TYPE_FLOAT) {
      auto& out = out_.floats.emplace_back();
      for (const tn_value& i : items) out.push_back(i.u.f);
      v.tag = TN_TAG_FLOATS;
      v.u.floats = out.data();
    } else if (p.type == TN_TYPE_BOOL) {
      auto& out = out_.bools.emplace_back();
      for (const tn_value& i : items) out.push_back(i.u.i != 0);
      v.tag = TN_TAG_BOOLS;
      v.u.bools = out.data();
    } else if (p.type == TN_TYPE_TENSOR) {
      v.tag = TN_TAG_TENSORS;
    } else {
      auto& out = out_.ints.emplace_back();
      for (const tn_value& i : items) out.push_back(i.u.i);
      v.tag = TN_TAG_INTS;
      v.u.ints = out.data();
    }
    return v;
  }
  tn_value item(tn_param p) {
    p.flags &= static_cast<uint16_t>(~(TN_PARAM_LIST | TN_PARAM_OPTIONAL));
    return default_value(p);
  }

  std::string_view text_;
  Parsed& out_;
  size_t at_ = 0;
};

}  // namespace

// FNV-1a over what a caller depends on: the name, and kinds and names of arguments and results.
uint64_t schema_hash(const tn_schema& schema, uint32_t nargs) {
  uint64_t h = 1469598103934665603u;
  auto mix = [&](const void* data, size_t n) {
    for (size_t i = 0; i < n; ++i)
      h = (h ^ static_cast<const unsigned char*>(data)[i]) * 1099511628211u;
  };
  auto mix_param = [&](const tn_param& p, bool argument) {
    const uint32_t facts[] = {argument, p.type,
                              static_cast<uint32_t>(p.flags & ~TN_PARAM_HAS_DEFAULT)};
    mix(facts, sizeof facts);
    mix(p.name, std::string_view(p.name).size() + 1);
  };
  mix(schema.full_name, std::string_view(schema.full_name).size() + 1);
  for (uint32_t i = 0; i < nargs; ++i) mix_param(schema.args[i], true);
  for (uint32_t i = 0; i < schema.nrets; ++i) mix_param(schema.rets[i], false);
  return h;
}

// ---- the C functions, declared in the ABI's headers
// -----------------------------------------------

extern "C" {

TN_API tn_status tn_schema_parse(const char* text, tn_schema** out) {
  return guard([&]() -> tn_status {
    auto parsed = std::make_unique<Parsed>();
    try {
      parsed->text = parsed->keep(text);
      Parser(parsed->text, *parsed).run();
    } catch (const Stop& stop) {
      return TN_ERROR(TN_INVALID_ARGUMENT,
                      "schema \"%s\": expected %s at character %zu, before \"%.20s\"", text,
                      stop.expected.c_str(), stop.at + 1, text + stop.at);
    }
    if (parsed->nargs > 64)
      return TN_ERROR(TN_INVALID_ARGUMENT, "schema \"%s\": %u arguments; at most 64 are possible",
                      text, parsed->nargs);
    parsed->size = sizeof(tn_schema);
    parsed->args = parsed->params.data();
    parsed->rets = parsed->params.data() + parsed->nargs;
    parsed->npositional = parsed->nargs;
    for (uint32_t i = 0; i < parsed->nargs; ++i) {
      const tn_param& p = parsed->args[i];
      if (p.flags & TN_PARAM_KEYWORD_ONLY && parsed->npositional == parsed->nargs)
        parsed->npositional = i;
      if (!(p.flags & TN_PARAM_HAS_DEFAULT)) parsed->nrequired = i + 1;
      for (uint32_t k = 0; k < i; ++k)
        if (std::string_view(p.name) == parsed->args[k].name)
          return TN_ERROR(TN_INVALID_ARGUMENT, "schema \"%s\": two arguments are named %s", text,
                          p.name);
    }
    parsed->hash = schema_hash(*parsed, parsed->nargs);
    *out = parsed.release();
    return nullptr;
  });
}

TN_API void tn_schema_free(tn_schema* schema) {
  delete static_cast<Parsed*>(schema);
}

}  // extern "C"

}  // namespace tenon
