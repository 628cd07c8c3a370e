#include "object.h"

#include "device.h"
#include "errors.h"
#include "guard.h"

namespace tenon_python {
namespace {

struct ObjectObject {
  PyObject_HEAD tn_object* object;
  tn_device device;  // generators only
};

PyTypeObject* object_type = nullptr;
PyTypeObject* generator_type = nullptr;

ObjectObject* cast(PyObject* self) {
  return reinterpret_cast<ObjectObject*>(self);
}

void dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  tn_object_release(cast(self)->object);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* repr(PyObject* self) {
  return PyUnicode_FromFormat("<%s object at %p>", cast(self)->object->type->name,
                              static_cast<void*>(cast(self)->object));
}

PyObject* create_generator(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"device", nullptr};
  PyObject* device_argument = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O:Generator", const_cast<char**>(names),
                                   &device_argument)) {
    return nullptr;
  }
  tn_device device{};
  if (!host_device(&device) || !parse_device(device_argument, &device)) return nullptr;
  tn_object* generator = nullptr;
  if (failed(tn_generator_create(device, 0, &generator))) return nullptr;
  PyObject* self = type->tp_alloc(type, 0);
  if (self == nullptr) {
    tn_object_release(generator);
    return nullptr;
  }
  cast(self)->object = generator;
  cast(self)->device = device;
  return self;
}

PyObject* manual_seed(PyObject* self, PyObject* argument) {
  const unsigned long long seed = PyLong_AsUnsignedLongLongMask(argument);
  if (PyErr_Occurred() != nullptr) return nullptr;
  if (failed(tn_generator_seed(cast(self)->object, cast(self)->device, seed))) return nullptr;
  return Py_NewRef(self);
}

PyObject* initial_seed(PyObject* self, PyObject*) {
  uint64_t seed = 0;
  uint64_t offset = 0;
  if (failed(tn_generator_get_state(cast(self)->object, cast(self)->device, &seed, &offset))) {
    return nullptr;
  }
  return PyLong_FromUnsignedLongLong(seed);
}

PyObject* get_state(PyObject* self, PyObject*) {
  uint64_t seed = 0;
  uint64_t offset = 0;
  if (failed(tn_generator_get_state(cast(self)->object, cast(self)->device, &seed, &offset))) {
    return nullptr;
  }
  return Py_BuildValue("KK", static_cast<unsigned long long>(seed),
                       static_cast<unsigned long long>(offset));
}

PyObject* set_state(PyObject* self, PyObject* argument) {
  unsigned long long seed = 0;
  unsigned long long offset = 0;
  if (!PyTuple_Check(argument)) {
    PyErr_Format(PyExc_TypeError, "set_state() takes the pair that get_state() returned, not %s",
                 type_name(argument));
    return nullptr;
  }
  if (!PyArg_ParseTuple(argument, "KK:set_state", &seed, &offset)) return nullptr;
  if (failed(tn_generator_set_state(cast(self)->object, cast(self)->device, seed, offset))) {
    return nullptr;
  }
  return Py_NewRef(self);
}

PyObject* get_device(PyObject* self, void*) {
  return device_object(cast(self)->device);
}

PyType_Slot object_slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
    {Py_tp_repr, reinterpret_cast<void*>(guarded<repr>)},
    {Py_tp_doc, const_cast<char*>("An object of the runtime that is no tensor.")},
    {0, nullptr},
};
PyType_Spec object_spec = {
    "tenon.Object", sizeof(ObjectObject), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION, object_slots};

PyMethodDef generator_methods[] = {
    {"manual_seed", guarded<manual_seed>, METH_O, "Starts the stream that a seed defines."},
    {"initial_seed", guarded<initial_seed>, METH_NOARGS, "The seed."},
    {"get_state", guarded<get_state>, METH_NOARGS, "The pair (seed, offset)."},
    {"set_state", guarded<set_state>, METH_O, "Goes back to a pair (seed, offset)."},
    {nullptr, nullptr, 0, nullptr},
};
PyGetSetDef generator_getset[] = {
    {"device", guarded<get_device>, nullptr, "The device it makes numbers for.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};
PyType_Slot generator_slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(guarded<create_generator>)},
    {Py_tp_methods, generator_methods},
    {Py_tp_getset, generator_getset},
    {Py_tp_doc, const_cast<char*>("Generator(device='cpu')\n--\n\n"
                                  "A stream of random numbers (Philox 4x32-10), seed 0 at first.")},
    {0, nullptr},
};
PyType_Spec generator_spec = {"tenon.Generator", sizeof(ObjectObject), 0, Py_TPFLAGS_DEFAULT,
                              generator_slots};

}  // namespace

tn_object* object_from(PyObject* object) {
  return PyObject_TypeCheck(object, object_type) ? cast(object)->object : nullptr;
}

PyObject* wrap_object(tn_object* owned) {
  auto* self = PyObject_New(ObjectObject, object_type);
  if (self == nullptr) {
    tn_object_release(owned);
    return nullptr;
  }
  self->object = owned;
  self->device = tn_device{};
  return reinterpret_cast<PyObject*>(self);
}

bool add_object(PyObject* module) {
  object_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&object_spec));
  if (object_type == nullptr || PyModule_AddType(module, object_type) < 0) return false;
  PyObject* base = reinterpret_cast<PyObject*>(object_type);
  generator_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpecWithBases(&generator_spec, base));
  return generator_type != nullptr && PyModule_AddType(module, generator_type) == 0;
}

}  // namespace tenon_python
