#include "device.h"

#include "errors.h"
#include "guard.h"

namespace tenon_python {
namespace {

struct DeviceObject {
  PyObject_HEAD tn_device device;
};

PyTypeObject* device_type = nullptr;

tn_device device_of(PyObject* self) {
  return reinterpret_cast<DeviceObject*>(self)->device;
}
bool is_host(tn_device device) {
  return (tn_device_flags(device.type) & TN_DEVICE_HOST) != 0;
}

PyObject* create(PyTypeObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"type", "index", nullptr};
  PyObject* type = nullptr;
  PyObject* index = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|O:device", const_cast<char**>(names), &type,
                                   &index)) {
    return nullptr;
  }
  tn_device device{};
  if (index == Py_None) {
    if (type == Py_None) {
      PyErr_SetString(PyExc_TypeError, "device() needs a name such as 'cpu', not None");
      return nullptr;
    }
    return parse_device(type, &device) ? device_object(device) : nullptr;
  }
  Ref text(PyUnicode_FromFormat("%S:%S", type, index));
  return text && parse_device(text.get(), &device) ? device_object(device) : nullptr;
}

PyObject* text_of(PyObject* self) {
  const tn_device device = device_of(self);
  const char* name = tn_device_name(device.type);
  if (is_host(device)) return PyUnicode_FromString(name);
  return PyUnicode_FromFormat("%s:%d", name, device.index);
}

PyObject* repr(PyObject* self) {
  const tn_device device = device_of(self);
  const char* name = tn_device_name(device.type);
  if (is_host(device)) return PyUnicode_FromFormat("device(type='%s')", name);
  return PyUnicode_FromFormat("device(type='%s', index=%d)", name, device.index);
}

PyObject* compare(PyObject* self, PyObject* other, int operation) {
  if (!is_device(other) || (operation != Py_EQ && operation != Py_NE)) Py_RETURN_NOTIMPLEMENTED;
  const tn_device a = device_of(self);
  const tn_device b = device_of(other);
  const bool equal = a.type == b.type && a.index == b.index;
  return PyBool_FromLong(equal == (operation == Py_EQ));
}

Py_hash_t hash(PyObject* self) {
  const tn_device device = device_of(self);
  return static_cast<Py_hash_t>(device.type) * 1000003 + device.index + 1;
}

PyObject* reduce(PyObject* self, PyObject*) {
  return Py_BuildValue("O(N)", Py_TYPE(self), text_of(self));
}

PyObject* get_type(PyObject* self, void*) {
  return PyUnicode_FromString(tn_device_name(device_of(self).type));
}
PyObject* get_index(PyObject* self, void*) {
  const tn_device device = device_of(self);
  if (is_host(device)) Py_RETURN_NONE;
  return PyLong_FromLong(device.index);
}

PyGetSetDef getset[] = {
    {"type", guarded<get_type>, nullptr, "The name of the device type, such as 'cpu'.", nullptr},
    {"index", guarded<get_index>, nullptr, "Which of its devices; None for the host.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};
PyMethodDef methods[] = {
    {"__reduce__", guarded<reduce>, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};
PyType_Slot slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(guarded<create>)},
    {Py_tp_repr, reinterpret_cast<void*>(guarded<repr>)},
    {Py_tp_str, reinterpret_cast<void*>(guarded<text_of>)},
    {Py_tp_richcompare, reinterpret_cast<void*>(guarded<compare>)},
    {Py_tp_hash, reinterpret_cast<void*>(hash)},
    {Py_tp_methods, methods},
    {Py_tp_getset, getset},
    {Py_tp_doc, const_cast<char*>("device(type, index=None)\n--\n\n"
                                  "A device: device('cpu'), device('cuda:1'), device('cuda', 1). "
                                  "Loads the plugin that provides it.")},
    {0, nullptr},
};
PyType_Spec spec = {"tenon.device", sizeof(DeviceObject), 0, Py_TPFLAGS_DEFAULT, slots};

}  // namespace

bool is_device(PyObject* object) {
  return Py_IS_TYPE(object, device_type);
}

PyObject* device_object(tn_device device) {
  auto* object = PyObject_New(DeviceObject, device_type);
  if (object != nullptr) object->device = device;
  return reinterpret_cast<PyObject*>(object);
}

bool parse_device(PyObject* object, tn_device* out) {
  if (object == nullptr || object == Py_None) return true;
  if (is_device(object)) {
    *out = device_of(object);
    return true;
  }
  if (!PyUnicode_Check(object)) {
    PyErr_Format(PyExc_TypeError, "device must be a tenon.device or a name such as 'cpu', not %R",
                 object);
    return false;
  }
  const char* text = PyUnicode_AsUTF8(object);
  return text != nullptr && !failed(tn_device_parse(text, out));
}

bool host_device(tn_device* out) {
  static tn_device host{};
  if (host.type == TN_DEVICE_NONE && failed(tn_device_host(&host))) return false;
  *out = host;
  return true;
}

bool add_device(PyObject* module) {
  device_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return device_type != nullptr && PyModule_AddType(module, device_type) == 0;
}

}  // namespace tenon_python
