#include "core/memory.h"

#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <mutex>
#include <new>

#include <tenon/storage.h>

#include "core/large_blocks.h"

namespace tenon {

std::atomic<bool> memory_watched{false};

namespace {

constexpr size_t kSpan = size_t{1} << 20;  // small blocks are carved from spans of this size
constexpr uint32_t kBatchBytes = 16384;    // what a thread takes from or gives to the pool at once

struct Pool {
  std::mutex mutex;
  void* free[kSmallClasses] = {};
  char* span = nullptr;
  size_t span_left = 0;
  int64_t span_bytes = 0;
  ThreadCache* caches = nullptr;  // of all threads; caches of dead threads are reused, never freed
  ThreadCache* idle = nullptr;
  std::atomic<uint64_t> fail_after{0};
  std::atomic<bool> fail_always{false};
  std::atomic<int64_t> peak{0};
  pthread_key_t key;
};

Pool& pool();

uint32_t batch(int small) {
  return std::clamp<uint32_t>(kBatchBytes / static_cast<uint32_t>(class_size(small)), 1, 32);
}

// Takes up to `wanted` blocks of a class as a chain. The pool's mutex is held.
uint32_t take(Pool& p, int small, uint32_t wanted, void** chain) {
  const size_t size = class_size(small);
  uint32_t got = 0;
  void* head = nullptr;
  while (got < wanted) {
    void* block = p.free[small];
    if (block) {
      p.free[small] = *static_cast<void**>(block);
    } else {
      if (p.span_left < size) {
        // What is left of the old span is smaller than one block of this class: given up, at most
        // 32 KiB of a MiB.
        void* span =
            mmap(nullptr, kSpan, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (span == MAP_FAILED) break;
        p.span = static_cast<char*>(span);
        p.span_left = kSpan;
        p.span_bytes += static_cast<int64_t>(kSpan);
      }
      block = p.span;
      p.span += size;
      p.span_left -= size;
    }
    *static_cast<void**>(block) = head;
    head = block;
    ++got;
  }
  *chain = head;
  return got;
}

void give(Pool& p, int small, ThreadCache::FreeList& list, uint32_t blocks) {
  for (; blocks && list.head; --blocks) {
    void* block = list.head;
    list.head = *static_cast<void**>(block);
    --list.count;
    *static_cast<void**>(block) = p.free[small];
    p.free[small] = block;
  }
}

// A thread ends: its blocks go to the pool, its cache and what it counted wait for the next thread.
void retire(void* value) {
  auto* cache = static_cast<ThreadCache*>(value);
  Pool& p = pool();
  std::lock_guard lock(p.mutex);
  for (int c = 0; c < kSmallClasses; ++c) give(p, c, cache->free[c], cache->free[c].count);
  *reinterpret_cast<ThreadCache**>(&cache->free[0].head) = p.idle;
  p.idle = cache;
  thread_block.cache = nullptr;
}

// A child of fork has one thread, which must find the mutex free.
void before_fork() {
  pool().mutex.lock();
}
void after_fork() {
  pool().mutex.unlock();
}

Pool& pool() {
  static Pool& p = []() -> Pool& {
    auto* made = new Pool;  // never destroyed: tensors may die after static destructors
    pthread_key_create(&made->key, retire);
    return *made;
  }();
  static const int forks = pthread_atfork(before_fork, after_fork, after_fork);
  static_cast<void>(forks);
  return p;
}

// Whether this allocation is the one that tn_memory_fail asked for.
bool must_fail() {
  if (!memory_watched.load(std::memory_order_relaxed)) return false;
  Pool& p = pool();
  uint64_t left = p.fail_after.load();
  while (left > 0 && !p.fail_after.compare_exchange_weak(left, left - 1)) {
  }
  if (left > 1) return false;
  if (left == 0) return p.fail_always.load();
  if (!p.fail_always.load()) memory_watched.store(false);
  return true;
}

}  // namespace

ThreadCache* thread_cache_slow() noexcept {
  Pool& p = pool();
  std::lock_guard lock(p.mutex);
  ThreadCache* cache = p.idle;
  if (cache) {
    p.idle = static_cast<ThreadCache*>(cache->free[0].head);
    cache->free[0] = {};
  } else {
    cache = new (std::nothrow) ThreadCache;
    if (!cache) return nullptr;
    cache->next = p.caches;
    p.caches = cache;
  }
  pthread_setspecific(p.key, cache);
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
    Pool& p = pool();
    std::lock_guard lock(p.mutex);
    list.count = take(p, small, batch(small), &list.head);
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
  Pool& p = pool();
  std::lock_guard lock(p.mutex);
  if (cache) {
    ThreadCache::FreeList& list = cache->free[small];
    give(p, small, list, list.count / 2);
  }
  *static_cast<void**>(block) = p.free[small];
  p.free[small] = block;
}

void memory_note_peak() noexcept {
  const int64_t now = memory_totals().data_bytes;
  Pool& p = pool();
  int64_t peak = p.peak.load(std::memory_order_relaxed);
  while (now > peak && !p.peak.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
  }
}

MemoryTotals memory_totals() noexcept {
  Pool& p = pool();
  const int64_t large =
      large_reserved_bytes();  // before this lock: forks take the two in the other order
  std::lock_guard lock(p.mutex);
  MemoryTotals t{};
  for (ThreadCache* c = p.caches; c; c = c->next) {
    t.data_bytes += c->data_bytes.load(std::memory_order_relaxed);
    t.data_allocations += c->data_allocations.load(std::memory_order_relaxed);
    t.data_blocks -= c->data_frees.load(std::memory_order_relaxed);
    t.tensors += c->tensors.load(std::memory_order_relaxed);
  }
  t.data_blocks += t.data_allocations;
  t.peak_bytes = std::max(p.peak.load(std::memory_order_relaxed), t.data_bytes);
  t.reserved_bytes = kSystemBlocks ? t.data_bytes : p.span_bytes + large;
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
  tenon::Pool& p = tenon::pool();
  p.fail_always.store(nth != 0 && from_then_on != 0);
  p.fail_after.store(nth);
  tenon::memory_watched.store(nth != 0);
}

uint64_t tn_tensor_live_count(void) {
  return static_cast<uint64_t>(tenon::memory_totals().tensors);
}
