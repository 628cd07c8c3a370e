#include "rows.h"

#include <set>
#include <stdexcept>

#include <tenon/ops/all.h>

namespace generate {
namespace {

std::unique_ptr<tn_schema, FreeSchema> parse(const char* text) {
  tn_schema* schema = nullptr;
  if (tn_status status = tn_schema_parse(text, &schema)) {
    std::string message = std::string(text) + ": " + tn_status_message(status);
    tn_status_release(status);
    throw std::runtime_error(message);
  }
  return std::unique_ptr<tn_schema, FreeSchema>(schema);
}

template <class Op>
Row make_row() {
  return {parse(Op::schema), Op::doc, Op::kind, Op::flags, tn::ops::detail::has_gradients<Op>};
}

template <class... Op>
std::vector<Row> make_rows(tn::ops::list<Op...>) {
  std::vector<Row> rows;
  rows.reserve(sizeof...(Op));
  (rows.push_back(make_row<Op>()), ...);
  return rows;
}

}  // namespace

std::vector<Chapter> all_chapters() {
  std::vector<Chapter> chapters;
  tn::ops::each_chapter([&](auto chapter) {
    chapters.push_back({chapter.title, make_rows(chapter.rows)});
  });
  std::set<std::string_view> names;
  for (const Chapter& chapter : chapters)
    for (const Row& row : chapter.rows)
      if (!names.insert(row.schema->full_name).second)
        throw std::runtime_error(std::string(row.schema->full_name) + " is declared twice");
  return chapters;
}

}  // namespace generate
