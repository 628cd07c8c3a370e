// The declarations that everything is generated from: what a row says, without its code.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/operator.h>

namespace generate {

struct FreeSchema {
  void operator()(tn_schema* schema) const { tn_schema_free(schema); }
};

struct Row {
  std::unique_ptr<tn_schema, FreeSchema> schema;
  std::string_view doc;
  tn_op_kind kind;
  uint32_t flags;
  bool has_gradients;

  bool has_functional() const { return !(flags & TN_OP_INPLACE_ONLY); }
  bool has_inplace() const { return flags & (TN_OP_INPLACE | TN_OP_INPLACE_ONLY); }
  bool has_out() const { return !(flags & (TN_OP_INPLACE_ONLY | TN_OP_NO_OUT)); }
};

struct Chapter {
  std::string_view title;
  std::vector<Row> rows;
};

// All standard operators. Throws std::runtime_error for a schema that does not parse, or two rows
// of one name.
std::vector<Chapter> all_chapters();

}  // namespace generate
