// Extension slots: one pointer per registrant and tensor, in a table that exists only where it is
// used. The table has room for all slots from the start, so readers need no lock while another
// registrant stores its first value.
#pragma once

#include <atomic>

#include <tenon/tensor.h>

namespace tenon {

inline constexpr uint32_t kMaxSlots = 16;

struct SlotTable {
  std::atomic<void*> values[kMaxSlots] = {};
};

// Calls destroy for every value and frees the table.
void slots_destroy(SlotTable* table);
// Asks those who can resurrect; true when one kept the tensor.
bool slots_resurrect(SlotTable* table, tn_tensor* tensor);

}  // namespace tenon
