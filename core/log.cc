#include "core/log.h"

#include <atomic>
#include <cstdarg>
#include <cstdio>

namespace tenon {
namespace {

std::atomic<LogLevel> chosen{LogLevel::kWarn};

}  // namespace

void log_set_level(LogLevel level) {
  chosen.store(level, std::memory_order_relaxed);
}

void log_line(LogLevel level, std::string_view text) {
  if (level > chosen.load(std::memory_order_relaxed)) return;
  // One call, so that lines of several threads do not mix.
  std::fprintf(stderr, "tenon: %.*s\n", static_cast<int>(text.size()), text.data());
}

void log_warning(const char* format, ...) {
  char text[1024];
  va_list args;
  va_start(args, format);
  std::vsnprintf(text, sizeof text, format, args);
  va_end(args);
  log_line(LogLevel::kWarn, text);
}

}  // namespace tenon
