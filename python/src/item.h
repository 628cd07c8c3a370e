// item.h - elements as Python numbers: item, tolist, int(x), bool(x), len, iteration.
#pragma once
#include "ref.h"

namespace tenon_python {

extern const PyMethodDef item_methods[];
extern const PyType_Slot item_slots[];

// The only element as a Python number. Error: there is not exactly one.
PyObject* item(tn_tensor* tensor);

}  // namespace tenon_python
