// Storages: reference-counted memory of one device, and the version counter of what lies in it.
#pragma once

#include <atomic>

#include <tenon/storage.h>

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
    void* context = nullptr;
    size_t tail;  // without `release`: bytes that lie behind this object in the same block
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

// Memory of `device` (none on devices without data). One reference for the caller.
tn_status storage_create(tn_device device, size_t nbytes, Storage** out);
// Over memory that `release(context)` gives back.
tn_status storage_adopt(tn_device device, void* data, size_t nbytes, void (*release)(void*),
                        void* context, Storage** out);
// Larger memory with the old contents; the old block is given back. Error: foreign memory.
tn_status storage_grow(Storage* storage, size_t nbytes);

inline void storage_retain(Storage* s) {
  s->references.fetch_add(1, std::memory_order_relaxed);
}
void storage_destroy(Storage* s);
inline void storage_release(Storage* s) {
  // Alone, nobody can take another reference: the locked decrement is not needed.
  if (s->references.load(std::memory_order_acquire) == 1 ||
      s->references.fetch_sub(1, std::memory_order_acq_rel) == 1)
    storage_destroy(s);
}

}  // namespace tenon
