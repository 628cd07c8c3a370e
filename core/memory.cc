#include "core/memory.h"

#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <new>

#include <tenon/storage.h>

#include "core/large_blocks.h"
#include "core/locks.h"

namespace tenon {

std::atomic<bool> memory_watched{false};

namespace {

constexpr size_t kSpan = size_t{1} << 20;  // small blocks are carved from spans of this size
constexpr uint32_t kBatchBytes = 16384;    // what a thread takes from or gives to the pool at once

struct Pool {
  void* free[kSmallClasses] = {};
  char* span = nullptr;
  size_t span_left = 0;
  int64_t span_bytes = 0;
  ThreadCache* caches = nullptr;  // of all threads; caches of dead threads are reused, never freed
  ThreadCache* idle = nullptr;
  std::atomic<uint64_t> fail_after{0};
  std::atomic<bool> fail_always{false};
  std::atomic<int64_t> peak{0};
  pthread_key_t key;  // runs `retire` when a thread ends
  bool has_key = false;
};

constinit Pool pool{};

uint32_t batch(int small) {
  return std::clamp<uint32_t>(kBatchBytes / static_cast<uint32_t>(class_size(small)), 1, 32);
}

// Takes up to `wanted` blocks of a class as a chain. Lock::kBlocks is held.
uint32_t take(int small, uint32_t wanted, void** chain) {
  const size_t size = class_size(small);
  uint32_t got = 0;
  void* head = nullptr;
  while (got < wanted) {
    void* block = pool.free[small];
    if (block) {
      pool.free[small] = *static_cast<void**>(block);
    } else {
      if (pool.span_left < size) {
        // What is left of the old span is smaller than one block of this class: given up, at most
        // 32 KiB of a MiB.
        void* span =
            mmap(nullptr, kSpan, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (span == MAP_FAILED) break;
        pool.span = static_cast<char*>(span);
        pool.span_left = kSpan;
        pool.span_bytes += static_cast<int64_t>(kSpan);
      }
      block = pool.span;
      pool.span += size;
      pool.span_left -= size;
    }
    *static_cast<void**>(block) = head;
    head = block;
    ++got;
  }
  *chain = head;
  return got;
}

void give(int small, ThreadCache::FreeList& list, uint32_t blocks) {
  for (; blocks && list.head; --blocks) {
    void* block = list.head;
    list.head = *static_cast<void**>(block);
    --list.count;
    *static_cast<void**>(block) = pool.free[small];
    pool.free[small] = block;
  }
}

// A thread ends: its blocks go to the pool, its cache and what it counted wait for the next thread.
void retire(void* value) {
  auto* cache = static_cast<ThreadCache*>(value);
  const Locked lock(Lock::kBlocks);
  for (int c = 0; c < kSmallClasses; ++c) give(c, cache->free[c], cache->free[c].count);
  *reinterpret_cast<ThreadCache**>(&cache->free[0].head) = pool.idle;
  pool.idle = cache;
  thread_block.cache = nullptr;
}

// Whether this allocation is the one that tn_memory_fail asked for.
bool must_fail() {
  if (!memory_watched.load(std::memory_order_relaxed)) return false;
  uint64_t left = pool.fail_after.load();
  while (left > 0 && !pool.fail_after.compare_exchange_weak(left, left - 1)) {
  }
  if (left > 1) return false;
  if (left == 0) return pool.fail_always.load();
  if (!pool.fail_always.load()) memory_watched.store(false);
  return true;
}

}  // namespace

ThreadCache* thread_cache_slow() noexcept {
  const Locked lock(Lock::kBlocks);
  ThreadCache* cache = pool.idle;
  if (cache) {
    pool.idle = static_cast<ThreadCache*>(cache->free[0].head);
    cache->free[0] = {};
  } else {
    cache = new (std::nothrow) ThreadCache;
    if (!cache) return nullptr;
    cache->next = pool.caches;
    pool.caches = cache;
  }
  if (!pool.has_key) pool.has_key = pthread_key_create(&pool.key, retire) == 0;
  if (pool.has_key) pthread_setspecific(pool.key, cache);
  return thread_block.cache = cache;
}

void* memory_allocate_slow(size_t nbytes) noexcept {
  if (must_fail()) return nullptr;
  if (kSystemBlocks) {
    void* block = nullptr;  // left as it is on failure
    static_cast<void>(posix_memalign(&block, TN_ALIGNMENT, nbytes));
    return block;
  }
  if (nbytes > kSmallLimit) return large_allocate(nbytes);
  ThreadCache* cache = thread_cache();
  if (!cache) return nullptr;
  const int small = small_class(nbytes);
  ThreadCache::FreeList& list = cache->free[small];
  if (!list.head) {
    const Locked lock(Lock::kBlocks);
    list.count = take(small, batch(small), &list.head);
    if (!list.head) return nullptr;
  }
  void* block = list.head;
  list.head = *static_cast<void**>(block);
  --list.count;
  return block;
}

void memory_free_slow(void* block, size_t nbytes) noexcept {
  if (kSystemBlocks) return std::free(block);
  if (nbytes > kSmallLimit) return large_free(block, nbytes);
  const int small = small_class(nbytes);
  ThreadCache* cache = thread_cache();
  const Locked lock(Lock::kBlocks);
  if (cache) {
    ThreadCache::FreeList& list = cache->free[small];
    give(small, list, list.count / 2);
  }
  *static_cast<void**>(block) = pool.free[small];
  pool.free[small] = block;
}

void memory_note_peak() noexcept {
  const int64_t now = memory_totals().data_bytes;
  int64_t peak = pool.peak.load(std::memory_order_relaxed);
  while (now > peak && !pool.peak.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
  }
}

MemoryTotals memory_totals() noexcept {
  const Locked lock(Lock::kBlocks);
  MemoryTotals t{};
  for (ThreadCache* c = pool.caches; c; c = c->next) {
    t.data_bytes += c->data_bytes.load(std::memory_order_relaxed);
    t.data_allocations += c->data_allocations.load(std::memory_order_relaxed);
    t.data_blocks -= c->data_frees.load(std::memory_order_relaxed);
    t.tensors += c->tensors.load(std::memory_order_relaxed);
  }
  t.data_blocks += t.data_allocations;
  t.peak_bytes = std::max(pool.peak.load(std::memory_order_relaxed), t.data_bytes);
  t.reserved_bytes = kSystemBlocks ? t.data_bytes : pool.span_bytes + large_reserved_bytes();
  return t;
}

void memory_trim() noexcept {
  large_trim();
}

}  // namespace tenon

void* tn_memory_allocate(size_t nbytes) {
  return tenon::memory_allocate(nbytes);
}

void tn_memory_free(void* block, size_t nbytes) {
  tenon::memory_free(block, nbytes);
}

void tn_memory_fail(uint64_t nth, int32_t from_then_on) {
  tenon::pool.fail_always.store(nth != 0 && from_then_on != 0);
  tenon::pool.fail_after.store(nth);
  tenon::memory_watched.store(nth != 0);
}

uint64_t tn_tensor_live_count(void) {
  return static_cast<uint64_t>(tenon::memory_totals().tensors);
}
