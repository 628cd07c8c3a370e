#include "core/storage.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "core/device.h"
#include "core/error.h"
#include "core/memory.h"

namespace tenon {
namespace {

Storage* storage_object() {
  void* block = memory_allocate(sizeof(Storage));
  return block ? new (block) Storage : nullptr;
}

tn_status no_memory(size_t nbytes, tn_device device) {
  return TN_ERROR(TN_OUT_OF_MEMORY, "no memory for %zu bytes on %s", nbytes,
                  tn_device_name(device.type));
}

// Null data with success means: a device without data.
tn_status allocate(tn_device device, size_t nbytes, void** out) {
  const tn_device_vtable* table = device_table(device.type);
  if (__builtin_expect(!table, 0)) return device_missing(device.type);
  if (table->flags & TN_DEVICE_NO_DATA) return *out = nullptr, nullptr;
  if (table->allocate) return table->allocate(table->state, device.index, nbytes, out);
  *out = memory_allocate_data(nbytes);
  return *out ? nullptr : no_memory(nbytes, device);
}

void free_block(tn_device device, void* data, size_t nbytes) {
  if (!data) return;
  const tn_device_vtable* table = device_table(device.type);
  if (table->allocate)
    table->free(table->state, device.index, data, nbytes);
  else
    memory_free_data(data, nbytes);
}

}  // namespace

tn_status storage_create(tn_device device, size_t nbytes, Storage** out) {
  Storage* s = storage_object();
  if (!s) return tn_status_out_of_memory();
  if (tn_status status = allocate(device, nbytes, &s->data)) {
    memory_free(s, sizeof(Storage));
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
  void* data = nullptr;
  if (tn_status status = allocate(s->device, nbytes, &data)) return status;
  if (s->nbytes && data)
    if (tn_status status = device_copy(s->device, data, s->device, s->data, s->nbytes)) {
      free_block(s->device, data, nbytes);
      return status;
    }
  free_block(s->device, s->data, s->nbytes);
  s->data = data;
  s->nbytes = nbytes;
  return nullptr;
}

void storage_destroy(Storage* s) {
  if (s->release)
    s->release(s->context);
  else
    free_block(s->device, s->data, s->nbytes);
  s->~Storage();
  memory_free(s, sizeof(Storage));
}

}  // namespace tenon

using namespace tenon;

void tn_storage_retain(tn_storage* storage) {
  storage_retain(core(storage));
}
void tn_storage_release(tn_storage* storage) {
  if (storage) storage_release(core(storage));
}
void* tn_storage_data(const tn_storage* storage) {
  return core(storage)->data;
}
size_t tn_storage_nbytes(const tn_storage* storage) {
  return core(storage)->nbytes;
}
tn_device tn_storage_device(const tn_storage* storage) {
  return core(storage)->device;
}
uint32_t tn_storage_use_count(const tn_storage* storage) {
  return static_cast<uint32_t>(core(storage)->references.load(std::memory_order_relaxed));
}

tn_status tn_memory_get_stats(int32_t device_type, tn_memory_stats* stats) {
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

tn_status tn_memory_trim(int32_t device_type) {
  if (tn_device_flags(device_type) & TN_DEVICE_HOST) memory_trim();
  return nullptr;
}
