#include "errors.h"

#include <cstring>

#include "ref.h"

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
    PyObject* type = exception_for(tn_status_code(status));
    const char* message = tn_status_message(status);
    const bool is_errno = std::strcmp(tn_status_domain(status), "errno") == 0;
    if (type == PyExc_OSError && is_errno) {
      // OSError chooses among its own kinds by the number.
      Ref arguments(
          Py_BuildValue("(Ls)", static_cast<long long>(tn_status_native_code(status)), message));
      if (arguments) PyErr_SetObject(type, arguments.get());
    } else {
      PyErr_SetString(type, message);
    }
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
