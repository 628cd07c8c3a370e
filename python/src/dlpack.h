// dlpack.h - exchange of tensors with other libraries (dmlc.github.io/dlpack), versioned and legacy
// capsules.
#pragma once
#include "ref.h"

namespace tenon_python {

// from_dlpack(x): x has __dlpack__, or is a capsule. Shares the memory.
PyObject* from_dlpack(PyObject* module, PyObject* source);

extern const PyMethodDef dlpack_methods[];

}  // namespace tenon_python
