// Tensors from numbers and nested sequences of them: one walk finds shape and kind, a second writes
// the elements.
#include <cstring>
#include <limits>
#include <vector>

#include "convert.h"
#include "dtype.h"
#include "errors.h"
#include "item.h"
#include "tensor.h"
#include "value.h"

namespace tenon_python {
namespace {

// In order of promotion.
enum class Kind {
  kNone,
  kBool,
  kInt,
  kFloat,
  kComplex
};

bool is_text(PyObject* object) {
  return PyUnicode_Check(object) || PyBytes_Check(object);
}

bool is_sequence(PyObject* object) {
  if (is_tensor(object)) return tensor_of(object)->dl.ndim > 0;
  return PySequence_Check(object) && !is_text(object) && !is_number(object);
}

Kind kind_of(PyObject* leaf) {
  if (is_tensor(leaf)) {
    const DtypeInfo& info = dtype_info(tensor_of(leaf)->dtype);
    if (info.is_complex) return Kind::kComplex;
    if (info.is_floating_point) return Kind::kFloat;
    return tensor_of(leaf)->dtype == TN_BOOL ? Kind::kBool : Kind::kInt;
  }
  if (PyFloat_Check(leaf)) return Kind::kFloat;
  if (PyLong_Check(leaf)) return PyBool_Check(leaf) ? Kind::kBool : Kind::kInt;
  Number number;
  if (!number_from(leaf, &number)) return Kind::kNone;
  switch (number.value.tag) {
    case TN_TAG_BOOL:
      return Kind::kBool;
    case TN_TAG_INT:
      return Kind::kInt;
    case TN_TAG_FLOAT:
      return Kind::kFloat;
    default:
      return Kind::kComplex;
  }
}

struct Form {
  std::vector<int64_t> shape;
  bool complete = false;  // the first leaf was met: deeper lists are ragged
  Kind kind = Kind::kNone;
};

bool scan(PyObject* data, std::size_t depth, Form* form) {
  if (!is_sequence(data)) {
    if (depth < form->shape.size()) {
      PyErr_Format(PyExc_ValueError,
                   "a list is expected at depth %zu, not %s: the lists differ in "
                   "depth",
                   depth, type_name(data));
      return false;
    }
    form->complete = true;
    const Kind kind = kind_of(data);
    if (kind == Kind::kNone) {
      PyErr_Format(PyExc_TypeError,
                   "a tensor cannot be made of %s; numbers, nested lists of "
                   "numbers and arrays are possible",
                   type_name(data));
      return false;
    }
    if (kind > form->kind) form->kind = kind;
    return true;
  }
  Ref items(PySequence_Fast(data, "a sequence is expected"));
  if (!items) return false;
  const int64_t length = PySequence_Fast_GET_SIZE(items.get());
  if (depth == form->shape.size()) {
    if (form->complete) {
      PyErr_Format(PyExc_ValueError,
                   "a number is expected at depth %zu, not %s: the lists differ "
                   "in depth",
                   depth, type_name(data));
      return false;
    }
    if (depth == TN_MAX_DIMS) {
      PyErr_Format(PyExc_ValueError, "the lists are nested more than %d deep", TN_MAX_DIMS);
      return false;
    }
    form->shape.push_back(length);
    if (length == 0) form->complete = true;
  } else if (form->shape[depth] != length) {
    PyErr_Format(PyExc_ValueError,
                 "a sequence of length %lld is expected at dimension %zu, not "
                 "one of length %lld",
                 static_cast<long long>(form->shape[depth]), depth, static_cast<long long>(length));
    return false;
  }
  for (int64_t i = 0; i < length; ++i) {
    PyObject* entry = PySequence_Fast_GET_ITEM(items.get(), static_cast<Py_ssize_t>(i));
    if (!scan(entry, depth + 1, form)) return false;
  }
  return true;
}

template <class T>
bool store_int(PyObject* number, char* target) {
  Ref integer(PyNumber_Long(number));
  if (!integer) return false;
  T value;
  bool fits;
  if constexpr (std::numeric_limits<T>::is_signed || sizeof(T) < 8) {
    int overflow = 0;
    const long long wide = PyLong_AsLongLongAndOverflow(integer.get(), &overflow);
    value = static_cast<T>(wide);
    fits = overflow == 0 && static_cast<long long>(value) == wide;
  } else {
    value = PyLong_AsUnsignedLongLong(integer.get());
    fits = PyErr_Occurred() == nullptr;
    PyErr_Clear();
  }
  if (!fits) {
    PyErr_Format(PyExc_ValueError, "%R does not fit into %d bits of a%s integer", number,
                 static_cast<int>(8 * sizeof(T)),
                 std::numeric_limits<T>::is_signed ? " signed" : "n unsigned");
    return false;
  }
  std::memcpy(target, &value, sizeof value);
  return true;
}

template <class T>
bool store_float(PyObject* number, char* target) {
  const double wide = PyFloat_AsDouble(number);
  if (wide == -1.0 && PyErr_Occurred() != nullptr) return false;
  const T value = static_cast<T>(wide);
  std::memcpy(target, &value, sizeof value);
  return true;
}

template <class T>
bool store_complex(PyObject* number, char* target) {
  const Py_complex wide = PyComplex_AsCComplex(number);
  if (PyErr_Occurred() != nullptr) return false;
  const T parts[2] = {static_cast<T>(wide.real), static_cast<T>(wide.imag)};
  std::memcpy(target, parts, sizeof parts);
  return true;
}

bool store(PyObject* number, tn_dtype dtype, char* target) {
  switch (dtype) {
    case TN_BOOL: {
      const int truth = PyObject_IsTrue(number);
      *target = truth == 1;
      return truth >= 0;
    }
    case TN_U8:
      return store_int<uint8_t>(number, target);
    case TN_I8:
      return store_int<int8_t>(number, target);
    case TN_I16:
      return store_int<int16_t>(number, target);
    case TN_I32:
      return store_int<int32_t>(number, target);
    case TN_I64:
      return store_int<int64_t>(number, target);
    case TN_U16:
      return store_int<uint16_t>(number, target);
    case TN_U32:
      return store_int<uint32_t>(number, target);
    case TN_U64:
      return store_int<uint64_t>(number, target);
    case TN_F32:
      return store_float<float>(number, target);
    case TN_F64:
      return store_float<double>(number, target);
    case TN_C64:
      return store_complex<float>(number, target);
    default:
      return store_complex<double>(number, target);
  }
}

bool fill(PyObject* data, const Form& form, std::size_t depth, tn_dtype dtype, char** target) {
  if (depth == form.shape.size()) {
    Ref number = is_tensor(data) ? Ref(item(tensor_of(data))) : Ref::borrow(data);
    if (!number || !store(number.get(), dtype, *target)) return false;
    *target += tn_dtype_size(dtype);
    return true;
  }
  Ref items(PySequence_Fast(data, "a sequence is expected"));
  if (!items) return false;
  const Py_ssize_t length = PySequence_Fast_GET_SIZE(items.get());
  if (length != form.shape[depth]) {
    PyErr_SetString(PyExc_RuntimeError, "a list changed while a tensor was made of it");
    return false;
  }
  for (Py_ssize_t i = 0; i < length; ++i) {
    PyObject* entry = PySequence_Fast_GET_ITEM(items.get(), i);
    if (!fill(entry, form, depth + 1, dtype, target)) return false;
  }
  return true;
}

tn_dtype fitting_dtype(Kind kind) {
  if (kind == Kind::kBool) return TN_BOOL;
  if (kind == Kind::kInt) return TN_I64;
  tn_thread_state state;
  tn_thread_state_get(&state);
  if (kind == Kind::kComplex) return state.default_dtype == TN_F64 ? TN_C128 : TN_C64;
  return static_cast<tn_dtype>(state.default_dtype);
}

// The dtype that the elements are first written in; the core rounds from there to the narrow
// floats.
tn_dtype written_dtype(tn_dtype dtype) {
  const bool narrow =
      dtype == TN_F16 || dtype == TN_BF16 || dtype == TN_F8E4M3 || dtype == TN_F8E5M2;
  return narrow ? TN_F64 : dtype;
}

}  // namespace

TensorRef tensor_from_sequence(PyObject* data, tn_dtype dtype) {
  Form form;
  if (!scan(data, 0, &form)) return nullptr;
  if (dtype == TN_DTYPE_NONE) dtype = fitting_dtype(form.kind);
  const tn_dtype written = written_dtype(dtype);
  TensorRef tensor =
      host_empty(written, static_cast<int32_t>(form.shape.size()), form.shape.data());
  if (!tensor) return nullptr;
  char* target = static_cast<char*>(tensor->dl.data);
  if (tensor->numel > 0 && !fill(data, form, 0, written, &target)) return nullptr;
  if (written == dtype) return tensor;
  TensorRef rounded;
  if (failed(tn_tensor_cast(tensor.get(), dtype, receive(rounded)))) return nullptr;
  return rounded;
}

}  // namespace tenon_python
