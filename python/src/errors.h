// errors.h - from the core's statuses to Python's exceptions.
#pragma once
#include "ref.h"

namespace tenon_python {

// Sets the exception that the status's code stands for, with its whole message, and releases it.
// When a Python exception is already set (a hook raised it and the core passed the failure on),
// that one stays.
void raise(tn_status status);

inline bool failed(tn_status status) {
  if (__builtin_expect(status == nullptr, 1)) return false;
  raise(status);
  return true;
}

// The other way: the exception that is set, as a status; it stays set, so that `raise` finds it
// again.
tn_status status_of_exception(const char* where);

// The name of an object's type, for messages: "Tensor", "int", "numpy.ndarray".
inline const char* type_name(PyObject* object) {
  return Py_TYPE(object)->tp_name;
}

}  // namespace tenon_python
