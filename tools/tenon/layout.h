// layout.h - text that fits a terminal of 100 columns.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace command {

inline constexpr std::size_t kColumns = 100;

// Breaks text at spaces so that each line, of which the first begins at column `first` and the
// others after `indent` spaces, ends before kColumns. A word longer than that, such as a path,
// stays whole. Line breaks in the text are kept. No line break at the end.
std::string wrap(std::string_view text, std::size_t first, std::size_t indent);

// Rows of cells as columns two spaces apart, the last one wrapped. Rows have equally many cells.
std::string columns(const std::vector<std::vector<std::string>>& rows);

}  // namespace command
