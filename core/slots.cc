#include "core/slots.h"

#include <atomic>
#include <cstring>

#include "core/error.h"
#include "core/memory.h"
#include "core/tensor.h"

namespace tenon {
namespace {

constexpr uint32_t kMaxSlots = 64;
std::atomic<uint32_t> slot_count{0};
std::atomic<const tn_slot_type*> slot_types[kMaxSlots];

size_t table_bytes(uint32_t capacity) {
  return sizeof(SlotTable) + capacity * sizeof(void*);
}

}  // namespace

void slots_destroy(SlotTable* table) {
  for (uint32_t i = 0; i < table->capacity; ++i)
    if (table->values[i]) slot_types[i].load(std::memory_order_acquire)->destroy(table->values[i]);
  memory_free(table, table_bytes(table->capacity));
}

bool slots_resurrect(SlotTable* table, tn_tensor* tensor) {
  for (uint32_t i = 0; i < table->capacity; ++i) {
    if (!table->values[i]) continue;
    const tn_slot_type* type = slot_types[i].load(std::memory_order_acquire);
    if (TN_HAS(type, resurrect) && type->resurrect(table->values[i], tensor)) return true;
  }
  return false;
}

}  // namespace tenon

using namespace tenon;

tn_status tn_slot_register(const tn_slot_type* type, uint32_t* slot) {
  if (!TN_HAS(type, destroy)) return TN_ERROR(TN_INVALID_ARGUMENT, "a slot type needs destroy");
  uint32_t index = slot_count.load();
  do {
    if (index == kMaxSlots)
      return TN_ERROR(TN_RUNTIME_ERROR, "all %u extension slots are taken", kMaxSlots);
  } while (!slot_count.compare_exchange_weak(index, index + 1));
  slot_types[index].store(type, std::memory_order_release);
  *slot = index;
  return nullptr;
}

void* tn_tensor_slot(const tn_tensor* tensor, uint32_t slot) {
  const SlotTable* table = core(tensor)->slots;
  return table && slot < table->capacity ? table->values[slot] : nullptr;
}

tn_status tn_tensor_set_slot(tn_tensor* tensor, uint32_t slot, void* value) {
  Tensor* t = core(tensor);
  if (slot >= slot_count.load(std::memory_order_acquire))
    return TN_ERROR(TN_INDEX_ERROR, "slot %u was never registered", slot);
  if (!t->slots || slot >= t->slots->capacity) {
    if (!value) return nullptr;
    auto* table = static_cast<SlotTable*>(memory_allocate(table_bytes(slot + 1)));
    if (!table) return tn_status_out_of_memory();
    table->capacity = slot + 1;
    std::memset(table->values, 0, table->capacity * sizeof(void*));
    if (t->slots) {
      std::memcpy(table->values, t->slots->values, t->slots->capacity * sizeof(void*));
      memory_free(t->slots, table_bytes(t->slots->capacity));
    }
    t->slots = table;
  }
  void* old = t->slots->values[slot];
  t->slots->values[slot] = value;
  if (old) slot_types[slot].load(std::memory_order_acquire)->destroy(old);
  return nullptr;
}
