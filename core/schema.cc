// The parser of operator schemas.
#include "core/schema.h"

#include <tenon/schema.h>

#include <cctype>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/guard.h"
#include "core/schema_default.h"
#include "core/schema_reader.h"

namespace tenon {
namespace {

// A parsed schema with everything its pointers point to.
struct Parsed : tn_schema {
  std::vector<tn_param> params;  // arguments, then results
  SchemaRoom room;
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

class Parser {
 public:
  Parser(std::string_view text, Parsed& out) : reader_(text), out_(out) {}

  void run() {
    const std::string name(reader_.word("an operator name", true));
    std::string overload;
    if (reader_.accept(".")) overload = reader_.word("an overload name");
    out_.name = out_.room.keep(name);
    out_.overload = out_.room.keep(overload);
    out_.full_name = out_.room.keep(overload.empty() ? name : name + "." + overload);
    arguments();
    reader_.expect("->");
    results();
    if (!reader_.at_end()) reader_.stop("the end");
  }

 private:
  uint32_t list_length() {
    const int64_t n = reader_.integer();
    if (n < 1 || n > TN_MAX_DIMS) reader_.stop("a list length from 1 to 64");
    return static_cast<uint32_t>(n);
  }

  void arguments() {
    reader_.expect("(");
    bool keyword_only = false;
    if (!reader_.accept(")")) {
      do {
        if (reader_.accept("*")) {
          keyword_only = true;
          continue;
        }
        tn_param p = type();
        p.name = out_.room.keep(reader_.word("an argument name"));
        if (keyword_only) p.flags |= TN_PARAM_KEYWORD_ONLY;
        if (reader_.accept("=")) {
          p.flags |= TN_PARAM_HAS_DEFAULT;
          p.default_value = schema_default(reader_, p, out_.room);
        }
        out_.params.push_back(p);
      } while (reader_.accept(","));
      reader_.expect(")");
    }
    out_.nargs = static_cast<uint32_t>(out_.params.size());
  }

  void results() {
    if (reader_.accept("(")) {
      if (!reader_.accept(")")) {
        do result(true);
        while (reader_.accept(","));
        reader_.expect(")");
      }
    } else {
      result(false);
    }
    out_.nrets = static_cast<uint32_t>(out_.params.size()) - out_.nargs;
  }

  void result(bool may_be_named) {
    tn_param p = type();
    p.name = "";
    if (may_be_named && !reader_.peek(",") && !reader_.peek(")"))
      p.name = out_.room.keep(reader_.word("a result name"));
    out_.params.push_back(p);
  }

  tn_param type() {
    tn_param p{};
    const std::string_view name = reader_.word("a type");
    p.type = TN_TYPE_OBJECT;
    for (const TypeName& t : kTypes)
      if (t.name == name) p.type = static_cast<uint16_t>(t.type);
    if (reader_.accept("(")) alias(p);
    if (reader_.accept("?"))
      p.flags |=
          static_cast<uint16_t>(reader_.peek("[") ? TN_PARAM_LIST_OPTIONAL : TN_PARAM_OPTIONAL);
    if (reader_.peek("[")) {
      const bool listable = p.type <= TN_TYPE_BOOL;  // a value holds lists of these four alone
      if (!listable) reader_.stop("no list: only Tensor, int, float and bool have lists");
      reader_.expect("[");
      p.flags |= TN_PARAM_LIST;
      if (!reader_.peek("]")) p.list_length = list_length();
      reader_.expect("]");
      if (reader_.accept("(")) alias(p);
      if (reader_.accept("?")) p.flags |= TN_PARAM_OPTIONAL;
    }
    return p;
  }

  // After "(": `a`, `a!`, `a -> *`, `a|b`.
  void alias(tn_param& p) {
    do {
      const std::string_view set = reader_.word("an alias set");
      if (set.size() != 1 || !std::islower(static_cast<unsigned char>(set[0])))
        reader_.stop("an alias set a to z");
      p.alias_sets |= uint64_t{1} << (set[0] - 'a');
    } while (reader_.accept("|"));
    if (reader_.accept("!")) p.flags |= TN_PARAM_WRITTEN;
    if (reader_.accept("->")) {
      reader_.expect("*");
      p.flags |= TN_PARAM_ALIAS_ALL;
    }
    reader_.expect(")");
  }

  SchemaReader reader_;
  Parsed& out_;
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
      parsed->text = parsed->room.keep(text);
      Parser(parsed->text, *parsed).run();
    } catch (const SchemaStop& stop) {
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
