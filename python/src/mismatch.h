// mismatch.h - the error for arguments that fit no overload.
#pragma once
#include "arguments.h"

namespace tenon_python {

// Sets a TypeError that names what was given and, for each candidate, its schema and why it does
// not fit; an OverflowError where that is only the size of an integer. Null.
PyObject* raise_mismatch(const char* name, const std::vector<Signature>& candidates,
                         const Given& given);

}  // namespace tenon_python
