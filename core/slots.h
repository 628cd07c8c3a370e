// Extension slots: one pointer per registrant and tensor. Most tensors that have any have one,
// which lies in the tensor itself; a table exists only where there are more. Readers need no lock
// while another registrant stores its first value.
#pragma once

#include <atomic>
#include <cstdint>

#include <tenon/tensor.h>

namespace tenon {

inline constexpr uint32_t kMaxSlots = 16;

struct SlotTable {
  std::atomic<void*> values[kMaxSlots] = {};
};

// What a tensor holds: nothing (0), one value, or a table. A value's low bits, which its alignment
// leaves free, say whose it is; later slots and values of less alignment need a table.
class Slots {
 public:
  constexpr Slots() = default;
  explicit Slots(SlotTable* table) : word_(reinterpret_cast<uintptr_t>(table)) {}
  static bool fits(uint32_t slot, void* value) {
    return slot < kSlotBits && (reinterpret_cast<uintptr_t>(value) & kSlotBits) == 0;
  }
  Slots(uint32_t slot, void* value) : word_(reinterpret_cast<uintptr_t>(value) | (slot + 1)) {}

  bool empty() const { return word_ == 0; }
  // Null where there is one value alone.
  SlotTable* table() const {
    return word_ & kSlotBits ? nullptr : reinterpret_cast<SlotTable*>(word_);
  }
  // Of the one value.
  uint32_t slot() const { return static_cast<uint32_t>(word_ & kSlotBits) - 1; }
  void* value() const { return reinterpret_cast<void*>(word_ & ~kSlotBits); }

 private:
  static constexpr uintptr_t kSlotBits = 7;
  uintptr_t word_ = 0;
};

// Calls destroy for every value and frees the table.
void slots_destroy(Slots slots);
// Asks those who can resurrect; true when one kept the tensor.
bool slots_resurrect(Slots slots, tn_tensor* tensor);

}  // namespace tenon
