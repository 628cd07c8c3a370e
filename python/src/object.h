// object.h - `tenon.Object`: whatever the core passes about that is no tensor (generators, vendors'
// things), and `tenon.Generator`, the one such thing with an interface of its own.
#pragma once
#include "ref.h"

namespace tenon_python {

// The object inside, borrowed; null, without an exception, when `object` holds none.
tn_object* object_from(PyObject* object);
// Wraps an owned object; releases it on failure.
PyObject* wrap_object(tn_object* owned);

bool add_object(PyObject* module);

}  // namespace tenon_python
