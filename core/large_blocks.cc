#include "core/large_blocks.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <bit>

#include "core/locks.h"
#include "core/memory.h"

namespace tenon {
namespace {

constexpr size_t kPage = 4096;
constexpr size_t kHugePage = size_t{2} << 20;
constexpr int kClasses = 64 * 8;  // eight per power of two: at most 1/8 of a block is unused

// A block's class size: rounded up so that requests of nearly the same size share blocks.
size_t rounded(size_t nbytes) {
  const size_t step =
      std::max(std::bit_ceil(nbytes) / 16, nbytes >= kHugePage ? kHugePage / 8 : kPage);
  return (nbytes + step - 1) / step * step;
}
int class_of(size_t size) {
  const int power = 63 - std::countl_zero(size);
  return power * 8 + static_cast<int>((size >> (power - 3)) & 7);
}

// A kept block holds its own list entry.
struct Kept {
  Kept* next;
  size_t size;
};

struct State {
  Kept* kept[kClasses] = {};
  size_t kept_bytes = 0;
  size_t used_bytes = 0;
  size_t used_peak = 0;
};

constinit State state;

std::atomic<bool> huge_pages{true};

void* map(size_t size) {
  const bool huge = size >= kHugePage && huge_pages.load(std::memory_order_relaxed);
  const size_t extra = huge ? kHugePage : 0;
  void* raw =
      mmap(nullptr, size + extra, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (raw == MAP_FAILED) return nullptr;
  if (!huge) return raw;
  // Huge pages need an aligned start: cut the surplus off on both sides.
  const auto start = reinterpret_cast<uintptr_t>(raw);
  const uintptr_t aligned = (start + kHugePage - 1) & ~(kHugePage - 1);
  if (aligned > start) munmap(raw, aligned - start);
  if (const size_t tail = start + extra - aligned)
    munmap(reinterpret_cast<void*>(aligned + size), tail);
  madvise(reinterpret_cast<void*>(aligned), size,
          MADV_HUGEPAGE);  // advice: without it pages are small
  return reinterpret_cast<void*>(aligned);
}

void unmap_kept() {
  for (Kept*& head : state.kept)
    while (head) {
      Kept* block = head;
      head = block->next;
      state.kept_bytes -= block->size;
      munmap(block, block->size);
    }
}

// A kept block of exactly this size: whoever frees it will know only what was asked for.
Kept* find(size_t size) {
  for (Kept** at = &state.kept[class_of(size)]; *at; at = &(*at)->next)
    if ((*at)->size == size) {
      Kept* block = *at;
      *at = block->next;
      return block;
    }
  return nullptr;
}

}  // namespace

void memory_use_huge_pages(bool on) noexcept {
  huge_pages.store(on, std::memory_order_relaxed);
}

void* large_allocate(size_t nbytes) noexcept {
  if (nbytes > SIZE_MAX / 4) return nullptr;
  const size_t size = rounded(nbytes);
  const Locked lock(Lock::kLargeBlocks);
  void* block = find(size);
  if (block) {
    state.kept_bytes -= size;
  } else {
    // Keeping must not make a process larger than twice what it used at once. Less would unmap and
    // map again in every step of a training loop, whose blocks of all sizes are never used
    // together.
    if (state.kept_bytes + state.used_bytes + size > 2 * state.used_peak) unmap_kept();
    block = map(size);
    if (!block) {
      unmap_kept();
      block = map(size);
    }
    if (!block) return nullptr;
  }
  state.used_bytes += size;
  state.used_peak = std::max(state.used_peak, state.used_bytes);
  return block;
}

void large_free(void* block, size_t nbytes) noexcept {
  const size_t size = rounded(nbytes);
  const Locked lock(Lock::kLargeBlocks);
  state.used_bytes -= size;
  auto* kept = static_cast<Kept*>(block);
  kept->size = size;
  kept->next = state.kept[class_of(size)];
  state.kept[class_of(size)] = kept;
  state.kept_bytes += size;
}

int64_t large_reserved_bytes() noexcept {
  const Locked lock(Lock::kLargeBlocks);
  return static_cast<int64_t>(state.kept_bytes + state.used_bytes);
}

void large_trim() noexcept {
  const Locked lock(Lock::kLargeBlocks);
  unmap_kept();
}

}  // namespace tenon
