#include "hooks.h"

#include "autograd_interface.h"
#include "errors.h"
#include "guard.h"
#include "tensor.h"

namespace tenon_python {
namespace {

// What register_hook returns. It holds the tensor weakly: a handle that lies about keeps nothing
// alive.
struct HandleObject {
  PyObject_HEAD tn_tensor* tensor;
  uint64_t id;
};

PyTypeObject* handle_type = nullptr;

void dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  tn_tensor_weak_release(reinterpret_cast<HandleObject*>(self)->tensor);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* remove(PyObject* self, PyObject*) {
  auto* handle = reinterpret_cast<HandleObject*>(self);
  TensorRef tensor(tn_tensor_lock(handle->tensor));
  if (tensor && handle->id != 0) {
    if (failed(autograd_interface()->remove_hook(tensor.get(), handle->id))) return nullptr;
    handle->id = 0;
  }
  Py_RETURN_NONE;
}

tn_status call_hook(void* function, tn_tensor* grad, tn_tensor** out) {
  const GilAcquire gil;
  Ref argument(wrap_shared(tn_tensor_retain(grad)));
  Ref result(argument ? PyObject_CallOneArg(static_cast<PyObject*>(function), argument.get())
                      : nullptr);
  if (result && result.get() != Py_None && !is_tensor(result.get())) {
    PyErr_Format(PyExc_TypeError, "a hook must return a Tensor or None, not %s",
                 type_name(result.get()));
    result = Ref();
  }
  if (!result) return status_of_exception("a hook");
  if (is_tensor(result.get())) *out = tn_tensor_retain(tensor_of(result.get()));
  return nullptr;
}

void destroy_hook(void* function) {
  if (!Py_IsInitialized()) return;
  const GilAcquire gil;
  Py_DECREF(static_cast<PyObject*>(function));
}

PyMethodDef methods[] = {
    {"remove", guarded<remove>, METH_NOARGS, "Takes the hook off its tensor."},
    {nullptr, nullptr, 0, nullptr},
};
PyType_Slot slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
    {Py_tp_methods, methods},
    {0, nullptr},
};
PyType_Spec spec = {"tenon.HookHandle", sizeof(HandleObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

}  // namespace

PyObject* register_hook(PyObject* self, PyObject* function) {
  if (!PyCallable_Check(function)) {
    PyErr_Format(PyExc_TypeError, "register_hook() takes a function, not %s", type_name(function));
    return nullptr;
  }
  const tn_autograd* autograd = autograd_interface();
  if (autograd == nullptr) return nullptr;
  auto* handle = PyObject_New(HandleObject, handle_type);
  if (handle == nullptr) return nullptr;
  handle->tensor = tensor_of(self);
  handle->id = 0;
  tn_tensor_weak_retain(handle->tensor);
  Ref owner(reinterpret_cast<PyObject*>(handle));
  Py_INCREF(function);
  if (failed(autograd->add_hook(handle->tensor, call_hook, function, destroy_hook, &handle->id))) {
    Py_DECREF(function);
    return nullptr;
  }
  return owner.release();
}

bool add_hook_handle(PyObject* module) {
  handle_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return handle_type != nullptr && PyModule_AddType(module, handle_type) == 0;
}

}  // namespace tenon_python
