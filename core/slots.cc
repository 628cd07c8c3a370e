#include "core/slots.h"

#include <mutex>
#include <new>

#include "core/error.h"
#include "core/memory.h"
#include "core/tensor.h"

namespace tenon {
namespace {

std::atomic<uint32_t> slot_count{0};
std::atomic<const tn_slot_type*> slot_types[kMaxSlots];

const tn_slot_type* type_of(uint32_t slot) {
  return slot_types[slot].load(std::memory_order_acquire);
}

// The tensor's table, made at the first use. Null without memory.
SlotTable* require_table(Tensor* t) {
  SlotTable* table = t->slots.load(std::memory_order_acquire);
  if (table) return table;
  void* block = memory_allocate(sizeof(SlotTable));
  if (!block) return nullptr;
  auto* made = new (block) SlotTable;
  if (t->slots.compare_exchange_strong(table, made, std::memory_order_acq_rel)) return made;
  memory_free(made, sizeof(SlotTable));  // another thread was faster
  return table;
}

}  // namespace

void slots_destroy(SlotTable* table) {
  for (uint32_t i = 0; i < slot_count.load(std::memory_order_acquire); ++i)
    if (void* value = table->values[i].load(std::memory_order_acquire)) type_of(i)->destroy(value);
  table->~SlotTable();
  memory_free(table, sizeof(SlotTable));
}

bool slots_resurrect(SlotTable* table, tn_tensor* tensor) {
  for (uint32_t i = 0; i < slot_count.load(std::memory_order_acquire); ++i) {
    void* value = table->values[i].load(std::memory_order_acquire);
    const tn_slot_type* type = type_of(i);
    if (value && TN_HAS(type, resurrect) && type->resurrect(value, tensor)) return true;
  }
  return false;
}

// ---- the C functions, declared in the ABI's headers
// -----------------------------------------------

extern "C" {

TN_API tn_status tn_slot_register(const tn_slot_type* type, uint32_t* slot) {
  if (!TN_HAS(type, destroy)) return TN_ERROR(TN_INVALID_ARGUMENT, "a slot type needs destroy");
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  const uint32_t index = slot_count.load();
  if (index == kMaxSlots)
    return TN_ERROR(TN_RUNTIME_ERROR, "all %u extension slots are taken", kMaxSlots);
  slot_types[index].store(type, std::memory_order_release);
  slot_count.store(index + 1, std::memory_order_release);
  *slot = index;
  return nullptr;
}

TN_API void* tn_tensor_slot(const tn_tensor* tensor, uint32_t slot) {
  const SlotTable* table = core(tensor)->slots.load(std::memory_order_acquire);
  return table && slot < kMaxSlots ? table->values[slot].load(std::memory_order_acquire) : nullptr;
}

TN_API tn_status tn_tensor_set_slot(tn_tensor* tensor, uint32_t slot, void* value) {
  if (slot >= kMaxSlots || !type_of(slot))
    return TN_ERROR(TN_INDEX_ERROR, "slot %u was never registered", slot);
  Tensor* t = core(tensor);
  if (!value && !t->slots.load(std::memory_order_acquire)) return nullptr;
  SlotTable* table = require_table(t);
  if (!table) return tn_status_out_of_memory();
  if (void* old = table->values[slot].exchange(value, std::memory_order_acq_rel))
    type_of(slot)->destroy(old);
  return nullptr;
}

}  // extern "C"

}  // namespace tenon
