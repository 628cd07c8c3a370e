// hooks.h - Python functions that see gradients on their way.
#pragma once
#include "ref.h"

namespace tenon_python {

// The method Tensor.register_hook(fn).
PyObject* register_hook(PyObject* self, PyObject* function);

bool add_hook_handle(PyObject* module);

}  // namespace tenon_python
