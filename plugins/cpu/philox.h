// philox.h - Philox 4x32-10, a counter-based generator: Salmon, Moraes, Dror and Shaw, "Parallel
// random numbers: as easy as 1, 2, 3", SC 2011.
#pragma once

#include <cstdint>

#include "vector_type.h"

namespace tn::cpu {

// Counter blocks computed together.
inline constexpr int kPhiloxBlocks = 16;
inline constexpr int kPhiloxWords = 4 * kPhiloxBlocks;

// Words of counter blocks first ... first + kPhiloxBlocks - 1: words[4 j + k] is word k of block j.
//
// Each 32-bit word sits in a lane of 64, which is what the multiplication takes and gives. What it
// takes is the lower half of a lane, so the upper halves may hold anything.
inline void philox(uint64_t seed, uint64_t first, uint32_t* words) {
  const Tag<uint64_t> d;
  const hn::Repartition<uint32_t, decltype(d)> narrow;
  constexpr int width = kVectorBytes / 8;
  const auto multiply = [&](auto a, uint64_t b) {
    return hn::MulEven(hn::BitCast(narrow, a), hn::BitCast(narrow, hn::Set(d, b)));
  };
  for (int j = 0; j < kPhiloxBlocks; j += width) {
    auto c0 = hn::Iota(d, first + static_cast<uint64_t>(j));
    auto c1 = hn::ShiftRight<32>(c0), c2 = hn::Zero(d), c3 = hn::Zero(d);
    uint32_t key0 = static_cast<uint32_t>(seed), key1 = static_cast<uint32_t>(seed >> 32);
    for (int round = 0; round < 10; ++round) {
      const auto a = multiply(c0, 0xD2511F53), b = multiply(c2, 0xCD9E8D57);
      c0 = hn::Xor(hn::Xor(hn::ShiftRight<32>(b), c1), hn::Set(d, uint64_t{key0}));
      c2 = hn::Xor(hn::Xor(hn::ShiftRight<32>(a), c3), hn::Set(d, uint64_t{key1}));
      c1 = b;
      c3 = a;
      key0 += 0x9E3779B9;
      key1 += 0xBB67AE85;
    }
    const auto low = hn::Set(d, uint64_t{0xffffffff});
    const auto first_two = hn::OrAnd(hn::ShiftLeft<32>(c1), c0, low);
    const auto last_two = hn::OrAnd(hn::ShiftLeft<32>(c3), c2, low);
    hn::StoreInterleaved2(first_two, last_two, d, reinterpret_cast<uint64_t*>(words + 4 * j));
  }
}

}  // namespace tn::cpu
