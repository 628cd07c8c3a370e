#include "method_table.h"

#include <string>
#include <string_view>

#include "operator.h"
#include "tensor.h"

namespace tenon_python {
namespace {

std::size_t operators_seen = 0;

bool takes_receiver(const tn_schema& schema) {
  for (uint32_t i = 0; i < schema.npositional; ++i) {
    const tn_param& param = schema.args[i];
    if (param.type != TN_TYPE_TENSOR || (param.flags & TN_PARAM_LIST) != 0) continue;
    const std::string_view name = param.name;
    if (name == "self" || (i == 0 && name == "input")) return true;
  }
  return false;
}

// Operators whose name has a namespace are found through tenon.ops alone.
bool is_plain(std::string_view name) {
  return name.find("::") == std::string_view::npos;
}

// What the type already has, such as `item`, is not replaced.
bool add_method(const char* name) {
  Ref key(PyUnicode_InternFromString(name));
  if (!key) return false;
  const int present = PyDict_Contains(tensor_type->tp_dict, key.get());
  if (present != 0) return present > 0;
  Ref method(make_operator(name, true));
  return method &&
         PyObject_SetAttr(reinterpret_cast<PyObject*>(tensor_type), key.get(), method.get()) == 0;
}

template <class Visit>
bool visit_operators(std::size_t begin, std::size_t end, Visit visit) {
  for (std::size_t i = begin; i < end; ++i) {
    const tn_op* op = tn_op_at(i);
    const tn_schema& schema = *tn_op_schema(op);
    if (!is_plain(schema.name)) continue;
    if (!visit(schema, schema.name)) return false;
    if ((tn_op_facts(op)->flags & TN_OP_INPLACE) == 0) continue;
    if (!visit(schema, (std::string(schema.name) + "_").c_str())) return false;
  }
  return true;
}

// Gives the type and those derived from it Python's own look-up in place of find_method.
void use_plain_lookup(PyTypeObject* type) {
  if (type->tp_getattro != find_method) return;
  type->tp_getattro = PyObject_GenericGetAttr;
  PyType_Modified(type);
  Ref derived(PyObject_CallMethod(reinterpret_cast<PyObject*>(type), "__subclasses__", nullptr));
  if (!derived) {
    PyErr_Clear();  // those types keep the slower look-up
    return;
  }
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(derived.get()); ++i) {
    use_plain_lookup(reinterpret_cast<PyTypeObject*>(PyList_GET_ITEM(derived.get(), i)));
  }
}

}  // namespace

bool update_methods() {
  const std::size_t count = tn_op_count();
  if (count == operators_seen) return true;
  const bool added =
      visit_operators(operators_seen, count, [](const tn_schema& schema, const char* name) {
        return !takes_receiver(schema) || add_method(name);
      });
  if (!added) return false;
  operators_seen = count;
  // `add` tells that the standard operators are there, and not just those of some other plugin.
  Ref add(PyUnicode_InternFromString("add"));
  if (!add) return false;
  if (PyDict_Contains(tensor_type->tp_dict, add.get()) == 1) use_plain_lookup(tensor_type);
  return true;
}

PyObject* find_method(PyObject* self, PyObject* name) {
  PyObject* found = PyObject_GenericGetAttr(self, name);
  if (found != nullptr || !PyErr_ExceptionMatches(PyExc_AttributeError)) return found;
  const char* text = PyUnicode_AsUTF8(name);
  if (text == nullptr || std::string_view(text).starts_with("__")) return nullptr;
  PyObject* type;
  PyObject* value;
  PyObject* traceback;
  PyErr_Fetch(&type, &value, &traceback);
  const int exists = is_plain(text) ? operator_exists(text, true) : 0;
  if (exists < 0 || !update_methods() || (exists > 0 && !add_method(text))) {
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(traceback);
    return nullptr;
  }
  if (exists == 0) {
    PyErr_Restore(type, value, traceback);
    return nullptr;
  }
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(traceback);
  return PyObject_GenericGetAttr(self, name);
}

PyObject* operator_names(PyObject*, PyObject*) {
  Ref names(PySet_New(nullptr));
  const bool complete =
      names && visit_operators(0, tn_op_count(), [&](const tn_schema&, const char* name) {
        Ref text(PyUnicode_FromString(name));
        return text && PySet_Add(names.get(), text.get()) == 0;
      });
  return complete ? PySequence_List(names.get()) : nullptr;
}

}  // namespace tenon_python
