// Storages: reference-counted memory of one device, and the version counter of what lies in it.
#pragma once

#include <atomic>
#include <new>

#include <tenon/storage.h>

#include "core/error.h"
#include "core/memory.h"

namespace tenon {

// Counts writes. Tensors that share memory share one: the storage's own, or one of its own life
// after set_data.
struct Version {
  std::atomic<uint64_t> writes{0};
  std::atomic<uint32_t> references{0};  // 0: lives inside a storage
};

struct Storage {
  std::atomic<uint64_t> references{1};
  void* data = nullptr;
  size_t nbytes = 0;
  tn_device device{};
  Version version;
  void (*release)(void* context) = nullptr;  // foreign memory; null: allocated here
  union {
    void* context = nullptr;  // what `release` is given
    size_t tail;              // without `release`: bytes of data behind this object in its block
  };
};
static_assert(sizeof(Storage) == TN_ALIGNMENT, "so that small data can follow, aligned");

inline Storage* core(tn_storage* s) {
  return reinterpret_cast<Storage*>(s);
}
inline const Storage* core(const tn_storage* s) {
  return reinterpret_cast<const Storage*>(s);
}
inline tn_storage* face(Storage* s) {
  return reinterpret_cast<tn_storage*>(s);
}

// The device type whose small data lies behind its storage in one block: the host's, once it is
// there and when it leaves allocation to the core.
extern constinit std::atomic<int32_t> storage_tailed_device;
// Data of at most this many bytes does: the block's size class is found without a branch.
inline constexpr size_t kMaxTail = kSystemBlocks ? 0 : kLinearLimit - sizeof(Storage);

// Memory of `device` (none on devices without data). One reference for the caller.
tn_status storage_create(tn_device device, size_t nbytes, Storage** out);
// The same for small data of the host; null where that is not what is asked, or nothing is at hand.
[[gnu::always_inline]] inline Storage* storage_create_quickly(tn_device device, size_t nbytes,
                                                              ThreadCache* cache) {
  if (__builtin_expect(nbytes - 1 >= kMaxTail ||  // nor is nothing a tail
                           device.type != storage_tailed_device.load(std::memory_order_relaxed) ||
                           !cache,
                       0))
    return nullptr;
  void* block = memory_allocate(sizeof(Storage) + nbytes, cache);
  if (__builtin_expect(!block, 0)) return nullptr;
  Storage* s = new (block) Storage;
  s->data = s + 1;
  s->nbytes = nbytes;
  s->device = device;
  s->tail = nbytes;
  count(cache->data_bytes, static_cast<int64_t>(nbytes));
  count(cache->data_allocations, 1);
  return s;
}
// Over memory that `release(context)` gives back.
tn_status storage_adopt(tn_device device, void* data, size_t nbytes, void (*release)(void*),
                        void* context, Storage** out);
// Larger memory with the old contents; the old block is given back. Error: foreign memory.
tn_status storage_grow(Storage* storage, size_t nbytes);

inline void storage_retain(Storage* s) {
  s->references.fetch_add(1, std::memory_order_relaxed);
}
// Whether the data lies behind the object, in its block. (A block of its own may lie there by
// chance.)
inline bool has_tail(const Storage* s) {
  return s->tail && s->data == s + 1;
}

void storage_destroy(Storage* s);
[[gnu::always_inline]] inline void storage_release(Storage* s, ThreadCache* cache) {
  // Alone, nobody can take another reference: the locked decrement is not needed.
  if (s->references.load(std::memory_order_acquire) != 1 &&
      s->references.fetch_sub(1, std::memory_order_acq_rel) != 1)
    return;
  if (__builtin_expect(cache && !s->release && has_tail(s), 1)) {
    if (s->tail > kMaxTail) __builtin_unreachable();
    count(cache->data_bytes, -static_cast<int64_t>(s->nbytes));
    count(cache->data_frees, 1);
    return memory_free(s, sizeof(Storage) + s->tail, cache);
  }
  storage_destroy(s);
}
inline void storage_release(Storage* s) {
  storage_release(s, nullptr);
}

}  // namespace tenon
