// types.h - sets of dtypes, for what an operator can compute in.
#pragma once

#include <tenon/base.h>
#include <tenon/ops/math_scalar.h>

namespace tn::ops {

template <class... D>
constexpr uint64_t dtype_set(D... dtypes) {
  return (uint64_t{0} | ... | TN_DTYPE_BIT(dtypes));
}

inline constexpr uint64_t bools = dtype_set(TN_BOOL);
inline constexpr uint64_t integers = dtype_set(TN_U8, TN_I8, TN_I16, TN_I32, TN_I64);
inline constexpr uint64_t floats = dtype_set(TN_F16, TN_BF16, TN_F32, TN_F64);
inline constexpr uint64_t complexes = dtype_set(TN_C64, TN_C128);
inline constexpr uint64_t reals = integers | floats;
inline constexpr uint64_t all_reals = bools | reals;
inline constexpr uint64_t numbers = reals | complexes;
inline constexpr uint64_t all_numbers = bools | numbers;
// Also those that are only stored and converted.
inline constexpr uint64_t all_dtypes =
    all_numbers | dtype_set(TN_U16, TN_U32, TN_U64, TN_F8E4M3, TN_F8E5M2);

// True for float, double and vectors of them.
template <class V>
inline constexpr bool is_real_number = std::is_floating_point<lane_t<V>>::value;

}  // namespace tn::ops
