#include "operator.h"

#include <structmember.h>

#include <cstddef>
#include <forward_list>
#include <string>

#include "arguments.h"
#include "errors.h"
#include "guard.h"
#include "invoke.h"
#include "mismatch.h"
#include "signature.h"

namespace tenon_python {
namespace {

struct OperatorObject {
  PyObject_HEAD vectorcallfunc vectorcall;
  std::string* name;      // "add", "add_", "acme::swiglu"
  std::string* overload;  // null for all of them
  // The newest reading of the registry comes first. Older ones stay, since a call on another thread
  // may be using them.
  std::forward_list<std::vector<Signature>>* readings;
  bool method;
};

PyTypeObject* operator_type = nullptr;

OperatorObject* cast(PyObject* self) {
  return reinterpret_cast<OperatorObject*>(self);
}
std::vector<Signature>& signatures(OperatorObject* self) {
  return self->readings->front();
}

// Reads the overloads anew; returns whether there are more than before. Plugins that were loaded
// since may add some.
bool refresh(OperatorObject* self) {
  std::vector<Signature> found;
  const char* overload = self->overload != nullptr ? self->overload->c_str() : nullptr;
  if (!find_signatures(self->name->c_str(), overload, self->method, &found)) return false;
  if (found.size() <= signatures(self).size()) return false;
  self->readings->push_front(std::move(found));
  return true;
}

PyObject* try_overloads(OperatorObject* self, const Given& given, Handler handler, bool* matched) {
  *matched = true;
  Arguments arguments;
  Mismatch mismatch;
  for (const bool items : {false, true}) {
    for (Signature& signature : signatures(self)) {
      if (arguments.bind(signature, given, items, &mismatch)) return handler(signature, arguments);
      if (PyErr_Occurred() != nullptr) return nullptr;
    }
  }
  *matched = false;
  return nullptr;
}

PyObject* dispatch(OperatorObject* self, const Given& given, Handler handler) {
  bool matched = false;
  PyObject* result = try_overloads(self, given, handler, &matched);
  if (matched) return result;
  if (refresh(self)) result = try_overloads(self, given, handler, &matched);
  if (matched || PyErr_Occurred() != nullptr) return result;
  if (signatures(self).empty()) {
    PyErr_Format(PyExc_RuntimeError,
                 "no plugin provides an operator named %s; tenon.doctor() lists the plugins found",
                 self->name->c_str());
    return nullptr;
  }
  return raise_mismatch(self->name->c_str(), signatures(self), given);
}

PyObject* vectorcall(PyObject* self, PyObject* const* args, std::size_t nargsf, PyObject* names) {
  const auto nargs = static_cast<std::size_t>(PyVectorcall_NARGS(nargsf));
  return dispatch(cast(self), {args, nargs, names, cast(self)->method}, run);
}

// Both have the arguments of the call itself, so the choice of format cannot be one of them.
PyObject* explain(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  const Given given{args, static_cast<std::size_t>(nargs), names, cast(self)->method};
  return dispatch(cast(self), given, run_explain);
}

PyObject* explain_json(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  const Given given{args, static_cast<std::size_t>(nargs), names, cast(self)->method};
  return dispatch(cast(self), given, run_explain_json);
}

void dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  delete cast(self)->name;
  delete cast(self)->overload;
  delete cast(self)->readings;
  type->tp_free(self);
  Py_DECREF(type);
}

std::string full_name(PyObject* self) {
  std::string name = *cast(self)->name;
  if (cast(self)->overload != nullptr) {
    name += '.';
    name += cast(self)->overload->empty() ? "default" : *cast(self)->overload;
  }
  return name;
}

PyObject* repr(PyObject* self) {
  return PyUnicode_FromFormat(
      cast(self)->method ? "<method '%s' of tenon.Tensor>" : "<operator tenon.ops.%s>",
      full_name(self).c_str());
}

PyObject* bind_method(PyObject* self, PyObject* instance, PyObject*) {
  if (instance == nullptr || instance == Py_None || !cast(self)->method) return Py_NewRef(self);
  return PyMethod_New(self, instance);
}

PyObject* find_overload(PyObject* self, PyObject* attribute) {
  PyObject* found = PyObject_GenericGetAttr(self, attribute);
  if (found != nullptr || cast(self)->overload != nullptr ||
      !PyErr_ExceptionMatches(PyExc_AttributeError)) {
    return found;
  }
  const char* text = PyUnicode_AsUTF8(attribute);
  if (text == nullptr || text[0] == '_') return nullptr;
  PyErr_Clear();
  const std::string name = *cast(self)->name + "." + text;
  const int exists = operator_exists(name.c_str(), cast(self)->method);
  if (exists > 0) return make_operator(name.c_str(), cast(self)->method);
  if (exists == 0) {
    PyErr_Format(PyExc_AttributeError, "operator %s has no overload named %s",
                 cast(self)->name->c_str(), text);
  }
  return nullptr;
}

PyObject* reduce(PyObject* self, PyObject*) {
  Ref module(PyImport_ImportModule("tenon._C"));
  if (!module) return nullptr;
  return Py_BuildValue("N(si)", PyObject_GetAttrString(module.get(), "operator"),
                       full_name(self).c_str(), cast(self)->method ? 1 : 0);
}

PyObject* get_name(PyObject* self, void*) {
  return PyUnicode_FromString(full_name(self).c_str());
}

PyObject* get_module(PyObject*, void*) {
  return PyUnicode_FromString("tenon");
}

// The texts of the schemas, one an overload.
PyObject* get_schemas(PyObject* self, void*) {
  refresh(cast(self));
  if (PyErr_Occurred() != nullptr) return nullptr;
  Ref list(PyList_New(0));
  for (const Signature& signature : signatures(cast(self))) {
    Ref text(PyUnicode_FromString(signature.schema->text));
    if (!list || !text || PyList_Append(list.get(), text.get()) < 0) return nullptr;
  }
  return list.release();
}

PyObject* get_doc(PyObject* self, void*) {
  refresh(cast(self));
  if (PyErr_Occurred() != nullptr) return nullptr;
  std::string text;
  const char* previous = nullptr;
  for (const Signature& signature : signatures(cast(self))) {
    const char* doc = tn_op_facts(signature.op)->doc;
    text += signature.schema->text;
    text += '\n';
    if (doc != nullptr && (previous == nullptr || std::string(doc) != previous)) {
      text += "\n    ";
      text += doc;
      text += "\n\n";
    }
    previous = doc;
  }
  return PyUnicode_FromString(text.c_str());
}

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(OperatorObject, vectorcall), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};
PyMethodDef methods[] = {
    {"explain", as_method(guarded<explain>), METH_FASTCALL | METH_KEYWORDS,
     "How a call with these arguments would travel, as text. Nothing runs."},
    {"explain_json", as_method(guarded<explain_json>), METH_FASTCALL | METH_KEYWORDS,
     "As explain(), as JSON text."},
    {"__reduce__", guarded<reduce>, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};
PyGetSetDef getset[] = {
    {"__name__", guarded<get_name>, nullptr, nullptr, nullptr},
    {"__qualname__", guarded<get_name>, nullptr, nullptr, nullptr},
    {"__module__", guarded<get_module>, nullptr, nullptr, nullptr},
    {"__doc__", guarded<get_doc>, nullptr, nullptr, nullptr},
    {"schemas", guarded<get_schemas>, nullptr,
     "The schema of each overload, in the order they are tried.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};
PyType_Slot slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
    {Py_tp_repr, reinterpret_cast<void*>(guarded<repr>)},
    {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
    {Py_tp_descr_get, reinterpret_cast<void*>(guarded<bind_method>)},
    {Py_tp_getattro, reinterpret_cast<void*>(guarded<find_overload>)},
    {Py_tp_members, members},
    {Py_tp_methods, methods},
    {Py_tp_getset, getset},
    {0, nullptr},
};
PyType_Spec spec = {"tenon.Operator", sizeof(OperatorObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR |
                        Py_TPFLAGS_DISALLOW_INSTANTIATION,
                    slots};

// "add.Tensor" is the name add and the overload Tensor; "add.default" the overload without a name.
std::string split(const char* text, std::string* overload, bool* one) {
  std::string name = text;
  const std::size_t dot = name.find('.');
  *one = dot != std::string::npos;
  if (!*one) return name;
  *overload = name.substr(dot + 1);
  if (*overload == "default") overload->clear();
  return name.substr(0, dot);
}

}  // namespace

PyObject* make_operator(const char* text, bool method) {
  std::string overload;
  bool one = false;
  auto name = std::make_unique<std::string>(split(text, &overload, &one));
  auto chosen = one ? std::make_unique<std::string>(overload) : nullptr;
  auto readings = std::make_unique<std::forward_list<std::vector<Signature>>>(1);
  auto* self = PyObject_New(OperatorObject, operator_type);
  if (self == nullptr) return nullptr;
  self->vectorcall = guarded<vectorcall>;
  self->name = name.release();
  self->overload = chosen.release();
  self->readings = readings.release();
  self->method = method;
  return reinterpret_cast<PyObject*>(self);
}

int operator_exists(const char* text, bool method) {
  std::string overload;
  bool one = false;
  const std::string name = split(text, &overload, &one);
  std::vector<Signature> found;
  if (!find_signatures(name.c_str(), one ? overload.c_str() : nullptr, method, &found)) return -1;
  return !found.empty();
}

PyObject* call_operator(PyObject* op, PyObject* const* args, std::size_t nargs) {
  return vectorcall(op, args, nargs, nullptr);
}

bool add_operator(PyObject* module) {
  operator_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return operator_type != nullptr && PyModule_AddType(module, operator_type) == 0;
}

}  // namespace tenon_python
