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
      out += (i ? ", " : "") + p.type + " " + p.name;
      if (i >= first_default) out += " = " + p.fallback;
    }
    return out + ")";
  }
  std::string arguments(size_t first) const {
    std::string out;
    for (size_t i = first; i < parameters.size(); ++i) out += (i > first ? ", " : "") + parameters[i].name;
    return out;
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

class Header {
 public:
  void add(const Row& row) {
    const tn_schema& schema = *row.schema;
    // No function can have these names: `float`, or the SDK's own type bfloat16. Tensor::to serves.
    if (is_keyword(schema.name) || schema.name == std::string_view("bfloat16")) return;
    if (row.has_functional()) add_functional(row);
    if (row.has_inplace()) add_inplace(row);
    if (row.has_out()) add_out(row);
  }
  std::string take() { return std::move(text_); }

 private:
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

  void add_functional(const Row& row) {
    Function f{row.schema->name, parameters(row, false)};
    settle(f, *row.schema);
    const std::string type = result_type(*row.schema);
    open(row, type, f, row.schema->name, row.schema->overload);
    text_ += "  return op.call<" + type + ">(" + f.arguments(0) + ");\n}\n";
  }

  void add_inplace(const Row& row) {
    const bool only = row.flags & TN_OP_INPLACE_ONLY;
    const std::string name = only ? row.schema->name : std::string(row.schema->name) + "_";
    Function f{name, parameters(row, true)};
    settle(f, *row.schema);
    // Rows that write lists return nothing.
    const bool returns = row.schema->nrets > 0;
    open(row, returns ? "const Tensor&" : "void", f, name, row.schema->overload);
    text_ += "  op.call_inplace(" + f.arguments(0) + ");\n" + (returns ? "  return " + f.parameters[0].name + ";\n}\n" : "}\n");
  }

  void add_out(const Row& row) {
    const tn_schema& schema = *row.schema;
    Function f{std::string(schema.name) + "_out", {}};
    for (uint32_t i = 0; i < schema.nrets; ++i)
      f.parameters.push_back({"const Tensor&", schema.nrets == 1 ? "out" : "out" + std::to_string(i), ""});
    for (Parameter& p : parameters(row, false)) f.parameters.push_back(std::move(p));
    settle(f, schema);
    const std::string overload = *schema.overload ? std::string(schema.overload) + "_out" : "out";
    if (schema.nrets == 1) {
      open(row, "const Tensor&", f, schema.name, overload);
      text_ += "  op.call_out(" + f.arguments(0) + ");\n  return out;\n}\n";
      return;
    }
    open(row, "void", f, schema.name, overload);
    text_ += "  const tn_value in[] = {";
    for (size_t i = schema.nrets; i < f.parameters.size(); ++i)
      text_ += (i > schema.nrets ? ", " : "") + ("to_value(" + f.parameters[i].name + ")");
    text_ += "};\n  tn_value outs[] = {";
    for (uint32_t i = 0; i < schema.nrets; ++i) text_ += (i ? ", " : "") + ("to_value(" + f.parameters[i].name + ")");
    text_ += "};\n  check(api->call(op.get(), in, " + std::to_string(schema.nargs) + ", outs, " +
             std::to_string(schema.nrets) + "));\n}\n";
  }

  void settle(Function& f, const tn_schema& schema) {
    auto& named = functions_[f.name];
    for (size_t i = 0; i < named.size(); ++i) {
      const Function& other = named[i];
      while (is_ambiguous(f, other) && f.required() < f.parameters.size()) f.parameters[f.required()].fallback.clear();
      if (is_ambiguous(f, other)) {
        f.name += std::string("_") + schema.overload;
        if (functions_.contains(f.name))
          throw std::runtime_error(std::string(schema.full_name) + ": the C++ name " + f.name + " is taken");
        break;
      }
    }
    functions_[f.name].push_back(f);
  }

  // The comment, the signature, and the handle, looked up at the first call.
  void open(const Row& row, const std::string& type, const Function& f, const std::string& name,
            const std::string& overload) {
    char hash[32];
    std::snprintf(hash, sizeof hash, "0x%llxu", static_cast<unsigned long long>(row.schema->hash));
    text_ += "\n// " + std::string(row.schema->full_name) + ": " + std::string(row.doc) + "\n";
    text_ += "inline " + type + " " + f.signature() + " {\n";
    text_ += "  static const Operator op(\"" + name + "\", \"" + overload + "\", " + hash + ");\n";
  }

  std::string text_;
  std::map<std::string, std::vector<Function>> functions_;
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
         "//\n"
         "// add(x, y) returns a new tensor, add_(x, y) writes x, add_out(out, x, y) writes out. All throw\n"
         "// tn::Error. Numbers may stand for tensors where a parameter is an Operand.\n"
         "#pragma once\n\n"
         "#include <tenon/sdk/call.h>\n"
         "#include <tenon/sdk/optional_list.h>\n\n"
         "namespace tn {\n" +
         header.take() + "\n}  // namespace tn\n";
}

}  // namespace generate
