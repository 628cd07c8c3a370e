#include "layout.h"

#include <algorithm>

namespace command {

std::string wrap(std::string_view text, std::size_t first, std::size_t indent) {
  std::string out;
  std::size_t column = first;
  bool starts_line = true;
  const auto break_line = [&] {
    out += '\n';
    out.append(indent, ' ');
    column = indent;
    starts_line = true;
  };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    const std::string_view word = text.substr(0, end);
    if (!starts_line && column + 1 + word.size() > kColumns) break_line();
    if (!starts_line) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
    starts_line = false;
    if (end < text.size() && text[end] == '\n') break_line();
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string columns(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(row.size());
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i + 1 < row.size(); ++i) {
      line += row[i] + std::string(widths[i] - row[i].size() + 2, ' ');
    }
    if (!row.empty()) line += wrap(row.back(), line.size(), line.size());
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

}  // namespace command
