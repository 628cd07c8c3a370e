#include "core/number.h"

#include <bit>
#include <cstring>
#include <limits>

#include "core/error.h"

namespace tenon {
namespace {

template <class T>
void put(void* out, T value) {
  std::memcpy(out, &value, sizeof value);
}

template <class T>
tn_status put_integer(const tn_value& v, tn_dtype dtype, void* out) {
  const bool real = v.tag == TN_TAG_FLOAT;
  // A double that no int64 can hold must not be converted: that would be undefined.
  if (real && !(v.u.f >= -9223372036854775808.0 && v.u.f < 9223372036854775808.0))
    return TN_ERROR(TN_INVALID_ARGUMENT, "%g cannot be converted to %s", v.u.f,
                    tn_dtype_name(dtype));
  const int64_t i = real ? static_cast<int64_t>(v.u.f) : v.u.i;
  if constexpr (sizeof(T) < 8) {
    if (i < static_cast<int64_t>(std::numeric_limits<T>::min()) ||
        i > static_cast<int64_t>(std::numeric_limits<T>::max()))
      return TN_ERROR(TN_INVALID_ARGUMENT, "%lld does not fit into %s", static_cast<long long>(i),
                      tn_dtype_name(dtype));
  }
  put(out, static_cast<T>(i));
  return nullptr;
}

// To a binary float of `mantissa` stored bits and the given exponent bias, round to nearest even.
// `top` is the largest biased exponent of finite numbers; beyond it infinity, or NaN where the
// format has no infinities.
uint32_t to_small_float(float value, int mantissa, int bias, int top, bool infinities) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = bits >> 31;
  const int exponent_bits = bias == 15 ? 5 : 4;
  const int total = 1 + exponent_bits + mantissa;
  const uint32_t nan = ((1u << (exponent_bits + mantissa)) - 1);
  const uint32_t infinity = ((1u << exponent_bits) - 1) << mantissa;
  uint32_t magnitude;
  const uint32_t abs = bits & 0x7fffffffu;
  if (abs > 0x7f800000u) {
    magnitude = infinities ? infinity | 1u << (mantissa - 1) : nan;
  } else {
    const int exponent = static_cast<int>(abs >> 23) - 127 + bias;
    uint32_t significand = (abs & 0x7fffffu) | 0x800000u;
    int shift = 23 - mantissa;
    if (exponent <= 0) shift += 1 - exponent;  // subnormal in the target
    if (shift > 24) {
      magnitude = 0;
    } else {
      const uint32_t half = 1u << (shift - 1), odd = significand >> shift & 1;
      significand = (significand + half - 1 + odd) >> shift;
      magnitude = exponent <= 0 ? significand
                                : (static_cast<uint32_t>(exponent) << mantissa) + significand -
                                      (1u << mantissa);
    }
    const uint32_t limit =
        infinities ? infinity
                   : (static_cast<uint32_t>(top) << mantissa | ((1u << mantissa) - 2)) + 1;
    if (abs == 0x7f800000u || (exponent > 0 && magnitude >= limit))
      magnitude = infinities ? infinity : nan;
  }
  return sign << (total - 1) | magnitude;
}

uint16_t to_bfloat16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
}

}  // namespace

tn_status number_store(const tn_value& v, tn_dtype dtype, void* out) {
  double re, im = 0;
  if (v.tag == TN_TAG_COMPLEX) {
    re = v.u.floats[0];
    im = v.u.floats[1];
    if (dtype != TN_C64 && dtype != TN_C128)
      return TN_ERROR(TN_TYPE_ERROR, "the complex number %g%+gj cannot be converted to %s", re, im,
                      tn_dtype_name(dtype));
  } else {
    re = v.tag == TN_TAG_FLOAT ? v.u.f : static_cast<double>(v.u.i);
  }
  const auto f = static_cast<float>(re);
  switch (dtype) {
    case TN_BOOL:
      put(out, static_cast<uint8_t>(v.tag == TN_TAG_FLOAT ? re != 0 : v.u.i != 0));
      break;
    case TN_U8:
      return put_integer<uint8_t>(v, dtype, out);
    case TN_I8:
      return put_integer<int8_t>(v, dtype, out);
    case TN_I16:
      return put_integer<int16_t>(v, dtype, out);
    case TN_I32:
      return put_integer<int32_t>(v, dtype, out);
    case TN_I64:
      return put_integer<int64_t>(v, dtype, out);
    case TN_U16:
      return put_integer<uint16_t>(v, dtype, out);
    case TN_U32:
      return put_integer<uint32_t>(v, dtype, out);
    case TN_U64:
      return put_integer<uint64_t>(v, dtype, out);
    case TN_F16:
      put(out, static_cast<uint16_t>(to_small_float(f, 10, 15, 30, true)));
      break;
    case TN_BF16:
      put(out, to_bfloat16(f));
      break;
    case TN_F32:
      put(out, f);
      break;
    case TN_F64:
      put(out, re);
      break;
    case TN_C64: {
      const float parts[] = {f, static_cast<float>(im)};
      std::memcpy(out, parts, sizeof parts);
      break;
    }
    case TN_C128: {
      const double parts[] = {re, im};
      std::memcpy(out, parts, sizeof parts);
      break;
    }
    case TN_F8E4M3:
      put(out, static_cast<uint8_t>(to_small_float(f, 3, 7, 15, false)));
      break;
    case TN_F8E5M2:
      put(out, static_cast<uint8_t>(to_small_float(f, 2, 15, 30, true)));
      break;
    case TN_DTYPE_NONE:
      break;
  }
  return nullptr;
}

namespace {

template <class T>
T get(const void* element) {
  T value;
  std::memcpy(&value, element, sizeof value);
  return value;
}

tn_value real_value(double f) {
  tn_value v{};
  v.tag = TN_TAG_FLOAT;
  v.u.f = f;
  return v;
}
tn_value int_value(int64_t i, tn_tag tag) {
  tn_value v{};
  v.tag = static_cast<uint16_t>(tag);
  v.u.i = i;
  return v;
}

}  // namespace

tn_status number_load(const void* e, tn_dtype dtype, tn_value* out) {
  switch (dtype) {
    case TN_BOOL:
      *out = int_value(get<uint8_t>(e) != 0, TN_TAG_BOOL);
      return nullptr;
    case TN_U8:
      *out = int_value(get<uint8_t>(e), TN_TAG_INT);
      return nullptr;
    case TN_I8:
      *out = int_value(get<int8_t>(e), TN_TAG_INT);
      return nullptr;
    case TN_I16:
      *out = int_value(get<int16_t>(e), TN_TAG_INT);
      return nullptr;
    case TN_I32:
      *out = int_value(get<int32_t>(e), TN_TAG_INT);
      return nullptr;
    case TN_I64:
      *out = int_value(get<int64_t>(e), TN_TAG_INT);
      return nullptr;
    case TN_U16:
      *out = int_value(get<uint16_t>(e), TN_TAG_INT);
      return nullptr;
    case TN_U32:
      *out = int_value(get<uint32_t>(e), TN_TAG_INT);
      return nullptr;
    case TN_U64: {
      const auto u = get<uint64_t>(e);
      if (u > INT64_MAX)
        return TN_ERROR(TN_INVALID_ARGUMENT,
                        "the u64 element %llu is larger than a 64-bit signed integer",
                        static_cast<unsigned long long>(u));
      *out = int_value(static_cast<int64_t>(u), TN_TAG_INT);
      return nullptr;
    }
    case TN_F32:
      *out = real_value(get<float>(e));
      return nullptr;
    case TN_F64:
      *out = real_value(get<double>(e));
      return nullptr;
    case TN_C64:
    case TN_C128: {
      auto* parts = static_cast<double*>(tn_value_alloc(2 * sizeof(double)));
      if (!parts) return tn_status_out_of_memory();
      const char* bytes = static_cast<const char*>(e);
      for (size_t i = 0; i < 2; ++i)
        parts[i] = dtype == TN_C64 ? static_cast<double>(get<float>(bytes + 4 * i))
                                   : get<double>(bytes + 8 * i);
      *out = tn_value{};
      out->tag = TN_TAG_COMPLEX;
      out->u.floats = parts;
      return nullptr;
    }
    default:
      return TN_ERROR(TN_INTERNAL, "an element of %s must be converted before it is read",
                      tn_dtype_name(dtype));
  }
}

}  // namespace tenon
