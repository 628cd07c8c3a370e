#include "convert.h"

#include <algorithm>

#include "autograd.h"
#include "device.h"
#include "dtype.h"
#include "errors.h"
#include "tensor.h"

namespace tenon_python {
namespace {

// A tensor with memory of its own and no history.
TensorRef copy_of(tn_tensor* source, tn_dtype dtype, tn_device device) {
  tn_meta meta{};
  meta.device = device;
  meta.dtype = static_cast<uint16_t>(dtype);
  meta.layout = source->layout;
  meta.ndim = source->dl.ndim;
  std::copy_n(source->dl.shape, source->dl.ndim, meta.sizes);
  TensorRef plain;
  TensorRef copy;
  if (failed(tn_tensor_shallow(source, receive(plain)))) return nullptr;
  if (failed(tn_tensor_empty(&meta, receive(copy)))) return nullptr;
  if (failed(tn_tensor_copy(copy.get(), plain.get()))) return nullptr;
  return copy;
}

bool is_plain_number(PyObject* data) {
  return PyFloat_CheckExact(data) || PyLong_CheckExact(data) || PyBool_Check(data) ||
         PyComplex_CheckExact(data);
}

}  // namespace

TensorRef host_empty(tn_dtype dtype, int32_t ndim, const int64_t* sizes) {
  tn_meta meta{};
  if (!host_device(&meta.device)) return nullptr;
  meta.dtype = static_cast<uint16_t>(dtype);
  meta.ndim = ndim;
  std::copy_n(sizes, ndim, meta.sizes);
  TensorRef tensor;
  if (failed(tn_tensor_empty(&meta, receive(tensor)))) return nullptr;
  return tensor;
}

TensorRef tensor_from_data(PyObject* data, tn_dtype dtype, tn_device device) {
  if (is_tensor(data)) {
    tn_tensor* source = tensor_of(data);
    if (dtype == TN_DTYPE_NONE) dtype = static_cast<tn_dtype>(source->dtype);
    if (device.type == TN_DEVICE_NONE) device = source->dl.device;
    return copy_of(source, dtype, device);
  }
  if (device.type == TN_DEVICE_NONE) {
    tn_thread_state state;
    tn_thread_state_get(&state);
    device = state.default_device;
  }
  if (device.type == TN_DEVICE_NONE && !host_device(&device)) return nullptr;
  TensorRef tensor = PyObject_CheckBuffer(data) && !is_plain_number(data)
                         ? tensor_from_buffer(data)
                         : tensor_from_sequence(data, dtype);
  if (!tensor) return nullptr;
  if (dtype == TN_DTYPE_NONE) dtype = static_cast<tn_dtype>(tensor->dtype);
  const tn_device host = tensor->dl.device;
  if (dtype == tensor->dtype && device.type == host.type && device.index == host.index) {
    return tensor;
  }
  TensorRef converted;
  if (failed(tn_tensor_to(tensor.get(), device, dtype, receive(converted)))) return nullptr;
  return converted;
}

PyObject* make_tensor(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"data", "dtype", "device", "requires_grad", nullptr};
  PyObject* data = nullptr;
  PyObject* dtype_argument = nullptr;
  PyObject* device_argument = nullptr;
  PyObject* requires_grad = Py_False;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|OO$O!:tensor", const_cast<char**>(names), &data,
                                   &dtype_argument, &device_argument, &PyBool_Type,
                                   &requires_grad)) {
    return nullptr;
  }
  tn_dtype dtype = TN_DTYPE_NONE;
  tn_device device{};
  if (!parse_dtype(dtype_argument, &dtype) || !parse_device(device_argument, &device)) {
    return nullptr;
  }
  TensorRef tensor = tensor_from_data(data, dtype, device);
  if (!tensor || (requires_grad == Py_True && !set_requires_grad(tensor.get(), true)))
    return nullptr;
  return wrap_new(tensor.release());
}

}  // namespace tenon_python
