#include "call_header.h"

#include <map>
#include <stdexcept>

#include "cpp_type.h"

namespace generate {
namespace {

struct Parameter {
  std::string type, name, fallback;
};

// One C++ function: a form of an operator.
struct Function {
  std::string name;
  std::vector<Parameter> parameters;
  // The parameter that must not be made from a braced list, and what its type N has to be; else
  // empty.
  std::string unbraced{};
  size_t unbraced_at = 0;

  // Arguments that a call must give at least.
  size_t required() const {
    size_t n = parameters.size();
    while (n > 0 && !parameters[n - 1].fallback.empty()) --n;
    return n;
  }
  std::string signature() const {
    const size_t first_default = required();
    std::string out = name + "(";
    for (size_t i = 0; i < parameters.size(); ++i) {
      const Parameter& p = parameters[i];
      out += (i ? ", " : "") + (is_unbraced(i) ? "N" : p.type) + " " + p.name;
      if (i >= first_default) out += " = " + p.fallback;
    }
    return out + ")";
  }
  std::string arguments(size_t first) const {
    std::string out;
    for (size_t i = first; i < parameters.size(); ++i) out += (i > first ? ", " : "") + argument(i);
    return out;
  }
  // The arguments [first, end) as values.
  std::string values(size_t first, size_t end) const {
    std::string out;
    for (size_t i = first; i < end; ++i)
      out += (i > first ? ", " : "") + ("to_value(" + argument(i) + ")");
    return out;
  }

 private:
  bool is_unbraced(size_t i) const { return !unbraced.empty() && i == unbraced_at; }
  std::string argument(size_t i) const {
    const Parameter& p = parameters[i];
    return is_unbraced(i) ? "static_cast<" + p.type + ">(" + p.name + ")" : p.name;
  }
};

bool same_types(const Function& a, const Function& b, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (a.parameters[i].type != b.parameters[i].type) return false;
  return true;
}

// Whether a call with exactly what `later` requires could mean `earlier` too.
bool is_ambiguous(const Function& later, const Function& earlier) {
  const size_t n = later.required();
  return n >= earlier.required() && n <= earlier.parameters.size() && same_types(later, earlier, n);
}

// Whether a braced list could mean one number (or an enumerator) here and a list in another
// overload.
bool is_stolen_from(const Function& list, const Function& number, size_t at) {
  return at < list.parameters.size() && list.parameters[at].type == "Ints" &&
         same_types(list, number, at);
}

// A function, and how it calls the core.
struct Call {
  const Row* row;
  Function function;
  std::string type;              // of the result
  std::string handle, overload;  // what is resolved
  tn_form form;
};

class Header {
 public:
  void add(const Row& row) {
    const tn_schema& schema = *row.schema;
    // No function can have these names: `float`, or the SDK's own type bfloat16. Tensor::to serves.
    if (is_keyword(schema.name) || schema.name == std::string_view("bfloat16")) return;
    if (row.has_functional())
      add(row, {schema.name, parameters(row, false)}, result_type(schema), schema.name,
          schema.overload, TN_FUNCTIONAL);
    if (row.has_inplace()) {
      const bool only = row.flags & TN_OP_INPLACE_ONLY;
      const std::string name = only ? schema.name : std::string(schema.name) + "_";
      add(row, {name, parameters(row, true)}, writes_one_tensor(schema) ? "const Tensor&" : "void",
          name, schema.overload, TN_INPLACE);
    }
    if (row.has_out()) {
      Function f{std::string(schema.name) + "_out", {}};
      for (uint32_t i = 0; i < schema.nrets; ++i)
        f.parameters.push_back(
            {"const Tensor&", schema.nrets == 1 ? "out" : "out" + std::to_string(i), ""});
      for (Parameter& p : parameters(row, false)) f.parameters.push_back(std::move(p));
      add(row, std::move(f), schema.nrets == 1 ? "const Tensor&" : "void", schema.name,
          *schema.overload ? std::string(schema.overload) + "_out" : "out", TN_OUT);
    }
  }

  std::string text() {
    guard_lists();
    std::string out;
    for (const Call& call : calls_) out += text_of(call);
    return out;
  }

 private:
  // Fused optimizers write lists instead.
  static bool writes_one_tensor(const tn_schema& schema) {
    return schema.args[0].type == TN_TYPE_TENSOR && !(schema.args[0].flags & TN_PARAM_LIST);
  }

  static std::vector<Parameter> parameters(const Row& row, bool inplace) {
    const tn_schema& schema = *row.schema;
    uint32_t tensors = 0;
    for (uint32_t i = 0; i < schema.nargs; ++i)
      tensors += schema.args[i].type == TN_TYPE_TENSOR && !(schema.args[i].flags & TN_PARAM_LIST);
    std::vector<Parameter> out;
    for (uint32_t i = 0; i < schema.nargs; ++i) {
      const tn_param& p = schema.args[i];
      // Numbers stand for tensors where a kernel sees them as operands of a plan.
      const bool operand = row.kind == TN_KIND_POINTWISE && tensors >= 2 && !(inplace && i == 0) &&
                           !(p.flags & (TN_PARAM_OPTIONAL | TN_PARAM_WRITTEN));
      out.push_back({parameter_type(p, operand), identifier(p.name), default_text(p)});
    }
    return out;
  }

  void add(const Row& row, Function f, const std::string& type, const std::string& handle,
           const std::string& overload, tn_form form) {
    for (const size_t other : named_[f.name]) {
      const Function& earlier = calls_[other].function;
      while (is_ambiguous(f, earlier) && f.required() < f.parameters.size())
        f.parameters[f.required()].fallback.clear();
      if (is_ambiguous(f, earlier)) {
        f.name += std::string("_") + row.schema->overload;
        if (named_.contains(f.name))
          throw std::runtime_error("the C++ name " + f.name + " is taken");
        break;
      }
    }
    named_[f.name].push_back(calls_.size());
    calls_.push_back({&row, std::move(f), type, handle, overload, form});
  }

  // `{2}` would rather become a number than a list. A template parameter is not deduced from it.
  void guard_lists() {
    for (const auto& [name, overloads] : named_)
      for (const size_t i : overloads) {
        Function& number = calls_[i].function;
        for (size_t at = 0; at < number.parameters.size(); ++at) {
          std::string& type = number.parameters[at].type;
          if (type != "int64_t" && type != "DType") continue;
          for (const size_t k : overloads)
            if (is_stolen_from(calls_[k].function, number, at)) {
              number.unbraced = type == "DType" ? "is_same_v<N, DType>" : "is_integral_v<N>";
              number.unbraced_at = at;
            }
        }
      }
  }

  static std::string text_of(const Call& call) {
    const Function& f = call.function;
    const tn_schema& schema = *call.row->schema;
    char hash[32];
    std::snprintf(hash, sizeof hash, "0x%llxu", static_cast<unsigned long long>(schema.hash));
    std::string out =
        "\n// " + std::string(schema.full_name) + ": " + std::string(call.row->doc) + "\n";
    if (!f.unbraced.empty())
      out += "template <class N, std::enable_if_t<std::" + f.unbraced + ", int> = 0>\n";
    out += "inline " + call.type + " " + f.signature() + " {\n";
    out += "  static const Operator op(\"" + call.handle + "\", \"" + call.overload + "\", " +
           hash + ");\n";
    switch (call.form) {
      case TN_FUNCTIONAL:
        return out + "  return op.call<" + call.type + ">(" + f.arguments(0) + ");\n}\n";
      case TN_INPLACE:
        out += "  op.call_inplace(" + f.arguments(0) + ");\n";
        return out + (call.type == "void" ? "" : "  return " + f.parameters[0].name + ";\n") +
               "}\n";
      case TN_OUT:
        break;
    }
    if (schema.nrets == 1)
      return out + "  op.call_out(" + f.arguments(0) + ");\n  return out;\n}\n";
    out += "  const tn_value in[] = {" + f.values(schema.nrets, f.parameters.size()) + "};\n";
    out += "  tn_value outs[] = {" + f.values(0, schema.nrets) + "};\n";
    return out + "  check(api->call(op.get(), in, " + std::to_string(schema.nargs) + ", outs, " +
           std::to_string(schema.nrets) + "));\n}\n";
  }

  std::vector<Call> calls_;
  std::map<std::string, std::vector<size_t>> named_;  // positions in calls_
};

}  // namespace

std::string call_header(const std::vector<Chapter>& chapters) {
  Header header;
  for (const Chapter& chapter : chapters)
    for (const Row& row : chapter.rows) try {
        header.add(row);
      } catch (const std::runtime_error& error) {
        throw std::runtime_error(std::string(row.schema->full_name) + ": " + error.what());
      }
  return "// Calls of the standard operators, generated from their declarations in <tenon/ops>.\n"
         "//\n// add(x, y) returns a new tensor, add_(x, y) writes x, add_out(out, x, y) writes "
         "out. All throw\n// tn::Error. Numbers may stand for tensors where a parameter is an "
         "Operand.\n#pragma once\n\n#include <tenon/sdk/call.h>\n#include "
         "<tenon/sdk/optional_list.h>\n\nnamespace tn {\n" +
         header.text() + "\n}  // namespace tn\n";
}

}  // namespace generate
