#include "properties.h"

#include "constant.h"
#include "device.h"
#include "dtype.h"
#include "errors.h"
#include "guard.h"
#include "tensor.h"
#include "value.h"

namespace tenon_python {
namespace {

// size() and stride(): all of them, or that of one dimension.
PyObject* extents(const char* name, PyObject* self, PyObject* args, PyObject* kwargs,
                  int64_t* tn_dltensor::*field) {
  static const char* names[] = {"dim", nullptr};
  PyObject* argument = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O", const_cast<char**>(names), &argument)) {
    return nullptr;
  }
  const tn_dltensor& dl = tensor_of(self)->dl;
  if (argument == Py_None) return int_tuple(dl.*field, dl.ndim);
  int64_t dim = 0;
  if (!int_from(argument, &dim)) {
    PyErr_Format(PyExc_TypeError, "%s(): dim must be an int, not %s", name, type_name(argument));
    return nullptr;
  }
  if (dim < -dl.ndim || dim >= dl.ndim) {
    PyErr_Format(PyExc_IndexError, "%s(): dim %lld is out of range for a tensor of %d dimensions",
                 name, static_cast<long long>(dim), dl.ndim);
    return nullptr;
  }
  return PyLong_FromLongLong((dl.*field)[dim < 0 ? dim + dl.ndim : dim]);
}

PyObject* size(PyObject* self, PyObject* args, PyObject* kwargs) {
  return extents("size", self, args, kwargs, &tn_dltensor::shape);
}
PyObject* stride(PyObject* self, PyObject* args, PyObject* kwargs) {
  return extents("stride", self, args, kwargs, &tn_dltensor::strides);
}

PyObject* numel(PyObject* self, PyObject*) {
  return PyLong_FromLongLong(tensor_of(self)->numel);
}
PyObject* dim(PyObject* self, PyObject*) {
  return PyLong_FromLong(tensor_of(self)->dl.ndim);
}

PyObject* element_size(PyObject* self, PyObject*) {
  return PyLong_FromUnsignedLong(tn_dtype_size(static_cast<tn_dtype>(tensor_of(self)->dtype)));
}
PyObject* data_ptr(PyObject* self, PyObject*) {
  return PyLong_FromVoidPtr(tensor_of(self)->dl.data);
}
PyObject* storage_offset(PyObject* self, PyObject*) {
  return PyLong_FromLongLong(tn_tensor_storage_offset(tensor_of(self)));
}
PyObject* is_floating_point(PyObject* self, PyObject*) {
  return PyBool_FromLong(dtype_info(tensor_of(self)->dtype).is_floating_point);
}
PyObject* is_complex(PyObject* self, PyObject*) {
  return PyBool_FromLong(dtype_info(tensor_of(self)->dtype).is_complex);
}
PyObject* is_signed(PyObject* self, PyObject*) {
  return PyBool_FromLong(dtype_info(tensor_of(self)->dtype).is_signed);
}
PyObject* is_inference(PyObject* self, PyObject*) {
  return PyBool_FromLong((tensor_of(self)->flags & TN_TENSOR_INFERENCE) != 0);
}

PyObject* is_contiguous(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"memory_format", nullptr};
  PyObject* format = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O:is_contiguous", const_cast<char**>(names),
                                   &format)) {
    return nullptr;
  }
  tn_value value{};
  if (format != Py_None && !constant_from(format, TN_TAG_MEMORY_FORMAT, &value)) {
    PyErr_Format(PyExc_TypeError,
                 "is_contiguous(): memory_format must be tenon.contiguous_format, "
                 "tenon.channels_last or tenon.preserve_format, not %R",
                 format);
    return nullptr;
  }
  const uint32_t flag =
      value.u.i == TN_CHANNELS_LAST ? TN_TENSOR_CHANNELS_LAST : TN_TENSOR_CONTIGUOUS;
  return PyBool_FromLong((tensor_of(self)->flags & flag) != 0);
}

PyObject* describe(PyObject* self, PyObject*) {
  char text[512];
  tn_tensor_describe(tensor_of(self), text, sizeof text);
  return PyUnicode_FromString(text);
}

// The road for printing: a window on the memory that no layer sees.
PyObject* strided_window(PyObject* self, PyObject* args) {
  PyObject* sizes = nullptr;
  PyObject* strides = nullptr;
  long long offset = 0;
  if (!PyArg_ParseTuple(args, "O!O!L:_strided_window", &PyTuple_Type, &sizes, &PyTuple_Type,
                        &strides, &offset)) {
    return nullptr;
  }
  int64_t extents[2][TN_MAX_DIMS];
  const Py_ssize_t ndim = PyTuple_GET_SIZE(sizes);
  if (ndim > TN_MAX_DIMS || PyTuple_GET_SIZE(strides) != ndim) {
    PyErr_SetString(PyExc_ValueError, "_strided_window(): sizes and strides differ in length");
    return nullptr;
  }
  for (Py_ssize_t i = 0; i < ndim; ++i) {
    if (!int_from(PyTuple_GET_ITEM(sizes, i), &extents[0][i]) ||
        !int_from(PyTuple_GET_ITEM(strides, i), &extents[1][i])) {
      PyErr_SetString(PyExc_TypeError, "_strided_window(): sizes and strides must be ints");
      return nullptr;
    }
  }
  TensorRef base;
  TensorRef window;
  if (failed(tn_tensor_shallow(tensor_of(self), receive(base)))) return nullptr;
  if (failed(tn_tensor_view(base.get(), static_cast<int32_t>(ndim), extents[0], extents[1], offset,
                            static_cast<tn_dtype>(base->dtype), TN_ALIAS_NO_GRAD,
                            receive(window)))) {
    return nullptr;
  }
  return wrap_new(window.release());
}

PyObject* get_shape(PyObject* self, void*) {
  const tn_dltensor& dl = tensor_of(self)->dl;
  return int_tuple(dl.shape, dl.ndim);
}
PyObject* get_dtype(PyObject* self, void*) {
  return Py_NewRef(dtype_object(tensor_of(self)->dtype));
}
PyObject* get_device(PyObject* self, void*) {
  return device_object(tensor_of(self)->dl.device);
}
PyObject* get_layout(PyObject* self, void*) {
  return Py_XNewRef(constant_object(TN_TAG_LAYOUT, tensor_of(self)->layout));
}
PyObject* get_ndim(PyObject* self, void*) {
  return dim(self, nullptr);
}
PyObject* get_itemsize(PyObject* self, void*) {
  return element_size(self, nullptr);
}
PyObject* get_nbytes(PyObject* self, void*) {
  const tn_tensor* tensor = tensor_of(self);
  return PyLong_FromLongLong(tensor->numel * tn_dtype_size(static_cast<tn_dtype>(tensor->dtype)));
}
PyObject* get_version(PyObject* self, void*) {
  return PyLong_FromUnsignedLongLong(tn_tensor_version(tensor_of(self)));
}
PyObject* get_base(PyObject* self, void*) {
  tn_tensor* root = tn_tensor_root(tensor_of(self));
  return root == nullptr ? Py_NewRef(Py_None) : wrap_shared(tn_tensor_retain(root));
}
PyObject* get_array_priority(PyObject*, void*) {
  return PyFloat_FromDouble(1000.0);
}

}  // namespace

PyObject* int_tuple(const int64_t* values, Py_ssize_t length) {
  Ref tuple(PyTuple_New(length));
  for (Py_ssize_t i = 0; tuple && i < length; ++i) {
    PyObject* item = PyLong_FromLongLong(values[i]);
    if (item == nullptr) return nullptr;
    PyTuple_SET_ITEM(tuple.get(), i, item);
  }
  return tuple.release();
}

const PyMethodDef property_methods[] = {
    {"size", as_method(guarded<size>), METH_VARARGS | METH_KEYWORDS,
     "size(dim=None): the shape, or the extent of one dimension."},
    {"stride", as_method(guarded<stride>), METH_VARARGS | METH_KEYWORDS,
     "stride(dim=None): the strides in elements, or that of one dimension."},
    {"numel", guarded<numel>, METH_NOARGS, "The number of elements."},
    {"nelement", guarded<numel>, METH_NOARGS, "The number of elements."},
    {"dim", guarded<dim>, METH_NOARGS, "The number of dimensions."},
    {"ndimension", guarded<dim>, METH_NOARGS, "The number of dimensions."},
    {"element_size", guarded<element_size>, METH_NOARGS, "Bytes of one element."},
    {"data_ptr", guarded<data_ptr>, METH_NOARGS, "The address of the first element."},
    {"storage_offset", guarded<storage_offset>, METH_NOARGS,
     "Elements between the start of the memory and the first element."},
    {"is_floating_point", guarded<is_floating_point>, METH_NOARGS,
     "Whether the dtype is a real float."},
    {"is_complex", guarded<is_complex>, METH_NOARGS, "Whether the dtype is complex."},
    {"is_signed", guarded<is_signed>, METH_NOARGS, "Whether the dtype has negative numbers."},
    {"is_inference", guarded<is_inference>, METH_NOARGS, "Whether it was made in inference mode."},
    {"is_contiguous", as_method(guarded<is_contiguous>), METH_VARARGS | METH_KEYWORDS,
     "is_contiguous(memory_format=tenon.contiguous_format): whether it is dense in that order."},
    {"describe", guarded<describe>, METH_NOARGS, "The form in short, such as 'f32[2,3]@cpu'."},
    {"_strided_window", guarded<strided_window>, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

const PyGetSetDef property_getset[] = {
    {"shape", guarded<get_shape>, nullptr, "The extents, a tuple of ints.", nullptr},
    {"dtype", guarded<get_dtype>, nullptr, "The type of the elements.", nullptr},
    {"device", guarded<get_device>, nullptr, "Where the elements are.", nullptr},
    {"layout", guarded<get_layout>, nullptr, "How the elements lie.", nullptr},
    {"ndim", guarded<get_ndim>, nullptr, "The number of dimensions.", nullptr},
    {"itemsize", guarded<get_itemsize>, nullptr, "Bytes of one element.", nullptr},
    {"nbytes", guarded<get_nbytes>, nullptr, "Bytes of all elements.", nullptr},
    {"_version", guarded<get_version>, nullptr, "How often the memory was written in place.",
     nullptr},
    {"_base", guarded<get_base>, nullptr, "The tensor this is a view of, or None.", nullptr},
    // NumPy's scalars then leave `numpy.float32(2) * x` to the tensor.
    {"__array_priority__", guarded<get_array_priority>, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

}  // namespace tenon_python
