#include "constant.h"

#include "guard.h"

namespace tenon_python {
namespace {

struct ConstantObject {
  PyObject_HEAD tn_tag tag;
  int64_t value;
  const char* name;
};

struct Row {
  tn_tag tag;
  int64_t value;
  const char* name;
  PyObject* object;
};
Row rows[] = {
    {TN_TAG_LAYOUT, TN_STRIDED, "strided", nullptr},
    {TN_TAG_MEMORY_FORMAT, TN_CONTIGUOUS, "contiguous_format", nullptr},
    {TN_TAG_MEMORY_FORMAT, TN_CHANNELS_LAST, "channels_last", nullptr},
    {TN_TAG_MEMORY_FORMAT, TN_PRESERVE, "preserve_format", nullptr},
};

PyTypeObject* layout_type = nullptr;
PyTypeObject* memory_format_type = nullptr;

PyObject* repr(PyObject* self) {
  return PyUnicode_FromFormat("tenon.%s", reinterpret_cast<ConstantObject*>(self)->name);
}
PyObject* reduce(PyObject* self, PyObject*) {
  return PyUnicode_FromString(reinterpret_cast<ConstantObject*>(self)->name);
}

PyMethodDef methods[] = {
    {"__reduce__", guarded<reduce>, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};
PyType_Slot slots[] = {
    {Py_tp_repr, reinterpret_cast<void*>(guarded<repr>)},
    {Py_tp_methods, methods},
    {0, nullptr},
};
constexpr unsigned kFlags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION;
PyType_Spec layout_spec = {"tenon.layout", sizeof(ConstantObject), 0, kFlags, slots};
PyType_Spec memory_format_spec = {"tenon.memory_format", sizeof(ConstantObject), 0, kFlags, slots};

PyTypeObject* type_of(tn_tag tag) {
  return tag == TN_TAG_LAYOUT ? layout_type : memory_format_type;
}

}  // namespace

bool constant_from(PyObject* object, tn_tag tag, tn_value* out) {
  if (!Py_IS_TYPE(object, type_of(tag))) return false;
  *out = tn_value{};
  out->tag = static_cast<uint16_t>(tag);
  out->u.i = reinterpret_cast<ConstantObject*>(object)->value;
  return true;
}

PyObject* constant_object(tn_tag tag, int64_t value) {
  for (const Row& row : rows) {
    if (row.tag == tag && row.value == value) return row.object;
  }
  return nullptr;
}

bool add_constants(PyObject* module) {
  layout_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&layout_spec));
  memory_format_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&memory_format_spec));
  if (layout_type == nullptr || memory_format_type == nullptr) return false;
  for (PyTypeObject* type : {layout_type, memory_format_type}) {
    if (PyModule_AddType(module, type) < 0) return false;
  }
  for (Row& row : rows) {
    auto* object = PyObject_New(ConstantObject, type_of(row.tag));
    if (object == nullptr) return false;
    object->tag = row.tag;
    object->value = row.value;
    object->name = row.name;
    row.object = reinterpret_cast<PyObject*>(object);
    if (PyModule_AddObjectRef(module, row.name, row.object) < 0) return false;
  }
  return true;
}

}  // namespace tenon_python
