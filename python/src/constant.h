// constant.h - the named constants that schemas know beside dtypes: layouts and memory formats.
#pragma once
#include "ref.h"

namespace tenon_python {

// Reads a constant of the wanted tag (TN_TAG_LAYOUT or TN_TAG_MEMORY_FORMAT); false, without an
// exception, otherwise.
bool constant_from(PyObject* object, tn_tag tag, tn_value* out);
// The object for a value, borrowed; null for a number that is none.
PyObject* constant_object(tn_tag tag, int64_t value);

bool add_constants(PyObject* module);

}  // namespace tenon_python
