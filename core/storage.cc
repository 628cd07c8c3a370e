#include "core/storage.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "core/device.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/text.h"

namespace tenon {
namespace {

Storage* storage_object() {
  void* block = memory_allocate(sizeof(Storage));
  return block ? new (block) Storage : nullptr;
}

inline void free_object(Storage* s, size_t tail) {
  if (tail > kMaxTail) __builtin_unreachable();
  s->~Storage();
  memory_free(s, sizeof(Storage) + tail);
}

// What was asked for and what is there; before what the device says, if it has said anything.
[[gnu::cold]] tn_status no_memory(const tn_device_vtable* table, tn_device device, size_t nbytes,
                                  tn_status status = nullptr) {
  ShortText text;
  text.append("no memory for %zu bytes", nbytes);
  if (nbytes >= 1024) append_bytes(text, nbytes, " (", ")");
  text.append(" on %s", table->name);
  if (device.index) text.append(":%d", device.index);
  if (!table->allocate) {
    const MemoryTotals totals = memory_totals();
    append_bytes(text, static_cast<uint64_t>(totals.data_bytes), "; ", " are live");
    append_bytes(text, static_cast<uint64_t>(totals.reserved_bytes - totals.data_bytes), ", ",
                 " kept for reuse");
  }
  uint64_t free = 0, total = 0;
  if (table->memory_info)
    if (tn_status failed = table->memory_info(table->state, device.index, &free, &total))
      tn_status_release(failed), total = 0;
  if (total) {
    append_bytes(text, free, "; ", "");
    append_bytes(text, total, " of ", " are free");
  }
  if (!status) return TN_ERROR(TN_OUT_OF_MEMORY, "%s", text.c_str());
  return tn_status_annotate(explainable(status), "%s:", text.c_str());
}

// A block of its own. Null data with success means: a device without data.
tn_status allocate(const tn_device_vtable* table, tn_device device, size_t nbytes, void** out) {
  if (table->flags & TN_DEVICE_NO_DATA) return *out = nullptr, nullptr;
  if (table->allocate) {
    tn_status status = table->allocate(table->state, device.index, nbytes, out);
    return tn_status_code(status) == TN_OUT_OF_MEMORY ? no_memory(table, device, nbytes, status)
                                                      : status;
  }
  *out = memory_allocate(nbytes);
  if (!*out) return no_memory(table, device, nbytes);
  memory_count_data(nbytes);
  return nullptr;
}

void free_data(const Storage* s) {
  if (!s->data) return;
  if (has_tail(s)) return memory_uncount_data(s->nbytes);
  const tn_device_vtable* table = device_table(s->device.type);
  if (table->allocate) return table->free(table->state, s->device.index, s->data, s->nbytes);
  memory_uncount_data(s->nbytes);
  memory_free(s->data, s->nbytes);
}

}  // namespace

constinit std::atomic<int32_t> storage_tailed_device{TN_DEVICE_NONE};

tn_status storage_create(tn_device device, size_t nbytes, Storage** out) {
  if ((*out = storage_create_quickly(device, nbytes, memory_cache_to_take()))) return nullptr;
  const tn_device_vtable* table = device_table(device.type);
  if (__builtin_expect(!table, 0)) return device_missing(device.type);
  Storage* s = storage_object();
  if (!s) return tn_status_out_of_memory();
  if (tn_status status = allocate(table, device, nbytes, &s->data)) {
    free_object(s, 0);
    return status;
  }
  s->nbytes = nbytes;
  s->device = device;
  *out = s;
  return nullptr;
}

tn_status storage_adopt(tn_device device, void* data, size_t nbytes, void (*release)(void*),
                        void* context, Storage** out) {
  Storage* s = storage_object();
  if (!s) return tn_status_out_of_memory();
  s->data = data;
  s->nbytes = nbytes;
  s->device = device;
  s->release = release ? release : [](void*) {};
  s->context = context;
  *out = s;
  return nullptr;
}

tn_status storage_grow(Storage* s, size_t nbytes) {
  if (nbytes <= s->nbytes) return nullptr;
  if (s->release)
    return TN_ERROR(TN_RUNTIME_ERROR,
                    "cannot grow memory that Tenon did not allocate from %zu to %zu bytes; clone "
                    "the tensor first",
                    s->nbytes, nbytes);
  const tn_device_vtable* table = device_table(s->device.type);
  Storage larger;
  larger.device = s->device;
  larger.nbytes = nbytes;
  if (tn_status status = allocate(table, s->device, nbytes, &larger.data)) return status;
  if (s->nbytes && larger.data)
    if (tn_status status = device_copy(s->device, larger.data, s->device, s->data, s->nbytes)) {
      free_data(&larger);
      return status;
    }
  free_data(s);
  s->data = larger.data;
  s->nbytes = nbytes;
  return nullptr;
}

void storage_destroy(Storage* s) {
  if (s->release)
    s->release(s->context);
  else
    free_data(s);
  free_object(s, s->release ? 0 : s->tail);
}

// ---- the C functions, declared in the ABI's headers
// -----------------------------------------------

extern "C" {

TN_API void tn_storage_retain(tn_storage* storage) {
  storage_retain(core(storage));
}
TN_API void tn_storage_release(tn_storage* storage) {
  if (storage) storage_release(core(storage));
}
TN_API void* tn_storage_data(const tn_storage* storage) {
  return core(storage)->data;
}
TN_API size_t tn_storage_nbytes(const tn_storage* storage) {
  return core(storage)->nbytes;
}
TN_API tn_device tn_storage_device(const tn_storage* storage) {
  return core(storage)->device;
}
TN_API uint32_t tn_storage_use_count(const tn_storage* storage) {
  return static_cast<uint32_t>(core(storage)->references.load(std::memory_order_relaxed));
}

TN_API tn_status tn_memory_get_stats(int32_t device_type, tn_memory_stats* stats) {
  if (!(tn_device_flags(device_type) & TN_DEVICE_HOST))
    return TN_ERROR(TN_NOT_IMPLEMENTED, "no allocator statistics for device %s",
                    tn_device_name(device_type));
  const MemoryTotals totals = memory_totals();
  tn_memory_stats full = TN_INIT(tn_memory_stats);
  full.live_bytes = static_cast<uint64_t>(totals.data_bytes);
  full.live_blocks = static_cast<uint64_t>(totals.data_blocks);
  full.peak_bytes = static_cast<uint64_t>(totals.peak_bytes);
  full.reserved_bytes = static_cast<uint64_t>(totals.reserved_bytes);
  full.allocations = static_cast<uint64_t>(totals.data_allocations);
  full.size = stats->size;
  std::memcpy(stats, &full, std::min<size_t>(stats->size, sizeof full));
  return nullptr;
}

TN_API tn_status tn_memory_trim(int32_t device_type) {
  if (tn_device_flags(device_type) & TN_DEVICE_HOST) memory_trim();
  return nullptr;
}

}  // extern "C"

}  // namespace tenon
