#include "tensor.h"

#include <structmember.h>

#include <array>
#include <cstddef>
#include <vector>

#include "autograd.h"
#include "convert.h"
#include "dlpack.h"
#include "errors.h"
#include "guard.h"
#include "index.h"
#include "item.h"
#include "method_table.h"
#include "number_slots.h"
#include "properties.h"

namespace tenon_python {

PyTypeObject* tensor_type = nullptr;

namespace {

// Objects of the exact type that died lately. An addition makes one and drops one, so it rarely
// meets the allocator.
constexpr std::size_t kFreeObjects = 64;
std::array<TensorObject*, kFreeObjects> free_objects;
std::size_t free_count = 0;

uint32_t python_slot = 0;

// The slot only borrows its object, so there is nothing to destroy.
void destroy_slot(void*) {}
const tn_slot_type kSlotType = {sizeof(tn_slot_type), 0, "python", destroy_slot, nullptr};

TensorObject* allocate() {
  if (free_count > 0) {
    TensorObject* self = free_objects[--free_count];
    PyObject_Init(reinterpret_cast<PyObject*>(self), tensor_type);
    return self;
  }
  return PyObject_New(TensorObject, tensor_type);
}

void dealloc(PyObject* object) {
  auto* self = reinterpret_cast<TensorObject*>(object);
  // First, so that no callback of a weak reference finds an object that is going. Emptying a slot
  // cannot fail.
  if (self->registered) tn_status_release(tn_tensor_set_slot(self->tensor, python_slot, nullptr));
  if (self->weak_references != nullptr) PyObject_ClearWeakRefs(object);
  tn_tensor_release(self->tensor);
  PyTypeObject* type = Py_TYPE(object);
  if (type == tensor_type && free_count < kFreeObjects) {
    free_objects[free_count++] = self;
  } else {
    type->tp_free(object);
  }
  Py_DECREF(type);
}

PyObject* create(PyTypeObject* type, PyObject*, PyObject*) {
  PyErr_Format(PyExc_TypeError,
               "%s() cannot be called; tenon.tensor(data) makes a tensor from data, tenon.empty() "
               "one without, and Tensor._make_subclass(cls, tensor) one of a subclass",
               type->tp_name);
  return nullptr;
}

PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(TensorObject, weak_references), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

void append(std::vector<PyType_Slot>* slots, const PyType_Slot* more) {
  for (; more->slot != 0; ++more) slots->push_back(*more);
}

}  // namespace

PyObject* wrap_new(tn_tensor* owned) {
  TensorObject* self = allocate();
  if (self == nullptr) {
    tn_tensor_release(owned);
    return nullptr;
  }
  self->tensor = owned;
  self->weak_references = nullptr;
  self->registered = false;
  return reinterpret_cast<PyObject*>(self);
}

bool remember(PyObject* tensor) {
  auto* self = reinterpret_cast<TensorObject*>(tensor);
  if (self->registered || tn_tensor_slot(self->tensor, python_slot) != nullptr) return true;
  if (failed(tn_tensor_set_slot(self->tensor, python_slot, self))) return false;
  self->registered = true;
  return true;
}

PyObject* wrap_shared(tn_tensor* owned) {
  if (auto* object = static_cast<PyObject*>(tn_tensor_slot(owned, python_slot))) {
    tn_tensor_release(owned);
    return Py_NewRef(object);
  }
  Ref object(wrap_new(owned));
  if (!object || !remember(object.get())) return nullptr;
  return object.release();
}

PyObject* wrap_as(PyTypeObject* subclass, tn_tensor* owned) {
  Ref object(subclass->tp_alloc(subclass, 0));
  if (!object) {
    tn_tensor_release(owned);
    return nullptr;
  }
  auto* self = reinterpret_cast<TensorObject*>(object.get());
  self->tensor = owned;  // the rest is zero
  return remember(object.get()) ? object.release() : nullptr;
}

bool add_tensor(PyObject* module) {
  if (failed(tn_slot_register(&kSlotType, &python_slot))) return false;

  std::vector<PyMethodDef> methods;
  for (const PyMethodDef* table :
       {property_methods, item_methods, dlpack_methods, autograd_methods}) {
    for (; table->ml_name != nullptr; ++table) methods.push_back(*table);
  }
  methods.push_back({nullptr, nullptr, 0, nullptr});
  std::vector<PyGetSetDef> getset;
  for (const PyGetSetDef* table : {property_getset, autograd_getset}) {
    for (; table->name != nullptr; ++table) getset.push_back(*table);
  }
  getset.push_back({nullptr, nullptr, nullptr, nullptr, nullptr});

  std::vector<PyType_Slot> slots = {
      {Py_tp_new, reinterpret_cast<void*>(guarded<create>)},
      {Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
      {Py_tp_getattro, reinterpret_cast<void*>(guarded<find_method>)},
      {Py_tp_members, members},
      {Py_tp_doc, const_cast<char*>("An n-dimensional array of one dtype on one device.")},
  };
  for (const PyType_Slot* table : {number_slots, index_slots, item_slots, buffer_slots}) {
    append(&slots, table);
  }
  // The type refers to its tables for as long as the process lives.
  static auto& kept_methods = *new std::vector<PyMethodDef>(std::move(methods));
  static auto& kept_getset = *new std::vector<PyGetSetDef>(std::move(getset));
  slots.push_back({Py_tp_methods, kept_methods.data()});
  slots.push_back({Py_tp_getset, kept_getset.data()});
  slots.push_back({0, nullptr});
  PyType_Spec spec = {"tenon.Tensor", sizeof(TensorObject), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots.data()};
  tensor_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return tensor_type != nullptr && PyModule_AddType(module, tensor_type) == 0;
}

}  // namespace tenon_python
