// The core's caches, emptied.
#pragma once

#include <cstddef>
#include <cstdint>

namespace faults {

// The core serves small objects from blocks that it keeps. Whoever wants to see it ask the system
// has to take those away first: take() asks for blocks of every size, and lets none be mapped for
// that, until no size has one left. Large blocks are given back to the system.
class SpareBlocks {
 public:
  SpareBlocks() = default;
  ~SpareBlocks() { give_back(); }
  SpareBlocks(const SpareBlocks&) = delete;
  SpareBlocks& operator=(const SpareBlocks&) = delete;

  void take();
  void give_back();

  // Bytes of the core's memory that somebody uses, after take(): exact, since nothing is spare.
  int64_t bytes_in_use() const;

 private:
  struct Block {
    Block* next;
    size_t size;
  };
  Block* taken_ = nullptr;
  int64_t taken_bytes_ = 0;
};

}  // namespace faults
