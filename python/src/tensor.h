// tensor.h - the Python object that stands for a tensor.
//
// It owns one reference to its tn_tensor and has no other state. Identity: results of operators are
// new tensors and get a new object without further ado. Where the same tensor can come back a
// second time (gradients, tensors given to hooks, objects of subclasses), the object is entered in
// the tensor's extension slot "python" for as long as it lives, and whoever asks gets that object
// again. The slot borrows: it never keeps a Python object alive.
#pragma once
#include "ref.h"

namespace tenon_python {

struct TensorObject {
  PyObject_HEAD tn_tensor* tensor;
  PyObject* weak_references;
  bool registered;  // the slot of `tensor` points here
};

extern PyTypeObject* tensor_type;

inline bool is_tensor(PyObject* object) {
  return Py_IS_TYPE(object, tensor_type) || PyType_IsSubtype(Py_TYPE(object), tensor_type);
}
inline tn_tensor* tensor_of(PyObject* object) {
  return reinterpret_cast<TensorObject*>(object)->tensor;
}

// All three take over the reference, also when they fail (null, with an exception set).
PyObject* wrap_new(tn_tensor* owned);  // a tensor that no Python object stands for
PyObject* wrap_shared(
    tn_tensor* owned);  // the object that stands for it, or a new one that is remembered
PyObject* wrap_as(PyTypeObject* subclass, tn_tensor* owned);

// Makes this object the one that wrap_shared finds, before its tensor goes where it can come back
// from.
bool remember(PyObject* tensor);

bool add_tensor(PyObject* module);

}  // namespace tenon_python
