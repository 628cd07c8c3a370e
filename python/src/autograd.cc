#include "autograd.h"

#include "autograd_interface.h"
#include "errors.h"
#include "guard.h"
#include "hooks.h"
#include "tensor.h"

namespace tenon_python {
namespace {

const tn_autograd* table = nullptr;

// A tensor on which a layer has work may have history; one without has none, whatever plugins
// exist.
bool may_have_history(const tn_tensor* tensor) {
  return tensor->layers != 0 || (tensor->flags & TN_TENSOR_TRACKED) != 0;
}
const tn_autograd* table_for(const tn_tensor* tensor) {
  return may_have_history(tensor) ? autograd_interface() : loaded_autograd();
}

PyObject* get_requires_grad(PyObject* self, void*) {
  return PyBool_FromLong(requires_grad(tensor_of(self)));
}

int set_requires_grad_attribute(PyObject* self, PyObject* value, void*) {
  if (value == nullptr || !PyBool_Check(value)) {
    PyErr_SetString(PyExc_TypeError, "requires_grad must be True or False");
    return -1;
  }
  return set_requires_grad(tensor_of(self), value == Py_True) ? 0 : -1;
}

PyObject* requires_grad_(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"requires_grad", nullptr};
  int on = 1;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|p:requires_grad_", const_cast<char**>(names),
                                   &on)) {
    return nullptr;
  }
  return set_requires_grad(tensor_of(self), on != 0) ? Py_NewRef(self) : nullptr;
}

PyObject* get_grad(PyObject* self, void*) {
  const tn_autograd* autograd = table_for(tensor_of(self));
  if (autograd == nullptr) {
    if (PyErr_Occurred() != nullptr) return nullptr;
    Py_RETURN_NONE;
  }
  tn_tensor* grad = autograd->grad(tensor_of(self));
  if (grad == nullptr) Py_RETURN_NONE;
  return wrap_shared(tn_tensor_retain(grad));
}

int set_grad(PyObject* self, PyObject* value, void*) {
  const bool clears = value == nullptr || value == Py_None;
  if (!clears && !is_tensor(value)) {
    PyErr_Format(PyExc_TypeError, "grad must be a Tensor or None, not %s", type_name(value));
    return -1;
  }
  if (clears && loaded_autograd() == nullptr) return 0;
  const tn_autograd* autograd = autograd_interface();
  if (autograd == nullptr || (!clears && !remember(value))) return -1;
  tn_tensor* grad = clears ? nullptr : tensor_of(value);
  return failed(autograd->set_grad(tensor_of(self), grad)) ? -1 : 0;
}

PyObject* get_is_leaf(PyObject* self, void*) {
  const tn_autograd* autograd = table_for(tensor_of(self));
  if (autograd == nullptr && PyErr_Occurred() != nullptr) return nullptr;
  return PyBool_FromLong(autograd == nullptr || autograd->is_leaf(tensor_of(self)) != 0);
}

PyObject* get_grad_fn(PyObject* self, void*) {
  const tn_autograd* autograd = table_for(tensor_of(self));
  if (autograd == nullptr && PyErr_Occurred() != nullptr) return nullptr;
  const char* name = autograd != nullptr ? autograd->grad_fn_name(tensor_of(self)) : nullptr;
  if (name == nullptr) Py_RETURN_NONE;
  return PyUnicode_FromString(name);
}

PyObject* get_data(PyObject* self, void*) {
  TensorRef data;
  if (failed(tn_tensor_shallow(tensor_of(self), receive(data)))) return nullptr;
  return wrap_new(data.release());
}

int set_data(PyObject* self, PyObject* value, void*) {
  if (value == nullptr || !is_tensor(value)) {
    PyErr_SetString(PyExc_TypeError, "data must be a Tensor");
    return -1;
  }
  return failed(tn_tensor_set_data(tensor_of(self), tensor_of(value))) ? -1 : 0;
}

PyObject* retain_grad(PyObject* self, PyObject*) {
  const tn_autograd* autograd = autograd_interface();
  if (autograd == nullptr || failed(autograd->retain_grad(tensor_of(self)))) return nullptr;
  Py_RETURN_NONE;
}

// A new object of a class derived from Tensor, over the same memory and with the same version
// counter.
PyObject* make_subclass(PyObject*, PyObject* args) {
  PyTypeObject* subclass = nullptr;
  PyObject* data = nullptr;
  int on = 0;
  if (!PyArg_ParseTuple(args, "O!O|p:_make_subclass", &PyType_Type, &subclass, &data, &on)) {
    return nullptr;
  }
  if (!PyType_IsSubtype(subclass, tensor_type) || !is_tensor(data)) {
    PyErr_SetString(PyExc_TypeError,
                    "_make_subclass(cls, data) takes a class derived from Tensor and a Tensor");
    return nullptr;
  }
  TensorRef tensor;
  if (failed(tn_tensor_shallow(tensor_of(data), receive(tensor)))) return nullptr;
  if (on != 0 && !set_requires_grad(tensor.get(), true)) return nullptr;
  return wrap_as(subclass, tensor.release());
}

}  // namespace

const tn_autograd* loaded_autograd() {
  return table;
}

const tn_autograd* autograd_interface() {
  if (table == nullptr) {
    const void* found = nullptr;
    if (failed(tn_get_interface(TN_AUTOGRAD_INTERFACE, 1, &found))) return nullptr;
    table = static_cast<const tn_autograd*>(found);
  }
  return table;
}

bool requires_grad(tn_tensor* tensor) {
  const tn_autograd* autograd = table_for(tensor);
  if (autograd == nullptr) {
    PyErr_Clear();  // without the plugin nothing requires gradients
    return false;
  }
  return autograd->requires_grad(tensor) != 0;
}

bool set_requires_grad(tn_tensor* tensor, bool on) {
  if (!on && loaded_autograd() == nullptr) return true;
  const tn_autograd* autograd = autograd_interface();
  return autograd != nullptr && !failed(autograd->set_requires_grad(tensor, on));
}

const PyMethodDef autograd_methods[] = {
    {"requires_grad_", as_method(guarded<requires_grad_>), METH_VARARGS | METH_KEYWORDS,
     "requires_grad_(requires_grad=True): sets requires_grad and returns the tensor."},
    {"retain_grad", guarded<retain_grad>, METH_NOARGS,
     "Keeps the gradient of a tensor that is no leaf."},
    {"register_hook", guarded<register_hook>, METH_O,
     "Calls a function with the gradient whenever it is computed; the function may return another. "
     "Returns a handle with remove()."},
    {"_make_subclass", guarded<make_subclass>, METH_VARARGS | METH_STATIC,
     "_make_subclass(cls, data, requires_grad=False): an object of cls over data's memory."},
    {nullptr, nullptr, 0, nullptr},
};

const PyGetSetDef autograd_getset[] = {
    {"requires_grad", guarded<get_requires_grad>, guarded<set_requires_grad_attribute>,
     "Whether operators on it are recorded.", nullptr},
    {"grad", guarded<get_grad>, guarded<set_grad>,
     "The gradient that backward() accumulated, or None.", nullptr},
    {"is_leaf", guarded<get_is_leaf>, nullptr, "Whether no recorded operator made it.", nullptr},
    {"grad_fn", guarded<get_grad_fn>, nullptr, "The name of the operator that made it, or None.",
     nullptr},
    {"data", guarded<get_data>, guarded<set_data>, "The same memory without history.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

}  // namespace tenon_python
