// Extension slots: one pointer per registrant and tensor, in an array that exists only where it is
// used.
#pragma once

#include <tenon/tensor.h>

namespace tenon {

struct SlotTable {
  uint32_t capacity;
  void* values[];
};

// Calls destroy for every value and frees the table.
void slots_destroy(SlotTable* table);
// Asks those who can resurrect; true when one kept the tensor.
bool slots_resurrect(SlotTable* table, tn_tensor* tensor);

}  // namespace tenon
