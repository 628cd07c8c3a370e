#include "item.h"

#include <cstring>
#include <vector>

#include "dtype.h"
#include "errors.h"
#include "guard.h"
#include "tensor.h"
#include "value.h"

namespace tenon_python {
namespace {

template <class T>
T load(const char* data) {
  T value;
  std::memcpy(&value, data, sizeof value);
  return value;
}

PyObject* element(tn_dtype dtype, const char* data) {
  switch (dtype) {
    case TN_BOOL:
      return PyBool_FromLong(load<uint8_t>(data));
    case TN_U8:
      return PyLong_FromLong(load<uint8_t>(data));
    case TN_I8:
      return PyLong_FromLong(load<int8_t>(data));
    case TN_I16:
      return PyLong_FromLong(load<int16_t>(data));
    case TN_I32:
      return PyLong_FromLong(load<int32_t>(data));
    case TN_I64:
      return PyLong_FromLongLong(load<int64_t>(data));
    case TN_U16:
      return PyLong_FromLong(load<uint16_t>(data));
    case TN_U32:
      return PyLong_FromUnsignedLong(load<uint32_t>(data));
    case TN_U64:
      return PyLong_FromUnsignedLongLong(load<uint64_t>(data));
    case TN_F32:
      return PyFloat_FromDouble(load<float>(data));
    case TN_F64:
      return PyFloat_FromDouble(load<double>(data));
    case TN_C64:
      return PyComplex_FromDoubles(load<float>(data), load<float>(data + sizeof(float)));
    case TN_C128:
      return PyComplex_FromDoubles(load<double>(data), load<double>(data + sizeof(double)));
    default:
      PyErr_Format(PyExc_TypeError, "Python has no numbers for dtype %s", tn_dtype_name(dtype));
      return nullptr;
  }
}

PyObject* nested(const tn_dltensor& dl, tn_dtype dtype, int32_t dim, const char** data) {
  if (dim == dl.ndim) {
    PyObject* number = element(dtype, *data);
    *data += tn_dtype_size(dtype);
    return number;
  }
  Ref list(PyList_New(static_cast<Py_ssize_t>(dl.shape[dim])));
  for (int64_t i = 0; list && i < dl.shape[dim]; ++i) {
    PyObject* entry = nested(dl, dtype, dim + 1, data);
    if (entry == nullptr) return nullptr;
    PyList_SET_ITEM(list.get(), i, entry);
  }
  return list.release();
}

// The narrow floats become f32, which Python's float holds exactly.
bool needs_widening(int dtype) {
  return dtype == TN_F16 || dtype == TN_BF16 || dtype == TN_F8E4M3 || dtype == TN_F8E5M2;
}

PyObject* tolist(PyObject* self, PyObject*) {
  TensorRef tensor(tn_tensor_retain(tensor_of(self)));
  if (needs_widening(tensor->dtype)) {
    TensorRef source;
    if (failed(tn_tensor_shallow(tensor.get(), receive(source)))) return nullptr;
    if (failed(tn_tensor_cast(source.get(), TN_F32, receive(tensor)))) return nullptr;
  }
  const auto dtype = static_cast<tn_dtype>(tensor->dtype);
  std::vector<char> bytes(static_cast<std::size_t>(tensor->numel) * tn_dtype_size(dtype));
  if (failed(tn_tensor_read(tensor.get(), bytes.data(), bytes.size()))) return nullptr;
  const char* data = bytes.data();
  return nested(tensor->dl, dtype, 0, &data);
}

PyObject* item_method(PyObject* self, PyObject*) {
  return item(tensor_of(self));
}

int truth(PyObject* self) {
  const tn_tensor* tensor = tensor_of(self);
  if (tensor->numel != 1) {
    PyErr_Format(PyExc_RuntimeError,
                 "the truth of a tensor with %lld elements is ambiguous; use x.any() or x.all()",
                 static_cast<long long>(tensor->numel));
    return -1;
  }
  Ref number(item(tensor_of(self)));
  return number ? PyObject_IsTrue(number.get()) : -1;
}

PyObject* to_int(PyObject* self) {
  Ref number(item(tensor_of(self)));
  return number ? PyNumber_Long(number.get()) : nullptr;
}

PyObject* to_float(PyObject* self) {
  Ref number(item(tensor_of(self)));
  return number ? PyNumber_Float(number.get()) : nullptr;
}

PyObject* to_complex(PyObject* self, PyObject*) {
  Ref number(item(tensor_of(self)));
  if (!number) return nullptr;
  const Py_complex parts = PyComplex_AsCComplex(number.get());
  return PyErr_Occurred() != nullptr ? nullptr : PyComplex_FromCComplex(parts);
}

PyObject* to_index(PyObject* self) {
  const tn_tensor* tensor = tensor_of(self);
  const DtypeInfo& info = dtype_info(tensor->dtype);
  if (tensor->numel != 1 || info.is_floating_point || info.is_complex) {
    PyErr_SetString(PyExc_TypeError,
                    "only a tensor of one element and an integer dtype can be used as an index");
    return nullptr;
  }
  return to_int(self);
}

Py_ssize_t length(PyObject* self) {
  const tn_dltensor& dl = tensor_of(self)->dl;
  if (dl.ndim == 0) {
    PyErr_SetString(PyExc_TypeError, "a tensor of 0 dimensions has no len()");
    return -1;
  }
  return static_cast<Py_ssize_t>(dl.shape[0]);
}

PyObject* iterate(PyObject* self) {
  if (tensor_of(self)->dl.ndim == 0) {
    PyErr_SetString(PyExc_TypeError, "a tensor of 0 dimensions cannot be iterated over");
    return nullptr;
  }
  return PySeqIter_New(self);
}

}  // namespace

PyObject* item(tn_tensor* tensor) {
  if (tensor->dtype == TN_U64 && tensor->numel == 1) {  // the core's ints end at 2^63
    char bytes[sizeof(uint64_t)];
    if (failed(tn_tensor_read(tensor, bytes, sizeof bytes))) return nullptr;
    return element(TN_U64, bytes);
  }
  OwnedValue value;
  if (failed(tn_tensor_item(tensor, &value))) return nullptr;
  return python_from(&value);
}

const PyMethodDef item_methods[] = {
    {"item", guarded<item_method>, METH_NOARGS, "The only element as a Python number."},
    {"tolist", guarded<tolist>, METH_NOARGS,
     "The elements as nested lists; a number for 0 dimensions."},
    {"__complex__", guarded<to_complex>, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

const PyType_Slot item_slots[] = {
    {Py_nb_bool, reinterpret_cast<void*>(guarded<truth>)},
    {Py_nb_int, reinterpret_cast<void*>(guarded<to_int>)},
    {Py_nb_float, reinterpret_cast<void*>(guarded<to_float>)},
    {Py_nb_index, reinterpret_cast<void*>(guarded<to_index>)},
    {Py_mp_length, reinterpret_cast<void*>(guarded<length>)},
    {Py_sq_length, reinterpret_cast<void*>(guarded<length>)},
    {Py_tp_iter, reinterpret_cast<void*>(guarded<iterate>)},
    {0, nullptr},
};

}  // namespace tenon_python
