// Lines on stderr, as many as the key `log` allows.
#pragma once

#include <string_view>

namespace tenon {

enum class LogLevel {
  kSilent = 0,
  kWarn = 1,
  kInfo = 2
};

void log_set_level(LogLevel level);

// Writes "tenon: TEXT" unless `level` is above the one set; kWarn at first.
void log_line(LogLevel level, std::string_view text);

// A printf-formatted line at kWarn.
__attribute__((format(printf, 1, 2))) void log_warning(const char* format, ...);

}  // namespace tenon
