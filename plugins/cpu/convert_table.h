// convert_table.h - the code of the conversions, instantiated over several files for short builds.
#pragma once

#include <array>
#include <cstring>
#include <utility>

#include <tenon/ops/cast.h>

#include "convert.h"
#include "element.h"
#include "vector.h"

namespace tn::cpu {

// The conversions to one dtype, by the dtype that comes.
using ConvertRow = std::array<ConvertFn, kDtypes>;

template <class T>
inline constexpr bool is_complex_number = false;
template <class T>
inline constexpr bool is_complex_number<std::complex<T>> = true;
template <class T>
inline constexpr bool is_float8 = std::is_same_v<T, float8e4m3> || std::is_same_v<T, float8e5m2>;

template <class To, class From>
To convert_one(From x) {
  if constexpr (is_float8<From>)
    return convert_one<To>(static_cast<float>(x));
  else if constexpr (is_complex_number<From> && std::is_same_v<To, bool>)
    return x != From(0);
  else if constexpr (is_complex_number<From> && is_complex_number<To>)
    return To(x);
  else if constexpr (is_complex_number<From>)
    return convert_one<To>(x.real());
  else if constexpr (is_complex_number<To>)
    return To(convert_one<typename To::value_type>(x));
  else if constexpr (is_float8<To>)
    return To(ops::cast<float>(x));
  else
    return ops::cast<To>(x);
}

template <class To, class From>
void convert_dense(To* to, const From* from, int64_t n) {
  constexpr bool by_vectors = (ops::is_half<To> && std::is_same_v<From, float>) ||
                              (ops::is_half<From> && std::is_same_v<To, float>);
  if constexpr (by_vectors) {
    using V = Vec<float>;
    constexpr int64_t lanes = V::lanes;
    int64_t i = 0;
    for (; i + lanes <= n; i += lanes) store(load<V>(from + i), to + i);
    if (i < n)
      store_n(load_n<V>(from + i, static_cast<size_t>(n - i)), to + i, static_cast<size_t>(n - i));
  } else {
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) to[i] = convert_one<To>(from[i]);
  }
}

template <int to_dtype, int from_dtype>
void convert(void* to, int64_t to_stride, const void* from, int64_t from_stride, int64_t n) {
  using To = Element<to_dtype>;
  using From = Element<from_dtype>;
  constexpr int64_t to_size = sizeof(To), from_size = sizeof(From);
  if (to_stride == to_size && from_stride == from_size)
    return convert_dense(static_cast<To*>(to), static_cast<const From*>(from), n);
  char* t = static_cast<char*>(to);
  const char* f = static_cast<const char*>(from);
  for (int64_t i = 0; i < n; ++i, t += to_stride, f += from_stride)
    *reinterpret_cast<To*>(t) = convert_one<To>(*reinterpret_cast<const From*>(f));
}

// Elements moved as they are.
template <class Word>
void move(void* to, int64_t to_stride, const void* from, int64_t from_stride, int64_t n) {
  constexpr int64_t size = sizeof(Word);
  if (to_stride == size && from_stride == size) {
    if (to != from) std::memcpy(to, from, static_cast<size_t>(n * size));
    return;
  }
  char* t = static_cast<char*>(to);
  const char* f = static_cast<const char*>(from);
  if (from_stride == 0 && to_stride == size) {
    Word word;
    std::memcpy(&word, f, size);
    for (int64_t i = 0; i < n; ++i) std::memcpy(t + i * size, &word, size);
    return;
  }
  for (int64_t i = 0; i < n; ++i) std::memcpy(t + i * to_stride, f + i * from_stride, size);
}

struct alignas(8) Sixteen {
  uint64_t words[2];
};
template <size_t size>
constexpr ConvertFn move_function() {
  if constexpr (size == 1)
    return move<uint8_t>;
  else if constexpr (size == 2)
    return move<uint16_t>;
  else if constexpr (size == 4)
    return move<uint32_t>;
  else if constexpr (size == 8)
    return move<uint64_t>;
  else
    return move<Sixteen>;
}

template <int to, int from>
constexpr ConvertFn convert_entry() {
  if constexpr (to == from)
    return move_function<sizeof(Element<to>)>();
  else
    return convert<to, from>;
}
template <int to, int... from>
constexpr ConvertRow make_convert_row(std::integer_sequence<int, from...>) {
  return {convert_entry<to, from>()...};
}
template <int to>
constexpr ConvertRow convert_row = make_convert_row<to>(std::make_integer_sequence<int, kDtypes>());

extern const std::array<ConvertRow, 6> convert_to_signed;    // bool, u8, i8, i16, i32, i64
extern const std::array<ConvertRow, 3> convert_to_unsigned;  // u16, u32, u64
extern const std::array<ConvertRow, 4> convert_to_float;     // f16, bf16, f32, f64
extern const std::array<ConvertRow, 4> convert_to_other;     // c64, c128, f8e4m3, f8e5m2

}  // namespace tn::cpu
