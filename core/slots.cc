#include "core/slots.h"

#include <new>

#include "core/error.h"
#include "core/locks.h"
#include "core/memory.h"
#include "core/tensor.h"

namespace tenon {
namespace {

std::atomic<uint32_t> slot_count{0};
std::atomic<const tn_slot_type*> slot_types[kMaxSlots];

const tn_slot_type* type_of(uint32_t slot) {
  return slot_types[slot].load(std::memory_order_acquire);
}

// Calls visit(type, value) for every value; true as soon as one says so.
template <class Visit>
bool any_value(Slots slots, Visit visit) {
  if (slots.empty()) return false;
  const SlotTable* table = slots.table();
  if (!table) return visit(type_of(slots.slot()), slots.value());
  for (uint32_t i = 0; i < slot_count.load(std::memory_order_acquire); ++i)
    if (void* value = table->values[i].load(std::memory_order_acquire))
      if (visit(type_of(i), value)) return true;
  return false;
}

// The tensor's table, made where there is none. Null without memory.
SlotTable* require_table(Tensor* t) {
  Slots slots = t->slots.load(std::memory_order_acquire);
  if (!slots.empty() && slots.table()) return slots.table();
  void* block = memory_allocate(sizeof(SlotTable));
  if (!block) return nullptr;
  auto* made = new (block) SlotTable;
  for (;;) {
    if (!slots.empty() && slots.table()) break;  // another thread was faster
    const Slots alone = slots;
    if (!alone.empty()) made->values[alone.slot()].store(alone.value(), std::memory_order_relaxed);
    if (t->slots.compare_exchange_weak(slots, Slots(made), std::memory_order_acq_rel)) return made;
    if (!alone.empty()) made->values[alone.slot()].store(nullptr, std::memory_order_relaxed);
  }
  memory_free(made, sizeof(SlotTable));
  return slots.table();
}

// Puts the value into the tensor itself; false when that has no room for it. `old` is what it
// replaces.
bool store_alone(Tensor* t, uint32_t slot, void* value, void** old) {
  Slots slots = t->slots.load(std::memory_order_acquire);
  do {
    if (!slots.empty() && (slots.table() || slots.slot() != slot)) return false;
    *old = slots.value();
  } while (!t->slots.compare_exchange_weak(slots, value ? Slots(slot, value) : Slots(),
                                           std::memory_order_acq_rel));
  return true;
}

}  // namespace

void slots_destroy(Slots slots) {
  any_value(slots,
            [](const tn_slot_type* type, void* value) { return type->destroy(value), false; });
  if (SlotTable* table = slots.table()) {
    table->~SlotTable();
    memory_free(table, sizeof(SlotTable));
  }
}

bool slots_resurrect(Slots slots, tn_tensor* tensor) {
  return any_value(slots, [&](const tn_slot_type* type, void* value) {
    return TN_HAS(type, resurrect) && type->resurrect(value, tensor);
  });
}

// ---- the C functions, declared in the ABI's headers
// -----------------------------------------------

extern "C" {

TN_API tn_status tn_slot_register(const tn_slot_type* type, uint32_t* slot) {
  if (!TN_HAS(type, destroy)) return TN_ERROR(TN_INVALID_ARGUMENT, "a slot type needs destroy");
  const Locked lock(Lock::kSlots);
  const uint32_t index = slot_count.load();
  if (index == kMaxSlots)
    return TN_ERROR(TN_RUNTIME_ERROR, "all %u extension slots are taken", kMaxSlots);
  slot_types[index].store(type, std::memory_order_release);
  slot_count.store(index + 1, std::memory_order_release);
  *slot = index;
  return nullptr;
}

TN_API void* tn_tensor_slot(const tn_tensor* tensor, uint32_t slot) {
  const Slots slots = core(tensor)->slots.load(std::memory_order_acquire);
  if (slots.empty()) return nullptr;
  const SlotTable* table = slots.table();
  if (!table) return slots.slot() == slot ? slots.value() : nullptr;
  return slot < kMaxSlots ? table->values[slot].load(std::memory_order_acquire) : nullptr;
}

TN_API tn_status tn_tensor_set_slot(tn_tensor* tensor, uint32_t slot, void* value) {
  if (slot >= kMaxSlots || !type_of(slot))
    return TN_ERROR(TN_INDEX_ERROR, "slot %u was never registered", slot);
  Tensor* t = core(tensor);
  void* old = nullptr;
  if (!Slots::fits(slot, value) || !store_alone(t, slot, value, &old)) {
    if (!value && !tn_tensor_slot(tensor, slot)) return nullptr;
    SlotTable* table = require_table(t);
    if (!table) return tn_status_out_of_memory();
    old = table->values[slot].exchange(value, std::memory_order_acq_rel);
  }
  if (old) type_of(slot)->destroy(old);
  return nullptr;
}

}  // extern "C"

}  // namespace tenon
