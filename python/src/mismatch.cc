#include "mismatch.h"

#include <algorithm>
#include <string>
#include <vector>

#include "errors.h"
#include "tensor.h"

namespace tenon_python {
namespace {

// A tensor by form ("f32[2,3]@cpu"), a list by its first element, a number with its value, the rest
// by type.
std::string describe(PyObject* object) {
  if (is_tensor(object)) {
    char text[256];
    tn_tensor_describe(tensor_of(object), text, sizeof text);
    return std::string("Tensor ") + text;
  }
  const bool list = PyList_Check(object);
  if (list || PyTuple_Check(object)) {
    if (PySequence_Fast_GET_SIZE(object) == 0) return list ? "[]" : "()";
    const std::string item = type_name(PySequence_Fast_ITEMS(object)[0]);
    return (list ? "list of " : "tuple of ") + item;
  }
  if (is_number(object) && !PyComplex_Check(object)) {
    Ref text(PyObject_Repr(object));
    const char* digits = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
    if (digits != nullptr) return std::string(type_name(object)) + " " + digits;
    PyErr_Clear();
  }
  return type_name(object);
}

std::string text_of(PyObject* unicode) {
  const char* text = PyUnicode_AsUTF8(unicode);
  if (text == nullptr) PyErr_Clear();
  return text != nullptr ? text : "?";
}

std::string describe(const Given& given) {
  std::string text = "(";
  const std::size_t names =
      given.names != nullptr ? static_cast<std::size_t>(PyTuple_GET_SIZE(given.names)) : 0;
  for (std::size_t i = 0; i < given.nargs + names; ++i) {
    if (i > 0) text += ", ";
    if (i >= given.nargs) {
      text += text_of(PyTuple_GET_ITEM(given.names, static_cast<Py_ssize_t>(i - given.nargs)));
      text += '=';
    }
    text += describe(given.values[i]);
  }
  return text + ")";
}

bool is_too_large(PyObject* object) {
  int overflow = 0;
  if (PyLong_Check(object)) PyLong_AsLongLongAndOverflow(object, &overflow);
  return overflow != 0;
}

std::string reason(const Signature& signature, const Mismatch& mismatch) {
  const tn_schema& schema = *signature.schema;
  const auto quoted = [&] { return std::string("'") + schema.args[mismatch.parameter].name + "'"; };
  switch (mismatch.kind) {
    case Mismatch::Kind::kTooMany:
      return "takes at most " + std::to_string(schema.npositional) + " positional arguments";
    case Mismatch::Kind::kMissing:
      return "argument " + quoted() + " is missing";
    case Mismatch::Kind::kUnknown:
      return "has no argument '" + text_of(mismatch.given) + "'";
    case Mismatch::Kind::kTwice:
      return "argument " + quoted() + " is given twice";
    case Mismatch::Kind::kType:
      return "argument " + quoted() + " cannot be " + describe(mismatch.given) +
             (is_too_large(mismatch.given)
                  ? ", which does not fit into 64 bits; where a float will do, make it one"
                  : "");
    default:
      return "at least one argument must be a Tensor";
  }
}

// Whether the call would be one if its integers were smaller.
bool would_fit_smaller(const std::vector<Signature>& candidates, const Given& given) {
  const std::size_t names =
      given.names != nullptr ? static_cast<std::size_t>(PyTuple_GET_SIZE(given.names)) : 0;
  std::vector<PyObject*> values(given.values, given.values + given.nargs + names);
  Ref zero(PyLong_FromLong(0));
  if (!zero || std::none_of(values.begin(), values.end(), is_too_large)) return false;
  std::replace_if(values.begin(), values.end(), is_too_large, zero.get());
  Given smaller = given;
  smaller.values = values.data();
  return std::any_of(candidates.begin(), candidates.end(), [&](const Signature& signature) {
    Arguments arguments;
    Mismatch mismatch{};
    return arguments.bind(signature, smaller, false, &mismatch);
  });
}

}  // namespace

PyObject* raise_mismatch(const char* name, const std::vector<Signature>& candidates,
                         const Given& given) {
  std::string text = std::string(name) + "() cannot be called with " + describe(given);
  text += candidates.size() == 1 ? ". Its signature is" : ". Its signatures are";
  for (const Signature& signature : candidates) {
    Arguments arguments;
    Mismatch mismatch{};
    if (arguments.bind(signature, given, false, &mismatch)) continue;
    if (PyErr_Occurred() != nullptr) return nullptr;
    text += std::string("\n  ") + signature.schema->text + "\n      " + reason(signature, mismatch);
  }
  const bool overflow = would_fit_smaller(candidates, given);
  if (PyErr_Occurred() != nullptr) return nullptr;
  PyErr_SetString(overflow ? PyExc_OverflowError : PyExc_TypeError, text.c_str());
  return nullptr;
}

}  // namespace tenon_python
