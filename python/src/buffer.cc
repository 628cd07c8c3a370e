// The buffer protocol in both directions: NumPy arrays become tensors, tensors become memoryviews
// and so NumPy arrays.
#include <algorithm>
#include <memory>
#include <string_view>

#include "autograd.h"
#include "convert.h"
#include "device.h"
#include "dtype.h"
#include "errors.h"
#include "guard.h"
#include "tensor.h"

namespace tenon_python {
namespace {

struct BufferRelease {
  void operator()(Py_buffer* view) const {
    PyBuffer_Release(view);
    delete view;
  }
};
using Buffer = std::unique_ptr<Py_buffer, BufferRelease>;

Buffer acquire(PyObject* object, int flags) {
  auto view = std::make_unique<Py_buffer>();
  if (PyObject_GetBuffer(object, view.get(), flags) < 0) return nullptr;
  return Buffer(view.release());
}

// By kind and size, since C's names for integers differ in size between machines.
tn_dtype dtype_of_format(std::string_view format, Py_ssize_t itemsize) {
  const bool foreign_order = format.starts_with('>') || format.starts_with('!');
  if (foreign_order) return TN_DTYPE_NONE;
  if (format.starts_with('<') || format.starts_with('=') || format.starts_with('@')) {
    format.remove_prefix(1);
  }
  const auto pick = [itemsize](tn_dtype one, tn_dtype two, tn_dtype four, tn_dtype eight) {
    switch (itemsize) {
      case 1:
        return one;
      case 2:
        return two;
      case 4:
        return four;
      case 8:
        return eight;
      default:
        return TN_DTYPE_NONE;
    }
  };
  if (format == "Zf") return TN_C64;
  if (format == "Zd") return TN_C128;
  if (format.size() != 1) return TN_DTYPE_NONE;
  switch (format[0]) {
    case '?':
      return TN_BOOL;
    case 'b':
    case 'h':
    case 'i':
    case 'l':
    case 'q':
    case 'n':
      return pick(TN_I8, TN_I16, TN_I32, TN_I64);
    case 'B':
    case 'H':
    case 'I':
    case 'L':
    case 'Q':
    case 'N':
      return pick(TN_U8, TN_U16, TN_U32, TN_U64);
    case 'e':
    case 'f':
    case 'd':
      return pick(TN_DTYPE_NONE, TN_F16, TN_F32, TN_F64);
    default:
      return TN_DTYPE_NONE;
  }
}

tn_dtype dtype_of_buffer(const Py_buffer& view) {
  const char* format = view.format != nullptr ? view.format : "B";
  const tn_dtype dtype = dtype_of_format(format, view.itemsize);
  if (dtype == TN_DTYPE_NONE) {
    PyErr_Format(PyExc_TypeError,
                 "no dtype of Tenon holds elements of buffer format '%s'; convert the array to "
                 "bool, an integer, float or complex type in native byte order first",
                 format);
  } else if (view.ndim > TN_MAX_DIMS) {
    PyErr_Format(PyExc_ValueError, "a tensor has at most %d dimensions, the array has %d",
                 TN_MAX_DIMS, view.ndim);
    return TN_DTYPE_NONE;
  }
  return dtype;
}

// Buffer strides, in bytes, as strides in elements.
bool element_strides(const Py_buffer& view, tn_meta* meta, std::size_t* nbytes) {
  int64_t last = 0;
  bool empty = false;
  int64_t dense =
      1;  // what a row-major array would have here: for dimensions whose stride is never used
  for (int i = view.ndim - 1; i >= 0; --i) {
    const Py_ssize_t stride = view.strides[i];
    meta->sizes[i] = view.shape[i];
    empty = empty || view.shape[i] == 0;
    if (stride < 0 && view.shape[i] > 1) {
      PyErr_Format(PyExc_ValueError,
                   "from_numpy(): the array has a negative stride (%zd bytes in dimension %d), "
                   "which tensors lack; pass numpy.ascontiguousarray(a)",
                   stride, i);
      return false;
    }
    if (stride % view.itemsize != 0 && view.shape[i] > 1) {
      PyErr_Format(PyExc_ValueError,
                   "from_numpy(): the stride of %zd bytes in dimension %d is no multiple of the "
                   "element's %zd; pass numpy.ascontiguousarray(a)",
                   stride, i, view.itemsize);
      return false;
    }
    meta->strides[i] = view.shape[i] > 1 ? stride / view.itemsize : dense;
    last += (view.shape[i] - 1) * meta->strides[i];
    dense = meta->strides[i] * std::max<int64_t>(view.shape[i], 1);
  }
  *nbytes = empty ? 0 : static_cast<std::size_t>((last + 1) * view.itemsize);
  return true;
}

// Runs on whatever thread drops the last tensor, perhaps while an exception is being raised.
void release_buffer(void* context) {
  if (!Py_IsInitialized()) return;  // the interpreter is gone, and the array with it
  const GilAcquire gil;
  PyObject* type;
  PyObject* value;
  PyObject* traceback;
  PyErr_Fetch(&type, &value, &traceback);
  BufferRelease()(static_cast<Py_buffer*>(context));
  PyErr_Restore(type, value, traceback);
}

// What keeps a tensor from being seen as a buffer; sets BufferError.
bool is_exportable(tn_tensor* tensor) {
  char form[256];
  tn_tensor_describe(tensor, form, sizeof form);
  if (requires_grad(tensor)) {
    PyErr_Format(PyExc_BufferError,
                 "%s requires gradients, and NumPy would not record what is done to it; use "
                 "x.detach().numpy()",
                 form);
  } else if ((tn_device_flags(tensor->dl.device.type) & TN_DEVICE_HOST) == 0) {
    PyErr_Format(PyExc_BufferError, "%s is not in host memory; use x.cpu().numpy()", form);
  } else if (dtype_info(tensor->dtype).buffer == nullptr) {
    PyErr_Format(PyExc_BufferError, "NumPy has no dtype for %s; use x.float().numpy()", form);
  } else {
    return true;
  }
  return false;
}

int get_buffer(PyObject* self, Py_buffer* view, int flags) {
  tn_tensor* tensor = tensor_of(self);
  view->obj = nullptr;
  if (!is_exportable(tensor)) return -1;
  if ((flags & PyBUF_STRIDES) != PyBUF_STRIDES && (tensor->flags & TN_TENSOR_CONTIGUOUS) == 0) {
    PyErr_SetString(PyExc_BufferError, "the tensor is not contiguous; use x.contiguous()");
    return -1;
  }
  const int ndim = tensor->dl.ndim;
  const auto itemsize =
      static_cast<Py_ssize_t>(tn_dtype_size(static_cast<tn_dtype>(tensor->dtype)));
  auto* extents = new Py_ssize_t[2 * static_cast<std::size_t>(ndim) + 1];
  for (int i = 0; i < ndim; ++i) {
    extents[i] = static_cast<Py_ssize_t>(tensor->dl.shape[i]);
    extents[ndim + i] = static_cast<Py_ssize_t>(tensor->dl.strides[i]) * itemsize;
  }
  view->obj = Py_NewRef(self);
  view->buf = tensor->dl.data;
  view->len = static_cast<Py_ssize_t>(tensor->numel) * itemsize;
  view->itemsize = itemsize;
  view->readonly = 0;
  view->ndim = ndim;
  view->format =
      (flags & PyBUF_FORMAT) != 0 ? const_cast<char*>(dtype_info(tensor->dtype).buffer) : nullptr;
  view->shape = (flags & PyBUF_ND) != 0 ? extents : nullptr;
  view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? extents + ndim : nullptr;
  view->suboffsets = nullptr;
  view->internal = extents;
  return 0;
}

void free_buffer(PyObject*, Py_buffer* view) {
  delete[] static_cast<Py_ssize_t*>(view->internal);
}

}  // namespace

TensorRef tensor_from_buffer(PyObject* data) {
  Buffer view = acquire(data, PyBUF_FULL_RO);
  if (!view) return nullptr;
  const tn_dtype dtype = dtype_of_buffer(*view);
  if (dtype == TN_DTYPE_NONE) return nullptr;
  int64_t sizes[TN_MAX_DIMS];
  std::copy_n(view->shape, view->ndim, sizes);
  TensorRef tensor = host_empty(dtype, view->ndim, sizes);
  if (!tensor) return nullptr;
  if (view->len > 0 && PyBuffer_ToContiguous(tensor->dl.data, view.get(), view->len, 'C') < 0) {
    return nullptr;
  }
  return tensor;
}

PyObject* from_numpy(PyObject*, PyObject* array) {
  if (!PyObject_CheckBuffer(array)) {
    PyErr_Format(PyExc_TypeError, "from_numpy() takes a numpy.ndarray, not %s", type_name(array));
    return nullptr;
  }
  Buffer view = acquire(array, PyBUF_FULL_RO);
  if (!view) return nullptr;
  if (view->readonly) {
    PyErr_SetString(PyExc_ValueError,
                    "from_numpy(): the array is read-only, and a tensor that shares its memory "
                    "could be written; tenon.tensor(a) makes a copy");
    return nullptr;
  }
  tn_meta meta{};
  std::size_t nbytes = 0;
  meta.dtype = static_cast<uint16_t>(dtype_of_buffer(*view));
  if (meta.dtype == TN_DTYPE_NONE || !host_device(&meta.device)) return nullptr;
  meta.has_strides = 1;
  meta.ndim = view->ndim;
  if (!element_strides(*view, &meta, &nbytes)) return nullptr;
  TensorRef tensor;
  if (failed(tn_tensor_from_memory(&meta, view->buf, nbytes, release_buffer, view.get(),
                                   receive(tensor)))) {
    return nullptr;
  }
  static_cast<void>(view.release());  // release_buffer has it now
  return wrap_new(tensor.release());
}

const PyType_Slot buffer_slots[] = {
    {Py_bf_getbuffer, reinterpret_cast<void*>(guarded<get_buffer>)},
    {Py_bf_releasebuffer, reinterpret_cast<void*>(free_buffer)},
    {0, nullptr},
};

}  // namespace tenon_python
