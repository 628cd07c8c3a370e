// element.h - from a dtype's number to its C++ type.
#pragma once

#include <complex>
#include <cstdint>

#include <tenon/half.h>
#include <tenon/sdk/types.h>

#include "float8.h"

namespace tn::cpu {

inline constexpr int kDtypes = 17;

template <int dtype>
struct ElementOf;
// clang-format off
template <> struct ElementOf<TN_BOOL> { using type = bool; };
template <> struct ElementOf<TN_U8> { using type = uint8_t; };
template <> struct ElementOf<TN_I8> { using type = int8_t; };
template <> struct ElementOf<TN_I16> { using type = int16_t; };
template <> struct ElementOf<TN_I32> { using type = int32_t; };
template <> struct ElementOf<TN_I64> { using type = int64_t; };
template <> struct ElementOf<TN_U16> { using type = uint16_t; };
template <> struct ElementOf<TN_U32> { using type = uint32_t; };
template <> struct ElementOf<TN_U64> { using type = uint64_t; };
template <> struct ElementOf<TN_F16> { using type = float16; };
template <> struct ElementOf<TN_BF16> { using type = bfloat16; };
template <> struct ElementOf<TN_F32> { using type = float; };
template <> struct ElementOf<TN_F64> { using type = double; };
template <> struct ElementOf<TN_C64> { using type = std::complex<float>; };
template <> struct ElementOf<TN_C128> { using type = std::complex<double>; };
template <> struct ElementOf<TN_F8E4M3> { using type = float8e4m3; };
template <> struct ElementOf<TN_F8E5M2> { using type = float8e5m2; };
// clang-format on
template <int dtype>
using Element = typename ElementOf<dtype>::type;

template <class T, int dtype = 0>
constexpr DType dtype_of() {
  if constexpr (std::is_same_v<T, Element<dtype>>)
    return static_cast<DType>(dtype);
  else
    return dtype_of<T, dtype + 1>();
}

// Bytes of one element, without asking the core.
constexpr int64_t element_size(int dtype) {
  constexpr uint8_t sizes[kDtypes] = {1, 1, 1, 2, 4, 8, 2, 4, 8, 2, 2, 4, 8, 8, 16, 1, 1};
  return sizes[dtype];
}

// What kernels compute in: 16-bit floats as float.
constexpr DType arithmetic_dtype(DType compute) {
  return compute == TN_F16 || compute == TN_BF16 ? TN_F32 : compute;
}

}  // namespace tn::cpu
