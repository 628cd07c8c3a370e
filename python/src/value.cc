#include "value.h"

#include <string_view>

#include "constant.h"
#include "device.h"
#include "dtype.h"
#include "errors.h"
#include "object.h"
#include "tensor.h"

namespace tenon_python {
namespace {

tn_value tagged(tn_tag tag) {
  tn_value value{};
  value.tag = static_cast<uint16_t>(tag);
  return value;
}

// NumPy's scalars are told by the names of their base classes: this needs neither its headers nor
// its import.
bool is_numpy(PyObject* object, const char* base) {
  PyTypeObject* type = Py_TYPE(object);
  if (type->tp_mro == nullptr) return false;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(type->tp_mro); ++i) {
    auto* ancestor = reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(type->tp_mro, i));
    if (std::string_view(ancestor->tp_name) == base) return true;
  }
  return false;
}
bool is_numpy_bool(PyObject* object) {
  const std::string_view name = Py_TYPE(object)->tp_name;
  return name == "numpy.bool" || name == "numpy.bool_";
}

bool clear_unless(bool ok) {
  if (!ok) PyErr_Clear();
  return ok;
}

template <class T, class F>
PyObject* list_from(const T* data, uint32_t length, F convert) {
  Ref list(PyList_New(length));
  for (uint32_t i = 0; list && i < length; ++i) {
    PyObject* item = convert(data[i]);
    if (item == nullptr) return nullptr;
    PyList_SET_ITEM(list.get(), i, item);
  }
  return list.release();
}

PyObject* tuple_from(const tn_value& value) {
  Ref tuple(PyTuple_New(value.len));
  for (uint32_t i = 0; tuple && i < value.len; ++i) {
    tn_tensor* tensor = value.u.tensors[i];
    PyObject* item = tensor == nullptr ? Py_NewRef(Py_None) : wrap_new(tn_tensor_retain(tensor));
    if (item == nullptr) return nullptr;
    PyTuple_SET_ITEM(tuple.get(), i, item);
  }
  return tuple.release();
}

PyObject* convert(const tn_value& value) {
  switch (value.tag) {
    case TN_TAG_NONE:
      Py_RETURN_NONE;
    case TN_TAG_TENSOR:
      return wrap_new(tn_tensor_retain(value.u.tensor));
    case TN_TAG_INT:
      return PyLong_FromLongLong(value.u.i);
    case TN_TAG_FLOAT:
      return PyFloat_FromDouble(value.u.f);
    case TN_TAG_BOOL:
      return PyBool_FromLong(value.u.i != 0);
    case TN_TAG_COMPLEX:
      return PyComplex_FromDoubles(value.u.floats[0], value.u.floats[1]);
    case TN_TAG_STRING:
      return text_from(value);
    case TN_TAG_DTYPE:
      return Py_XNewRef(dtype_object(static_cast<int>(value.u.i)));
    case TN_TAG_DEVICE:
      return device_object(value.u.device);
    case TN_TAG_LAYOUT:
    case TN_TAG_MEMORY_FORMAT:
      return Py_XNewRef(constant_object(static_cast<tn_tag>(value.tag), value.u.i));
    case TN_TAG_INTS:
      return list_from(value.u.ints, value.len, PyLong_FromLongLong);
    case TN_TAG_FLOATS:
      return list_from(value.u.floats, value.len, PyFloat_FromDouble);
    case TN_TAG_BOOLS:
      return list_from(value.u.bools, value.len, [](uint8_t b) { return PyBool_FromLong(b); });
    case TN_TAG_TENSORS:
      return tuple_from(value);
    case TN_TAG_OBJECT:
      tn_object_retain(value.u.object);
      return wrap_object(value.u.object);
    default:
      break;
  }
  PyErr_Format(PyExc_RuntimeError, "an operator returned a value of unknown tag %d", value.tag);
  return nullptr;
}

}  // namespace

bool is_number(PyObject* object) {
  return PyFloat_Check(object) || PyLong_Check(object) || PyComplex_Check(object) ||
         is_numpy(object, "numpy.number") || is_numpy_bool(object);
}

bool number_from(PyObject* object, Number* out) {
  if (PyFloat_Check(object)) {
    out->value = tagged(TN_TAG_FLOAT);
    out->value.u.f = PyFloat_AS_DOUBLE(object);
    return true;
  }
  if (PyBool_Check(object) || is_numpy_bool(object)) {
    out->value = tagged(TN_TAG_BOOL);
    out->value.u.i = PyObject_IsTrue(object) == 1;
    return true;
  }
  if (PyLong_Check(object) || is_numpy(object, "numpy.integer")) {
    out->value = tagged(TN_TAG_INT);
    return int_from(object, &out->value.u.i);
  }
  if (PyComplex_Check(object) || is_numpy(object, "numpy.complexfloating")) {
    const Py_complex number = PyComplex_AsCComplex(object);
    out->complex[0] = number.real;
    out->complex[1] = number.imag;
    out->value = tagged(TN_TAG_COMPLEX);
    out->value.u.floats = out->complex;
    return clear_unless(PyErr_Occurred() == nullptr);
  }
  if (!is_numpy(object, "numpy.floating")) return false;
  out->value = tagged(TN_TAG_FLOAT);
  return float_from(object, &out->value.u.f);
}

bool int_from(PyObject* object, int64_t* out) {
  if (PyLong_Check(object)) {
    if (PyBool_Check(object)) return false;
    int overflow = 0;
    *out = PyLong_AsLongLongAndOverflow(object, &overflow);
    return overflow == 0;
  }
  if (!PyIndex_Check(object) || is_tensor(object)) return false;
  Ref index(PyNumber_Index(object));
  return clear_unless(static_cast<bool>(index)) && int_from(index.get(), out);
}

bool float_from(PyObject* object, double* out) {
  if (PyFloat_Check(object)) {
    *out = PyFloat_AS_DOUBLE(object);
    return true;
  }
  if (!PyLong_Check(object) && !is_numpy(object, "numpy.integer") &&
      !is_numpy(object, "numpy.floating")) {
    return false;
  }
  *out = PyFloat_AsDouble(object);
  return clear_unless(PyErr_Occurred() == nullptr);
}

bool bool_from(PyObject* object, bool* out) {
  if (!PyBool_Check(object) && !is_numpy_bool(object)) return false;
  *out = PyObject_IsTrue(object) == 1;
  return true;
}

PyObject* python_from(tn_value* owned) {
  if (owned->tag == TN_TAG_TENSOR) {  // the common case hands its reference over
    tn_tensor* tensor = owned->u.tensor;
    owned->tag = TN_TAG_NONE;
    return wrap_new(tensor);
  }
  PyObject* object = convert(*owned);
  tn_value_drop(owned);
  return object;
}

}  // namespace tenon_python
