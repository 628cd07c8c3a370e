#include "core/text.h"

#include <tenon/device.h>

namespace tenon {

void append_bytes(Text& text, uint64_t nbytes, const char* before, const char* after) {
  if (nbytes < 1024) return text.append("%s%d bytes%s", before, static_cast<int>(nbytes), after);
  auto scaled = static_cast<double>(nbytes) / 1024;
  const char* unit = "KMGTPE";
  for (; scaled >= 1023.95; ++unit) scaled /= 1024;  // what would be printed as 1024.0 too
  text.append("%s%.1f %ciB%s", before, scaled, *unit, after);
}

void append_tensor(Text& text, const tn_tensor* t) {
  text.append("%s", tn_dtype_name(static_cast<tn_dtype>(t->dtype)));
  append_sizes(text, t->dl.ndim, t->dl.shape);
  text.append("@%s", tn_device_name(t->dl.device.type));
  if (t->dl.device.index > 0) text.append(":%d", t->dl.device.index);
  if (t->layout == TN_OPAQUE)
    text.append(" opaque");
  else if (t->layout != TN_STRIDED)
    text.append(" of layout %u", t->layout);
}

void append_value(Text& text, const tn_value& v) {
  switch (v.tag) {
    case TN_TAG_NONE:
      return text.append("none");
    case TN_TAG_TENSOR:
      return append_tensor(text, v.u.tensor);
    case TN_TAG_INT:
      return text.append("%lld", static_cast<long long>(v.u.i));
    case TN_TAG_FLOAT:
      return text.append("%g", v.u.f);
    case TN_TAG_BOOL:
      return text.append(v.u.i ? "true" : "false");
    case TN_TAG_COMPLEX:
      return text.append("%g%+gj", v.u.floats[0], v.u.floats[1]);
    case TN_TAG_STRING:
      return text.append("\"%.*s\"", static_cast<int>(v.len), v.u.str);
    case TN_TAG_DTYPE:
      return text.append("%s", tn_dtype_name(static_cast<tn_dtype>(v.u.i)));
    case TN_TAG_DEVICE:
      return text.append("%s:%d", tn_device_name(v.u.device.type), v.u.device.index);
    case TN_TAG_LAYOUT:
      return text.append(v.u.i == TN_STRIDED ? "strided" : "opaque");
    case TN_TAG_MEMORY_FORMAT:
      return text.append(v.u.i == TN_CHANNELS_LAST ? "channels_last"
                         : v.u.i == TN_PRESERVE    ? "preserve"
                                                   : "contiguous");
    case TN_TAG_INTS:
      return append_sizes(text, static_cast<int32_t>(v.len), v.u.ints);
    case TN_TAG_FLOATS:
      text.append("[");
      for (uint32_t i = 0; i < v.len; ++i) text.append(i ? ",%g" : "%g", v.u.floats[i]);
      return text.append("]");
    case TN_TAG_BOOLS:
      text.append("[");
      for (uint32_t i = 0; i < v.len; ++i)
        text.append(i ? ",%s" : "%s", v.u.bools[i] ? "true" : "false");
      return text.append("]");
    case TN_TAG_TENSORS:
      text.append("[");
      for (uint32_t i = 0; i < v.len; ++i) {
        if (i) text.append(", ");
        if (i == 4 && v.len > 5) {
          text.append("... %u tensors", v.len);
          break;
        }
        if (v.u.tensors[i])
          append_tensor(text, v.u.tensors[i]);
        else
          text.append("none");
      }
      return text.append("]");
    case TN_TAG_OBJECT:
      return text.append("<%s>", v.u.object->type->name);
    default:
      return text.append("?");
  }
}

}  // namespace tenon

int32_t tn_tensor_describe(const tn_tensor* tensor, char* buffer, size_t capacity) {
  tenon::Text text(buffer, capacity);
  tenon::append_tensor(text, tensor);
  return static_cast<int32_t>(text.length);
}
