#include "invoke.h"

#include <structseq.h>

#include <algorithm>

#include "autograd.h"
#include "errors.h"
#include "tensor.h"

namespace tenon_python {
namespace {

// Work on more elements than this is worth letting other Python threads run; the hand-over costs
// some 50 ns.
constexpr int64_t kLongWork = 1 << 15;

// The core's call, without the interpreter lock where it may take long: factories say nothing of
// their size here.
tn_status call(const tn_op* op, const Arguments& arguments, tn_value* results, uint32_t nresults) {
  const GilRelease release(arguments.numel > kLongWork || !arguments.any_tensor);
  return tn_call(op, arguments.values, arguments.count, results, nresults);
}

// A named tuple for results that all have names, as max's (values, indices); else null and no
// exception.
PyTypeObject* result_type(Signature& signature) {
  const tn_schema& schema = *signature.schema;
  if (signature.result) return reinterpret_cast<PyTypeObject*>(signature.result.get());
  PyStructSequence_Field fields[kMaxResults + 1] = {};
  for (uint32_t i = 0; i < schema.nrets; ++i) {
    if (schema.rets[i].name[0] == '\0') return nullptr;
    fields[i] = {schema.rets[i].name, nullptr};
  }
  Ref name(PyUnicode_FromFormat("tenon.return_types.%s", schema.name));
  if (!name) return nullptr;
  PyStructSequence_Desc description = {PyUnicode_AsUTF8(name.get()), nullptr, fields,
                                       static_cast<int>(schema.nrets)};
  PyTypeObject* type = PyStructSequence_NewType(&description);  // which copies the name
  signature.result = Ref(reinterpret_cast<PyObject*>(type));
  return type;
}

// Takes over the results.
PyObject* pack(Signature& signature, tn_value* results) {
  const uint32_t count = signature.schema->nrets;
  PyTypeObject* type = result_type(signature);
  Ref tuple;
  if (PyErr_Occurred() == nullptr) {
    tuple = Ref(type != nullptr ? PyStructSequence_New(type) : PyTuple_New(count));
  }
  for (uint32_t i = 0; i < count; ++i) {
    if (!tuple) {
      tn_value_drop(&results[i]);
      continue;
    }
    PyObject* item = python_from(&results[i]);
    if (item == nullptr) {
      tuple = Ref();
    } else {  // a struct sequence is laid out as a tuple
      PyTuple_SET_ITEM(tuple.get(), i, item);
    }
  }
  return tuple.release();
}

PyObject* run_out(Signature& signature, const Arguments& arguments) {
  const tn_schema& schema = *signature.schema;
  PyObject* const* items = &arguments.out;
  uint32_t count = 1;
  if (PyTuple_Check(arguments.out) || PyList_Check(arguments.out)) {
    items = PySequence_Fast_ITEMS(arguments.out);
    count = static_cast<uint32_t>(PySequence_Fast_GET_SIZE(arguments.out));
  }
  tn_value results[kMaxResults];
  const bool fits = count == schema.nrets &&
                    std::all_of(items, items + count, [](PyObject* o) { return is_tensor(o); });
  if (!fits) {
    PyErr_Format(PyExc_TypeError, "%s(): out must be %s, not %R", schema.name,
                 schema.nrets == 1 ? "a Tensor" : "a tuple of as many Tensors as there are results",
                 arguments.out);
    return nullptr;
  }
  for (uint32_t i = 0; i < count; ++i) results[i] = tensor_value(tensor_of(items[i]));
  if (failed(call(signature.out, arguments, results, count))) return nullptr;
  if (arguments.requires_grad && !set_requires_grad(results[0].u.tensor, true)) return nullptr;
  return Py_NewRef(arguments.out);
}

PyObject* explain(const Signature& signature, const Arguments& arguments, bool json) {
  const tn_op* op = arguments.out != nullptr ? signature.out : signature.op;
  OwnedValue text;
  if (failed(tn_explain(op, arguments.values, arguments.count, json, &text))) return nullptr;
  return text_from(text);
}

}  // namespace

PyObject* run(Signature& signature, const Arguments& arguments) {
  if (arguments.out != nullptr) return run_out(signature, arguments);
  if (signature.returns_receiver) {
    if (failed(call(signature.op, arguments, nullptr, 0))) return nullptr;
    return Py_NewRef(arguments.first);
  }
  tn_value results[kMaxResults];
  const uint32_t nresults = signature.schema->nrets;
  if (failed(call(signature.op, arguments, results, nresults))) return nullptr;
  if (nresults != 1) {
    if (nresults == 0) Py_RETURN_NONE;
    return pack(signature, results);
  }
  // Operators such as `contiguous` may return their argument: it is then the same object in Python
  // too.
  if (results[0].tag == TN_TAG_TENSOR && arguments.count > 0 &&
      arguments.values[0].tag == TN_TAG_TENSOR &&
      arguments.values[0].u.tensor == results[0].u.tensor) {
    tn_value_drop(&results[0]);
    return Py_NewRef(arguments.first);
  }
  if (arguments.requires_grad && !set_requires_grad(results[0].u.tensor, true)) {
    tn_value_drop(&results[0]);
    return nullptr;
  }
  return python_from(&results[0]);
}

PyObject* run_explain(Signature& signature, const Arguments& arguments) {
  return explain(signature, arguments, false);
}
PyObject* run_explain_json(Signature& signature, const Arguments& arguments) {
  return explain(signature, arguments, true);
}

}  // namespace tenon_python
