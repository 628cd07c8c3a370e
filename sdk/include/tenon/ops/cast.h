// cast.h - one number from one dtype to another, as Tensor.to(dtype) does it.
//
//   to bool                 true unless zero (a NaN is true)
//   to float16, bfloat16    to float first, then to nearest even
//   real to integer         truncated towards zero, then modulo 2^bits. NaN and what int64 cannot
//                           hold become the lowest int64 before that (what x86 does; C++ leaves it
//                           undefined). uint64 takes everything up to its own largest number.
//   all else                static_cast
#pragma once
#include <cstdint>
#include <limits>
#include <type_traits>

#include "tenon/half.h"

namespace tn::ops {

template <class T>
inline constexpr bool is_half = std::is_same<T, bfloat16>::value || std::is_same<T, float16>::value;

template <class To, class From>
constexpr To cast(From x) {
  if constexpr (std::is_same<To, From>::value) {
    return x;
  } else if constexpr (is_half<From>) {
    return cast<To>(static_cast<float>(x));
  } else if constexpr (is_half<To>) {
    return To(static_cast<float>(x));
  } else if constexpr (std::is_same<To, bool>::value) {
    return x != From(0);
  } else if constexpr (std::is_floating_point<From>::value && std::is_integral<To>::value) {
    constexpr From limit = From(0x1p63);
    if constexpr (std::is_same<To, std::uint64_t>::value) {
      if (x >= limit && x < 2 * limit) return static_cast<To>(x);
    }
    const bool fits = x >= -limit && x < limit;
    return static_cast<To>(fits ? static_cast<std::int64_t>(x)
                                : std::numeric_limits<std::int64_t>::min());
  } else {
    return static_cast<To>(x);
  }
}

}  // namespace tn::ops
