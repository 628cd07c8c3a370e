#include "dlpack.h"

#include <memory>

#include "autograd.h"
#include "device.h"
#include "errors.h"
#include "guard.h"
#include "tensor.h"
#include "value.h"

namespace tenon_python {
namespace {

// DLPack's structs, under our own names; tn_dltensor is its DLTensor.
struct VersionedTensor {
  uint32_t major;
  uint32_t minor;
  void* context;
  void (*deleter)(VersionedTensor* self);
  uint64_t flags;
  tn_dltensor tensor;
};
struct LegacyTensor {
  tn_dltensor tensor;
  void* context;
  void (*deleter)(LegacyTensor* self);
};
constexpr uint64_t kReadOnly = 1;
constexpr uint64_t kIsCopied = 2;

constexpr const char* kVersionedName = "dltensor_versioned";
constexpr const char* kLegacyName = "dltensor";

// A consumer renames the capsule; one that still has its first name was never consumed.
void delete_versioned(PyObject* capsule) {
  if (!PyCapsule_IsValid(capsule, kVersionedName)) return;
  auto* managed = static_cast<VersionedTensor*>(PyCapsule_GetPointer(capsule, kVersionedName));
  if (managed->deleter != nullptr) managed->deleter(managed);
}
void delete_legacy(PyObject* capsule) {
  if (!PyCapsule_IsValid(capsule, kLegacyName)) return;
  auto* managed = static_cast<LegacyTensor*>(PyCapsule_GetPointer(capsule, kLegacyName));
  if (managed->deleter != nullptr) managed->deleter(managed);
}

// Each form as a shell around the other, which it owns.
LegacyTensor* as_legacy(VersionedTensor* managed) {
  return new LegacyTensor{managed->tensor, managed, [](LegacyTensor* self) {
                            auto* inner = static_cast<VersionedTensor*>(self->context);
                            if (inner->deleter != nullptr) inner->deleter(inner);
                            delete self;
                          }};
}
VersionedTensor* as_versioned(LegacyTensor* managed) {
  return new VersionedTensor{1,
                             0,
                             managed,
                             [](VersionedTensor* self) {
                               auto* inner = static_cast<LegacyTensor*>(self->context);
                               if (inner->deleter != nullptr) inner->deleter(inner);
                               delete self;
                             },
                             0,
                             managed->tensor};
}

struct Delete {
  void operator()(auto* managed) const { managed->deleter(managed); }
};
template <class T>
using Exported = std::unique_ptr<T, Delete>;

PyObject* export_tensor(tn_tensor* tensor, bool versioned, bool copied) {
  void* pointer = nullptr;
  if (failed(tn_tensor_to_dlpack(tensor, &pointer))) return nullptr;
  Exported<VersionedTensor> managed(static_cast<VersionedTensor*>(pointer));
  if (copied) managed->flags |= kIsCopied;
  PyObject* capsule;
  if (versioned) {
    capsule = PyCapsule_New(managed.get(), kVersionedName, delete_versioned);
    if (capsule != nullptr) static_cast<void>(managed.release());
  } else {
    Exported<LegacyTensor> legacy(as_legacy(managed.get()));
    static_cast<void>(managed.release());  // in the other's shell
    capsule = PyCapsule_New(legacy.get(), kLegacyName, delete_legacy);
    if (capsule != nullptr) static_cast<void>(legacy.release());
  }
  return capsule;
}

// (major, minor) of what the consumer can read at most; None means that it knows only legacy
// capsules.
bool reads_versioned(PyObject* max_version, bool* out) {
  *out = false;
  if (max_version == Py_None) return true;
  int major = 0;
  int minor = 0;
  if (!PyTuple_Check(max_version) || !PyArg_ParseTuple(max_version, "ii", &major, &minor)) {
    PyErr_Format(PyExc_TypeError, "__dlpack__(): max_version must be (major, minor), not %R",
                 max_version);
    return false;
  }
  *out = major >= 1;
  return true;
}

// dl_device: where the consumer wants it; only the place where it is can be served without a copy.
bool wants_here(PyObject* dl_device, tn_device here) {
  if (dl_device == Py_None) return true;
  tn_device wanted{};
  if (!PyTuple_Check(dl_device) ||
      !PyArg_ParseTuple(dl_device, "ii", &wanted.type, &wanted.index)) {
    PyErr_Format(PyExc_TypeError, "__dlpack__(): dl_device must be (type, index), not %R",
                 dl_device);
    return false;
  }
  if (wanted.type == here.type && wanted.index == here.index) return true;
  PyErr_Format(PyExc_BufferError,
               "__dlpack__(): the tensor is on device (%d, %d), not (%d, %d); move it with x.to()",
               here.type, here.index, wanted.type, wanted.index);
  return false;
}

PyObject* dlpack(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"stream", "max_version", "dl_device", "copy", nullptr};
  PyObject* stream = Py_None;
  PyObject* max_version = Py_None;
  PyObject* dl_device = Py_None;
  PyObject* copy = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|$OOOO:__dlpack__", const_cast<char**>(names),
                                   &stream, &max_version, &dl_device, &copy)) {
    return nullptr;
  }
  tn_tensor* tensor = tensor_of(self);
  bool versioned = false;
  if (!reads_versioned(max_version, &versioned)) return nullptr;
  if (!wants_here(dl_device, tensor->dl.device)) return nullptr;
  if (requires_grad(tensor)) {
    PyErr_SetString(PyExc_BufferError,
                    "__dlpack__(): the tensor requires gradients, which other libraries would not "
                    "record; use x.detach()");
    return nullptr;
  }
  // The consumer's stream must see what was queued here; without streams there is nothing to wait
  // for.
  if (stream != Py_None && failed(tn_device_synchronize(tensor->dl.device))) return nullptr;
  if (copy != Py_True) return export_tensor(tensor, versioned, false);
  TensorRef duplicate;
  tn_meta meta{};
  meta.device = tensor->dl.device;
  meta.dtype = tensor->dtype;
  meta.ndim = tensor->dl.ndim;
  for (int i = 0; i < meta.ndim; ++i) meta.sizes[i] = tensor->dl.shape[i];
  if (failed(tn_tensor_empty(&meta, receive(duplicate)))) return nullptr;
  if (failed(tn_tensor_copy(duplicate.get(), tensor))) return nullptr;
  return export_tensor(duplicate.get(), versioned, true);
}

PyObject* dlpack_device(PyObject* self, PyObject*) {
  const tn_device device = tensor_of(self)->dl.device;
  return Py_BuildValue("ii", device.type, device.index);
}

// Null, and `managed` is still the caller's, when an exception is set.
TensorRef import_versioned(VersionedTensor* managed) {
  if (managed->major == 1 && (managed->flags & kReadOnly) != 0) {
    PyErr_SetString(PyExc_BufferError,
                    "from_dlpack(): the memory is read-only, and a tensor that shares it could be "
                    "written; pass a copy");
    return nullptr;
  }
  TensorRef tensor;
  if (failed(tn_tensor_from_dlpack(managed, receive(tensor)))) return nullptr;
  return tensor;
}

PyObject* import_capsule(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, kVersionedName)) {
    void* pointer = PyCapsule_GetPointer(capsule, kVersionedName);
    TensorRef tensor = import_versioned(static_cast<VersionedTensor*>(pointer));
    if (!tensor) return nullptr;
    PyCapsule_SetName(capsule, "used_dltensor_versioned");
    return wrap_new(tensor.release());
  }
  if (PyCapsule_IsValid(capsule, kLegacyName)) {
    void* pointer = PyCapsule_GetPointer(capsule, kLegacyName);
    std::unique_ptr<VersionedTensor> shell(as_versioned(static_cast<LegacyTensor*>(pointer)));
    TensorRef tensor = import_versioned(shell.get());
    if (!tensor) return nullptr;  // the capsule still owns what is inside
    static_cast<void>(shell.release());
    PyCapsule_SetName(capsule, "used_dltensor");
    return wrap_new(tensor.release());
  }
  PyErr_SetString(PyExc_ValueError,
                  "from_dlpack(): the capsule holds no DLPack tensor, or was consumed before");
  return nullptr;
}

// Asks for a versioned capsule first; producers of the older protocol do not know the argument.
PyObject* request_capsule(PyObject* source) {
  Ref method(PyObject_GetAttrString(source, "__dlpack__"));
  Ref none(PyTuple_New(0));
  Ref kwargs(Py_BuildValue("{s(ii)}", "max_version", 1, 0));
  if (!method || !none || !kwargs) return nullptr;
  PyObject* capsule = PyObject_Call(method.get(), none.get(), kwargs.get());
  if (capsule != nullptr || !PyErr_ExceptionMatches(PyExc_TypeError)) return capsule;
  PyErr_Clear();
  return PyObject_CallNoArgs(method.get());
}

}  // namespace

PyObject* from_dlpack(PyObject*, PyObject* source) {
  if (PyCapsule_CheckExact(source)) return import_capsule(source);
  if (!PyObject_HasAttrString(source, "__dlpack__")) {
    PyErr_Format(PyExc_TypeError, "from_dlpack() takes an object with __dlpack__, not %s",
                 type_name(source));
    return nullptr;
  }
  Ref capsule(request_capsule(source));
  return capsule ? import_capsule(capsule.get()) : nullptr;
}

const PyMethodDef dlpack_methods[] = {
    {"__dlpack__", as_method(guarded<dlpack>), METH_VARARGS | METH_KEYWORDS,
     "A capsule that lends the memory to another library."},
    {"__dlpack_device__", guarded<dlpack_device>, METH_NOARGS,
     "(device type, index) in DLPack's numbers."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace tenon_python
