#include "errors.h"

namespace tenon_python {
namespace {

PyObject* exception_for(tn_code code) {
  switch (code) {
    case TN_INVALID_ARGUMENT:
      return PyExc_ValueError;
    case TN_TYPE_ERROR:
      return PyExc_TypeError;
    case TN_INDEX_ERROR:
      return PyExc_IndexError;
    case TN_NOT_IMPLEMENTED:
      return PyExc_NotImplementedError;
    case TN_OUT_OF_MEMORY:
      return PyExc_MemoryError;
    case TN_IO_ERROR:
      return PyExc_OSError;
    default:
      return PyExc_RuntimeError;
  }
}

}  // namespace

void raise(tn_status status) {
  if (PyErr_Occurred() == nullptr) {
    PyErr_SetString(exception_for(tn_status_code(status)), tn_status_message(status));
  }
  tn_status_release(status);
}

tn_status status_of_exception(const char* where) {
  PyObject* type = PyErr_Occurred();
  const char* name = type != nullptr ? reinterpret_cast<PyTypeObject*>(type)->tp_name : "nothing";
  return tn_status_make(TN_RUNTIME_ERROR, nullptr, 0, __FILE__, __LINE__, "%s raised %s", where,
                        name);
}

}  // namespace tenon_python
