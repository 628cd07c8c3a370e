// Host memory: size classes with a cache per thread, large blocks kept and mapped with huge pages.
//
// Serves tensors' data on the host and the core's own objects. The owner of a block knows its size
// and gives it back with the block, so blocks carry no header. All blocks are aligned to
// TN_ALIGNMENT.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/thread.h"

namespace tenon {

// Sanitizers and Valgrind see the ends and the lives of the system's own blocks alone, so under
// them every block is one of those.
#ifdef TENON_SYSTEM_BLOCKS
inline constexpr bool kSystemBlocks = true;
#else
inline constexpr bool kSystemBlocks = false;
#endif

// Classes of small blocks: 64-byte steps to 1 KiB, then four per power of two to 32 KiB.
inline constexpr size_t kSmallestBlock = 64;
inline constexpr size_t kLinearLimit = 1024;
inline constexpr size_t kSmallLimit = 32768;
inline constexpr int kSmallClasses = 16 + 5 * 4;

constexpr int small_class(size_t nbytes) {
  if (nbytes <= kLinearLimit)
    return nbytes == 0 ? 0 : static_cast<int>((nbytes - 1) / kSmallestBlock);
  const int power = 63 - __builtin_clzll(nbytes - 1);  // 2^power < nbytes <= 2^(power + 1)
  const int quarter = static_cast<int>((nbytes - 1) >> (power - 2)) & 3;
  return 16 + (power - 10) * 4 + quarter;
}
constexpr size_t class_size(int small) {
  if (small < 16) return static_cast<size_t>(small + 1) * kSmallestBlock;
  const int power = 10 + (small - 16) / 4, quarter = (small - 16) % 4;
  return (size_t{1} << power) + (static_cast<size_t>(quarter) + 1) * (size_t{1} << (power - 2));
}
static_assert(class_size(small_class(1025)) == 1280 &&
              class_size(small_class(kSmallLimit)) == kSmallLimit &&
              small_class(kSmallLimit) == kSmallClasses - 1);

// What one thread keeps at hand, and what it has counted. Only its thread writes it; others read
// the counters.
struct ThreadCache {
  struct FreeList {
    void* head = nullptr;
    uint32_t count = 0;
  };
  FreeList free[kSmallClasses];
  std::atomic<int64_t> data_bytes{
      0};  // tensors' data, allocated less freed: may be negative in one thread
  std::atomic<int64_t> data_allocations{0};
  std::atomic<int64_t> data_frees{0};
  std::atomic<int64_t> tensors{0};
  ThreadCache* next = nullptr;
};

inline void count(std::atomic<int64_t>& counter, int64_t by) {  // only its own thread writes it
  counter.store(counter.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
}

extern std::atomic<bool>
    memory_watched;  // a failure is planned: every allocation takes the slow way

void* memory_allocate_slow(size_t nbytes) noexcept;
void memory_free_slow(void* block, size_t nbytes) noexcept;

// The calling thread's cache; null when there is no memory for one.
ThreadCache* thread_cache_slow() noexcept;
inline ThreadCache* thread_cache() noexcept {
  ThreadCache* cache = thread_block.cache;
  return __builtin_expect(cache != nullptr, 1) ? cache : thread_cache_slow();
}

// The cache that blocks may be put into, and taken from while no failure is planned; null: only the
// slow ways are open. Callers with several blocks ask once.
inline ThreadCache* memory_cache_to_give() noexcept {
  return kSystemBlocks ? nullptr : thread_block.cache;
}
inline ThreadCache* memory_cache_to_take() noexcept {
  return memory_watched.load(std::memory_order_relaxed) ? nullptr : memory_cache_to_give();
}

// Uninitialised memory, or null. Zero bytes give a block too.
[[gnu::always_inline]] inline void* memory_allocate(size_t nbytes, ThreadCache* cache) noexcept {
  if (__builtin_expect(nbytes <= kSmallLimit && cache, 1)) {
    ThreadCache::FreeList& list = cache->free[small_class(nbytes)];
    if (void* block = list.head) {
      list.head = *static_cast<void**>(block);
      --list.count;
      return block;
    }
  }
  return memory_allocate_slow(nbytes);
}
inline void* memory_allocate(size_t nbytes) noexcept {
  return memory_allocate(nbytes, memory_cache_to_take());
}

// `nbytes` as given to memory_allocate; the block is one.
[[gnu::always_inline]] inline void memory_free(void* block, size_t nbytes,
                                               ThreadCache* cache) noexcept {
  if (__builtin_expect(nbytes <= kSmallLimit && cache, 1)) {
    ThreadCache::FreeList& list = cache->free[small_class(nbytes)];
    if (__builtin_expect(list.count < 64, 1)) {
      *static_cast<void**>(block) = list.head;
      list.head = block;
      ++list.count;
      return;
    }
  }
  memory_free_slow(block, nbytes);
}
// Null is fine.
inline void memory_free(void* block, size_t nbytes) noexcept {
  if (block) memory_free(block, nbytes, memory_cache_to_give());
}

// Statistics of tensors' data, for the allocation and the release of `nbytes`.
void memory_note_peak() noexcept;
inline void memory_count_data(size_t nbytes) noexcept {
  if (ThreadCache* cache = thread_cache()) {
    count(cache->data_bytes, static_cast<int64_t>(nbytes));
    count(cache->data_allocations, 1);
  }
  // The peak is exact for blocks that matter to it, and costs small ones nothing.
  if (nbytes > kSmallLimit) memory_note_peak();
}
inline void memory_uncount_data(size_t nbytes) noexcept {
  if (ThreadCache* cache = thread_cache()) {
    count(cache->data_bytes, -static_cast<int64_t>(nbytes));
    count(cache->data_frees, 1);
  }
}

// Whether new large blocks are mapped with huge pages; from the configuration.
void memory_use_huge_pages(bool on) noexcept;

struct MemoryTotals {
  int64_t data_bytes, data_blocks, data_allocations, tensors, peak_bytes, reserved_bytes;
};
MemoryTotals memory_totals() noexcept;
// Unmaps large blocks that nobody uses.
void memory_trim() noexcept;

}  // namespace tenon
