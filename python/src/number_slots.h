// number_slots.h - Python's operators on tensors: x + y, 2 - x, x += y, x < y, -x, x @ y.
#pragma once
#include "ref.h"

namespace tenon_python {

extern const PyType_Slot number_slots[];

}  // namespace tenon_python
