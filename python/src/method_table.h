// method_table.h - operators as methods of Tensor, found when they are first asked for.
//
// Importing the package must not load the operators' plugin, so the type starts without its
// operator methods. Its tp_getattro looks an unknown attribute up in the registry; once that has
// found one, all operators known by then become attributes of the type, and the type gets Python's
// ordinary look-up, which is faster: Python calls a method without making a bound-method object
// only on types that have it. Operators that other plugins bring later become methods when
// `tenon.NAME` is first used.
#pragma once
#include "ref.h"

namespace tenon_python {

// tp_getattro of Tensor at first.
PyObject* find_method(PyObject* self, PyObject* name);

// Adds the operators that the registry has gained since the last time. False with an exception set.
bool update_methods();

// Names of all operators known now, in-place forms included: a new list of str.
PyObject* operator_names(PyObject* module, PyObject* unused);

}  // namespace tenon_python
