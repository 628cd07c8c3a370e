// index.h - x[...] and x[...] = v.
//
// Ints, slices, None and Ellipsis become the views select, slice and unsqueeze, so that gradients
// and in-place writes need nothing of their own. What is left (tensors, lists, arrays, bools) goes
// to index and index_put_ where the registry has them.
#pragma once
#include "ref.h"

namespace tenon_python {

extern const PyType_Slot index_slots[];

}  // namespace tenon_python
