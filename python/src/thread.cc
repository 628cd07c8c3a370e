// The state of the calling thread, the number of threads and the seed.
#include <algorithm>

#include "device.h"
#include "dtype.h"
#include "errors.h"
#include "guard.h"
#include "runtime.h"

namespace tenon_python {
namespace {

tn_thread_state thread_state() {
  tn_thread_state state;
  tn_thread_state_get(&state);
  return state;
}

PyObject* mode(PyObject*, PyObject*) {
  return PyLong_FromUnsignedLong(thread_state().flags);
}

PyObject* set_mode(PyObject*, PyObject* argument) {
  const unsigned long flags = PyLong_AsUnsignedLong(argument);
  if (PyErr_Occurred() != nullptr) return nullptr;
  tn_thread_state state = thread_state();
  const uint32_t previous = state.flags;
  state.flags = static_cast<uint32_t>(flags);
  tn_thread_state_set(&state, nullptr);
  return PyLong_FromUnsignedLong(previous);
}

PyObject* is_grad_enabled(PyObject*, PyObject*) {
  return PyBool_FromLong((thread_state().flags & (TN_THREAD_NO_GRAD | TN_THREAD_INFERENCE)) == 0);
}
PyObject* is_inference_mode_enabled(PyObject*, PyObject*) {
  return PyBool_FromLong((thread_state().flags & TN_THREAD_INFERENCE) != 0);
}

PyObject* get_default_dtype(PyObject*, PyObject*) {
  return Py_NewRef(dtype_object(static_cast<int>(thread_state().default_dtype)));
}

PyObject* set_default_dtype(PyObject*, PyObject* argument) {
  tn_dtype dtype = TN_DTYPE_NONE;
  if (!dtype_from(argument, &dtype) || !dtype_info(dtype).is_floating_point) {
    PyErr_Format(PyExc_TypeError,
                 "set_default_dtype() takes a floating-point dtype such as tenon.float64, not %R",
                 argument);
    return nullptr;
  }
  tn_thread_state state = thread_state();
  state.default_dtype = dtype;
  tn_thread_state_set(&state, nullptr);
  Py_RETURN_NONE;
}

PyObject* get_default_device(PyObject*, PyObject*) {
  tn_device device = thread_state().default_device;
  if (device.type == TN_DEVICE_NONE && !host_device(&device)) return nullptr;
  return device_object(device);
}

PyObject* set_default_device(PyObject*, PyObject* argument) {
  tn_device device{};
  if (!parse_device(argument, &device)) return nullptr;
  if (device.type == TN_DEVICE_NONE && !host_device(&device)) return nullptr;
  tn_thread_state state = thread_state();
  state.default_device = device;
  tn_thread_state_set(&state, nullptr);
  Py_RETURN_NONE;
}

PyObject* get_num_threads(PyObject*, PyObject*) {
  return PyLong_FromLong(tn_num_threads());
}

PyObject* set_num_threads(PyObject*, PyObject* argument) {
  const long count = PyLong_AsLong(argument);
  if (count == -1 && PyErr_Occurred() != nullptr) return nullptr;
  if (failed(tn_set_num_threads(static_cast<int32_t>(std::clamp(count, -1L, 1L << 16)))))
    return nullptr;
  Py_RETURN_NONE;
}

PyObject* manual_seed(PyObject*, PyObject* argument) {
  const unsigned long long seed = PyLong_AsUnsignedLongLongMask(argument);
  if (PyErr_Occurred() != nullptr) return nullptr;
  tn_manual_seed(seed);
  Py_RETURN_NONE;
}

PyObject* synchronize(PyObject*, PyObject* args) {
  PyObject* argument = Py_None;
  tn_device device{};
  if (!PyArg_ParseTuple(args, "|O:synchronize", &argument)) return nullptr;
  if (!host_device(&device) || !parse_device(argument, &device)) return nullptr;
  tn_status status;
  {
    const GilRelease release;
    status = tn_device_synchronize(device);
  }
  if (failed(status)) return nullptr;
  Py_RETURN_NONE;
}

}  // namespace

const PyMethodDef thread_functions[] = {
    {"mode", guarded<mode>, METH_NOARGS, "The MODE_* bits of this thread."},
    {"set_mode", guarded<set_mode>, METH_O,
     "Sets the MODE_* bits of this thread; returns the old ones."},
    {"is_grad_enabled", guarded<is_grad_enabled>, METH_NOARGS,
     "Whether operators called by this thread are recorded."},
    {"is_inference_mode_enabled", guarded<is_inference_mode_enabled>, METH_NOARGS,
     "Whether this thread is in inference mode."},
    {"get_default_dtype", guarded<get_default_dtype>, METH_NOARGS, "The dtype of Python's floats."},
    {"set_default_dtype", guarded<set_default_dtype>, METH_O,
     "Sets the dtype of Python's floats in this thread."},
    {"get_default_device", guarded<get_default_device>, METH_NOARGS, "Where new tensors are made."},
    {"set_default_device", guarded<set_default_device>, METH_O,
     "Sets where this thread makes tensors."},
    {"get_num_threads", guarded<get_num_threads>, METH_NOARGS,
     "Threads that a kernel may use at most."},
    {"set_num_threads", guarded<set_num_threads>, METH_O,
     "Sets how many threads a kernel may use."},
    {"manual_seed", guarded<manual_seed>, METH_O, "Seeds the default generators of all devices."},
    {"synchronize", guarded<synchronize>, METH_VARARGS,
     "synchronize(device=None): waits for the work queued on a device."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace tenon_python
