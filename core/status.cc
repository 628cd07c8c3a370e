#include <tenon/status.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

#include "core/error.h"
#include "core/file_error.h"

// Errors are made by malloc, not by the core's allocator: they must be possible when that has no
// memory, and tests that make it fail must not lose the message.
struct tn_error {
  tn_code code = TN_INTERNAL;
  uint32_t flags = 0;
  bool permanent = false;
  int64_t native_code = 0;
  std::string domain;
  std::string file;
  int32_t line = 0;
  std::string message;
};

namespace {

// A status that must be there when there is no memory. It lies in static storage, its text is short
// enough to lie inside it, and it is never destroyed: it may outlive static destructors. It is made
// when the library is loaded and not by the compiler, since clang 14 has no constant std::string.
union Permanent {
  tn_error error;
  Permanent(tn_code code, const char* message)
      : error{.code = code, .permanent = true, .message = message} {}
  ~Permanent() {}
};
Permanent declined(TN_DECLINED, "declined");
Permanent out_of_memory(TN_OUT_OF_MEMORY, "out of memory");

std::string format_text(const char* format, va_list args) {
  va_list again;
  va_copy(again, args);
  char buffer[512];
  const int length = std::vsnprintf(buffer, sizeof buffer, format, args);
  std::string text;
  if (length < 0)
    text = format;
  else if (static_cast<size_t>(length) < sizeof buffer)
    text.assign(buffer, static_cast<size_t>(length));
  else {
    text.resize(static_cast<size_t>(length));
    std::vsnprintf(text.data(), text.size() + 1, format, again);
  }
  va_end(again);
  return text;
}

}  // namespace

tn_status tn_status_make(tn_code code, const char* domain, int64_t native_code, const char* file,
                         int32_t line, const char* format, ...) {
  va_list args;
  va_start(args, format);
  tn_status status = nullptr;
  try {
    status = new tn_error;
    status->code = code == TN_OK ? TN_INTERNAL : code;
    status->native_code = native_code;
    status->domain = domain ? domain : "";
    if (status->domain == "errno" && tenon::error_passes(native_code))
      status->flags = TN_ERROR_RETRYABLE;
    status->file = file ? file : "";
    status->line = line;
    status->message = format_text(format, args);
  } catch (const std::bad_alloc&) {
    delete status;
    status = tn_status_out_of_memory();
  }
  va_end(args);
  return status;
}

tn_status tn_status_declined(void) {
  return &declined.error;
}

tn_status tn_status_out_of_memory(void) {
  return &out_of_memory.error;
}

tn_status tn_status_annotate(tn_status status, const char* format, ...) {
  if (!status || status->permanent) return status;
  va_list args;
  va_start(args, format);
  try {
    status->message = format_text(format, args) + "\n  " + status->message;
  } catch (const std::bad_alloc&) {
    // The message stays as it was.
  }
  va_end(args);
  return status;
}

tn_status tn_status_attach(tn_status first, tn_status second) {
  if (!first) return second;
  if (second && !first->permanent) {
    try {
      first->message += "\nand while handling that: " + second->message;
    } catch (const std::bad_alloc&) {
      // The first failure is the one to keep.
    }
  }
  tn_status_release(second);
  return first;
}

void tn_status_set_flags(tn_status status, uint32_t flags) {
  if (status && !status->permanent) status->flags |= flags;
}

tn_status tenon::explainable(tn_status status) {
  if (status != &out_of_memory.error) return status;
  return tn_status_make(TN_OUT_OF_MEMORY, nullptr, 0, nullptr, 0, "%s", status->message.c_str());
}

tn_code tn_status_code(tn_status status) {
  return status ? status->code : TN_OK;
}
uint32_t tn_status_flags(tn_status status) {
  return status ? status->flags : 0;
}
const char* tn_status_message(tn_status status) {
  return status ? status->message.c_str() : "";
}
const char* tn_status_domain(tn_status status) {
  return status ? status->domain.c_str() : "";
}
int64_t tn_status_native_code(tn_status status) {
  return status ? status->native_code : 0;
}
const char* tn_status_file(tn_status status) {
  return status ? status->file.c_str() : "";
}
int32_t tn_status_line(tn_status status) {
  return status ? status->line : 0;
}

const char* tn_code_name(tn_code code) {
  switch (code) {
    case TN_OK:
      return "ok";
    case TN_INVALID_ARGUMENT:
      return "invalid argument";
    case TN_TYPE_ERROR:
      return "type error";
    case TN_INDEX_ERROR:
      return "index error";
    case TN_RUNTIME_ERROR:
      return "runtime error";
    case TN_NOT_IMPLEMENTED:
      return "not implemented";
    case TN_NOT_FOUND:
      return "not found";
    case TN_ALREADY_EXISTS:
      return "already exists";
    case TN_OUT_OF_MEMORY:
      return "out of memory";
    case TN_DECLINED:
      return "declined";
    case TN_DEVICE_LOST:
      return "device lost";
    case TN_IO_ERROR:
      return "input/output error";
    case TN_INCOMPATIBLE:
      return "incompatible";
    case TN_BUSY:
      return "busy";
    case TN_INTERNAL:
      return "internal error";
  }
  return "unknown code";
}

void tn_status_release(tn_status status) {
  if (status && !status->permanent) delete status;
}
