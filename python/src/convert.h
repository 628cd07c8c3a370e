// convert.h - tensors from Python data and NumPy arrays, and the way back.
//
// Arrays are exchanged through Python's buffer protocol, which NumPy's arrays speak: no header of
// NumPy is needed to build this, and NumPy is imported only where the result is one of its arrays.
#pragma once
#include "ref.h"

namespace tenon_python {

// A tensor of its own memory from numbers, nested sequences, buffers or a tensor. `dtype`
// TN_DTYPE_NONE: that of the data; `device.type` TN_DEVICE_NONE: the thread's default. Null with an
// exception set.
TensorRef tensor_from_data(PyObject* data, tn_dtype dtype, tn_device device);

// The part of it for what has the buffer protocol: a copy on the host, in the buffer's dtype.
TensorRef tensor_from_buffer(PyObject* data);
// The part for numbers and nested sequences: on the host, in `dtype` or the one that fits.
TensorRef tensor_from_sequence(PyObject* data, tn_dtype dtype);

// An empty row-major tensor on the host.
TensorRef host_empty(tn_dtype dtype, int32_t ndim, const int64_t* sizes);

PyObject* make_tensor(PyObject* module, PyObject* args, PyObject* kwargs);
PyObject* from_numpy(PyObject* module, PyObject* array);

extern const PyType_Slot buffer_slots[];

}  // namespace tenon_python
