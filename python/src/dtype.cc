#include "dtype.h"

#include <structmember.h>

#include <array>
#include <cstdio>

#include "errors.h"
#include "guard.h"

namespace tenon_python {
namespace {

constexpr DtypeInfo kInfo[kDtypeCount] = {
    {"bool", "?", false, false, false},          {"uint8", "B", false, false, false},
    {"int8", "b", false, false, true},           {"int16", "h", false, false, true},
    {"int32", "i", false, false, true},          {"int64", "q", false, false, true},
    {"uint16", "H", false, false, false},        {"uint32", "I", false, false, false},
    {"uint64", "Q", false, false, false},        {"float16", "e", true, false, true},
    {"bfloat16", nullptr, true, false, true},    {"float32", "f", true, false, true},
    {"float64", "d", true, false, true},         {"complex64", "Zf", false, true, true},
    {"complex128", "Zd", false, true, true},     {"float8_e4m3fn", nullptr, true, false, true},
    {"float8_e5m2", nullptr, true, false, true},
};

struct Alias {
  const char* name;
  tn_dtype dtype;
};
constexpr Alias kAliases[] = {
    {"half", TN_F16},     {"float", TN_F32}, {"double", TN_F64}, {"cfloat", TN_C64},
    {"cdouble", TN_C128}, {"short", TN_I16}, {"int", TN_I32},    {"long", TN_I64},
};

struct DtypeObject {
  PyObject_HEAD tn_dtype dtype;
};

PyTypeObject* dtype_type = nullptr;
std::array<PyObject*, kDtypeCount> objects{};

tn_dtype dtype_of(PyObject* self) {
  return reinterpret_cast<DtypeObject*>(self)->dtype;
}

PyObject* repr(PyObject* self) {
  return PyUnicode_FromFormat("tenon.%s", dtype_info(dtype_of(self)).name);
}

// The name of a global of the package: pickle and copy then give back the very object.
PyObject* reduce(PyObject* self, PyObject*) {
  return PyUnicode_FromString(dtype_info(dtype_of(self)).name);
}

PyObject* get_name(PyObject* self, void*) {
  return PyUnicode_FromString(dtype_info(dtype_of(self)).name);
}
PyObject* get_itemsize(PyObject* self, void*) {
  return PyLong_FromUnsignedLong(tn_dtype_size(dtype_of(self)));
}
PyObject* get_is_floating_point(PyObject* self, void*) {
  return PyBool_FromLong(dtype_info(dtype_of(self)).is_floating_point);
}
PyObject* get_is_complex(PyObject* self, void*) {
  return PyBool_FromLong(dtype_info(dtype_of(self)).is_complex);
}
PyObject* get_is_signed(PyObject* self, void*) {
  return PyBool_FromLong(dtype_info(dtype_of(self)).is_signed);
}

PyGetSetDef getset[] = {
    {"name", guarded<get_name>, nullptr, "The name, such as 'float32'.", nullptr},
    {"itemsize", guarded<get_itemsize>, nullptr, "Bytes of one element.", nullptr},
    {"is_floating_point", guarded<get_is_floating_point>, nullptr, "True for real floats.",
     nullptr},
    {"is_complex", guarded<get_is_complex>, nullptr, "True for complex dtypes.", nullptr},
    {"is_signed", guarded<get_is_signed>, nullptr, "True when negative numbers have a place.",
     nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};
PyMethodDef methods[] = {
    {"__reduce__", guarded<reduce>, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};
PyType_Slot slots[] = {
    {Py_tp_repr, reinterpret_cast<void*>(guarded<repr>)},
    {Py_tp_methods, methods},
    {Py_tp_getset, getset},
    {Py_tp_doc, const_cast<char*>("The type of a tensor's elements.")},
    {0, nullptr},
};
PyType_Spec spec = {"tenon.dtype", sizeof(DtypeObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

}  // namespace

const DtypeInfo& dtype_info(int dtype) {
  return kInfo[dtype];
}
bool is_dtype(PyObject* object) {
  return Py_IS_TYPE(object, dtype_type);
}
PyObject* dtype_object(int dtype) {
  return objects[static_cast<std::size_t>(dtype)];
}

bool dtype_from(PyObject* object, tn_dtype* out) {
  if (is_dtype(object)) {
    *out = dtype_of(object);
  } else if (object == reinterpret_cast<PyObject*>(&PyFloat_Type)) {
    *out = TN_F64;
  } else if (object == reinterpret_cast<PyObject*>(&PyLong_Type)) {
    *out = TN_I64;
  } else if (object == reinterpret_cast<PyObject*>(&PyBool_Type)) {
    *out = TN_BOOL;
  } else if (object == reinterpret_cast<PyObject*>(&PyComplex_Type)) {
    *out = TN_C128;
  } else {
    return false;
  }
  return true;
}

bool parse_dtype(PyObject* object, tn_dtype* out) {
  if (object == nullptr || object == Py_None || dtype_from(object, out)) return true;
  PyErr_Format(PyExc_TypeError, "dtype must be a tenon.dtype such as tenon.float32, not %R",
               object);
  return false;
}

bool add_dtypes(PyObject* module) {
  dtype_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  if (dtype_type == nullptr || PyModule_AddType(module, dtype_type) < 0) return false;
  for (int i = 0; i < kDtypeCount; ++i) {
    auto* object = PyObject_New(DtypeObject, dtype_type);
    if (object == nullptr) return false;
    object->dtype = static_cast<tn_dtype>(i);
    objects[static_cast<std::size_t>(i)] = reinterpret_cast<PyObject*>(object);
    for (const char* name : {kInfo[i].name, tn_dtype_name(object->dtype)}) {
      if (PyModule_AddObjectRef(module, name, dtype_object(i)) < 0) return false;
    }
  }
  for (const Alias& alias : kAliases) {
    if (PyModule_AddObjectRef(module, alias.name, dtype_object(alias.dtype)) < 0) return false;
  }
  return true;
}

}  // namespace tenon_python
