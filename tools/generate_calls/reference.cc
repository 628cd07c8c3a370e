#include "reference.h"

namespace generate {
namespace {

const char* kind_text(tn_op_kind kind) {
  switch (kind) {
    case TN_KIND_POINTWISE:
      return "pointwise";
    case TN_KIND_REDUCTION:
      return "reduction";
    case TN_KIND_STRUCTURED:
      return "structured";
    case TN_KIND_DIRECT:
      return "direct";
    case TN_KIND_COMPOSITE:
      return "composite";
  }
  return "?";
}

const char* gradient_text(const Row& row) {
  if (row.flags & TN_OP_NOT_DIFFERENTIABLE) return "none";
  if (row.has_gradients) return "formula";
  if (row.flags & TN_OP_VIEW) return "view";
  return row.kind == TN_KIND_COMPOSITE ? "of its parts" : "missing";
}

std::string forms_text(const Row& row) {
  if (row.flags & TN_OP_INPLACE_ONLY) return "in-place only";
  std::string out = row.has_inplace() ? "in-place" : "";
  if (row.has_out()) out += out.empty() ? "out" : ", out";
  return out;
}

// A table's cell ends at a bar.
std::string cell(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

std::string reference(const std::vector<Chapter>& chapters) {
  size_t count = 0;
  for (const Chapter& chapter : chapters) count += chapter.rows.size();
  std::string out =
      "# Operators\n\nGenerated from the declarations in `sdk/include/tenon/ops` by "
      "`tenon_generate_calls`; do not edit.\nThere are " +
      std::to_string(count) +
      ". *Forms* says what exists beside the functional one: *in-place* is called `name_` "
      "and\nwrites its first argument, *out* writes tensors that the caller brings. *Gradient* "
      "says how an\noperator is differentiated: by a *formula* beside its declaration, as a "
      "*view*, as the gradient\n*of its parts* for operators composed of others, or not at all "
      "(*none*).\n";
  for (const Chapter& chapter : chapters) {
    out += "\n## " + std::string(chapter.title) +
           "\n\n| Schema | Meaning | Kind | Forms | Gradient |\n|---|---|---|---|---|\n";
    for (const Row& row : chapter.rows)
      out += "| `" + std::string(row.schema->text) + "` | " + cell(row.doc) + " | " +
             kind_text(row.kind) + " | " + forms_text(row) + " | " + gradient_text(row) + " |\n";
  }
  return out;
}

}  // namespace generate
