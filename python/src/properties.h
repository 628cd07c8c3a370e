// properties.h - what can be asked of a tensor without calling an operator: shape, strides, dtype,
// device, memory.
#pragma once
#include "ref.h"

namespace tenon_python {

extern const PyMethodDef property_methods[];
extern const PyGetSetDef property_getset[];

// A tuple of ints.
PyObject* int_tuple(const int64_t* values, Py_ssize_t length);

}  // namespace tenon_python
