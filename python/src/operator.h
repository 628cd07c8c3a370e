// operator.h - `tenon.Operator`: all overloads of one operator name as a Python callable.
//
// The same type serves as function (`tenon.add`), as method (`x.add`: the type says
// METHOD_DESCRIPTOR, so no bound method is made for a call) and as one overload
// (`tenon.ops.add.Tensor`). Overloads are read from the registry at the first call and tried in
// order of declaration; the first that the arguments fit is called.
#pragma once
#include "ref.h"

namespace tenon_python {

// A new Operator, or null with an exception set. `name` may hold an overload ("add.Tensor").
// Nothing is looked up.
PyObject* make_operator(const char* name, bool method);
// Whether the registry has it, loading the plugin that declares it. -1 when an exception was set.
int operator_exists(const char* name, bool method);

// Calls it with positional arguments: for number slots and indexing.
PyObject* call_operator(PyObject* op, PyObject* const* args, std::size_t nargs);

bool add_operator(PyObject* module);

}  // namespace tenon_python
