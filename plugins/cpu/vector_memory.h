// vector_memory.h - moving vectors between registers and memory, with conversion.
//
//   load<Vec<float>>(p), load_n<Vec<float>>(p, n)     store(v, p), store_n(v, p, n)
//
// `p` points to elements of any real dtype and needs no alignment beyond the element's own. The
// numbers are converted to and from the lanes' type: the 16-bit types exactly or rounded to nearest
// even with NaN kept, integers as tn::ops::cast, bool as "not zero". load_n reads the first n
// (0 <= n <= lanes) and sets the other lanes to 0; store_n writes the first n; neither touches
// memory beyond them. Masks travel to and from bool.
#pragma once
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "tenon/half.h"
#include "tenon/ops/cast.h"
#include "vector_type.h"

namespace tn::cpu {
namespace detail {

// As many elements of the type in memory as a vector has lanes of T.
template <class T, class Memory>
using MemoryTag = hn::Rebind<Memory, Tag<T>>;

HWY_INLINE Vec<float> widen(hn::Vec<MemoryTag<float, std::uint16_t>> bits, bfloat16) {
  const hn::Rebind<std::uint32_t, Tag<float>> wide;
  return Vec<float>(hn::BitCast(Tag<float>(), hn::ShiftLeft<16>(hn::PromoteTo(wide, bits))));
}
HWY_INLINE Vec<float> widen(hn::Vec<MemoryTag<float, std::uint16_t>> bits, float16) {
#if defined(__AVX512F__)
  return Vec<float>(hn::Vec<Tag<float>>{_mm512_cvtph_ps(bits.raw)});
#elif !defined(TENON_NARROW_VECTORS)
  return Vec<float>(hn::Vec<Tag<float>>{_mm256_cvtph_ps(bits.raw)});
#else
  return Vec<float>(hn::Vec<Tag<float>>{_mm_cvtph_ps(bits.raw)});
#endif
}

// The bits of bfloat16's rounding constructor, lane by lane. AVX512_BF16 has an instruction for it,
// but that one turns subnormal numbers into zero.
HWY_INLINE hn::Vec<MemoryTag<float, std::uint16_t>> narrow(Vec<float> x, bfloat16) {
  const hn::Rebind<std::uint32_t, Tag<float>> wide;
  const auto bits = hn::BitCast(wide, x.raw);
  const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(wide, 1));
  const auto rounded = hn::Add(bits, hn::Add(odd, hn::Set(wide, 0x7fff)));
  const auto quiet = hn::Or(bits, hn::Set(wide, 0x00400000));
  const auto is_nan = hn::RebindMask(wide, isnan(x).raw);
  const auto result = hn::ShiftRight<16>(hn::IfThenElse(is_nan, quiet, rounded));
  return hn::TruncateTo(MemoryTag<float, std::uint16_t>(), result);
}
HWY_INLINE hn::Vec<MemoryTag<float, std::uint16_t>> narrow(Vec<float> x, float16) {
#if defined(__AVX512F__)
  return {_mm512_cvtps_ph(x.raw.raw, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)};
#elif !defined(TENON_NARROW_VECTORS)
  return {_mm256_cvtps_ph(x.raw.raw, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)};
#else
  return {_mm_cvtps_ph(x.raw.raw, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)};
#endif
}

}  // namespace detail

template <class V, class Memory>
HWY_INLINE V load(const Memory* p) {
  using T = typename V::lane_type;
  if constexpr (std::is_same_v<Memory, T>) {
    return V(hn::LoadU(Tag<T>(), p));
  } else if constexpr (ops::is_half<Memory> && std::is_same_v<T, float>) {
    const detail::MemoryTag<T, std::uint16_t> bits;
    return detail::widen(hn::LoadU(bits, reinterpret_cast<const std::uint16_t*>(p)), Memory());
  } else {
    // A loop of known length, which the compiler turns into the target's conversions.
    alignas(kVectorBytes) T lanes[V::lanes];
    for (std::size_t i = 0; i < V::lanes; ++i) lanes[i] = ops::cast<T>(p[i]);
    return V(hn::Load(Tag<T>(), lanes));
  }
}

template <class V, class Memory>
HWY_INLINE V load_n(const Memory* p, std::size_t n) {
  using T = typename V::lane_type;
  if constexpr (std::is_same_v<Memory, T>) {
    return V(hn::MaskedLoad(hn::FirstN(Tag<T>(), n), Tag<T>(), p));
  } else {
    Memory block[V::lanes] = {};
    std::memcpy(block, p, n * sizeof(Memory));
    return load<V>(block);
  }
}

template <class T, class Memory>
HWY_INLINE void store(Vec<T> v, Memory* p) {
  if constexpr (std::is_same_v<Memory, T>) {
    hn::StoreU(v.raw, Tag<T>(), p);
  } else if constexpr (ops::is_half<Memory> && std::is_same_v<T, float>) {
    const detail::MemoryTag<T, std::uint16_t> bits;
    hn::StoreU(detail::narrow(v, Memory()), bits, reinterpret_cast<std::uint16_t*>(p));
  } else {
    alignas(kVectorBytes) T lanes[Vec<T>::lanes];
    hn::Store(v.raw, Tag<T>(), lanes);
    for (std::size_t i = 0; i < Vec<T>::lanes; ++i) p[i] = ops::cast<Memory>(lanes[i]);
  }
}

template <class T, class Memory>
HWY_INLINE void store_n(Vec<T> v, Memory* p, std::size_t n) {
  if constexpr (std::is_same_v<Memory, T>) {
    hn::BlendedStore(v.raw, hn::FirstN(Tag<T>(), n), Tag<T>(), p);
  } else {
    Memory block[Vec<T>::lanes];
    store(v, block);
    std::memcpy(p, block, n * sizeof(Memory));
  }
}

// From bool: any non-zero byte is true.
template <class T>
HWY_INLINE Mask<T> load_mask(const bool* p) {
  const detail::MemoryTag<T, std::uint8_t> bytes;
  const detail::MemoryTag<T, std::int32_t> numbers;
  const auto raw = hn::LoadU(bytes, reinterpret_cast<const std::uint8_t*>(p));
  const auto wide = hn::PromoteTo(numbers, raw);
  if constexpr (sizeof(T) == sizeof(float)) {
    return {hn::RebindMask(Tag<T>(), hn::Ne(wide, hn::Zero(numbers)))};
  } else {
    return {hn::Ne(hn::PromoteTo(Tag<T>(), wide), hn::Zero(Tag<T>()))};
  }
}
template <class T>
HWY_INLINE Mask<T> load_mask_n(const bool* p, std::size_t n) {
  bool block[Vec<T>::lanes] = {};
  std::memcpy(block, p, n);
  return load_mask<T>(block);
}

template <class T>
HWY_INLINE void store(Mask<T> m, bool* p) {
  const detail::MemoryTag<T, std::uint8_t> bytes;
  const detail::MemoryTag<T, std::int32_t> numbers;
  std::uint8_t* out = reinterpret_cast<std::uint8_t*>(p);
  if constexpr (sizeof(T) == sizeof(float)) {
    hn::StoreU(hn::DemoteTo(bytes, hn::ConvertTo(numbers, Vec<T>(m).raw)), bytes, out);
  } else {
    hn::StoreU(hn::DemoteTo(bytes, hn::DemoteTo(numbers, Vec<T>(m).raw)), bytes, out);
  }
}
template <class T>
HWY_INLINE void store_n(Mask<T> m, bool* p, std::size_t n) {
  bool block[Vec<T>::lanes];
  store(m, block);
  std::memcpy(p, block, n);
}

}  // namespace tn::cpu
