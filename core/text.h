// Short texts built on the stack: descriptions of tensors and calls in messages.
#pragma once

#include <cstdarg>
#include <cstdint>
#include <cstdio>

#include <tenon/tensor.h>

namespace tenon {

// Appends printf-formatted text and cuts it off when full; `length` counts what would have been
// needed.
struct Text {
  char* data;
  size_t capacity;
  size_t length = 0;

  Text(char* data, size_t capacity) : data(data), capacity(capacity) {
    if (capacity) data[0] = '\0';
  }
  __attribute__((format(printf, 2, 3))) void append(const char* format, ...) {
    va_list args;
    va_start(args, format);
    const size_t at = length < capacity ? length : capacity;
    const int more = std::vsnprintf(data + at, capacity - at, format, args);
    va_end(args);
    if (more > 0) length += static_cast<size_t>(more);
  }
};

// "[2,3]"
inline void append_sizes(Text& text, int32_t ndim, const int64_t* sizes) {
  text.append("[");
  for (int32_t i = 0; i < ndim; ++i)
    text.append(i ? ",%lld" : "%lld", static_cast<long long>(sizes[i]));
  text.append("]");
}

// "17 bytes", "1.5 GiB", between two other texts.
void append_bytes(Text& text, uint64_t nbytes, const char* before, const char* after);
// "f32[2,3]@cpu"
void append_tensor(Text& text, const tn_tensor* tensor);
// One argument of a call: a tensor, 3, 0.5, "mean", [1,2], none.
void append_value(Text& text, const tn_value& value);

// A buffer that fits in a message.
struct ShortText : Text {
  ShortText() : Text(buffer, sizeof buffer) {}
  ShortText(const ShortText&) = delete;
  ShortText& operator=(const ShortText&) = delete;
  const char* c_str() const { return buffer; }
  char buffer[512];
};

// "[2,3]" as a temporary: sizes_text(t).c_str().
struct SizesText : ShortText {
  SizesText(int32_t ndim, const int64_t* sizes) { append_sizes(*this, ndim, sizes); }
};
struct TensorText : ShortText {
  explicit TensorText(const tn_tensor* t) { append_tensor(*this, t); }
};

}  // namespace tenon
