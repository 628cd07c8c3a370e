// invoke.h - what is done with arguments once they are bound: run the operator, or explain the
// call.
#pragma once
#include "arguments.h"

namespace tenon_python {

using Handler = PyObject* (*)(Signature& signature, const Arguments& arguments);

PyObject* run(Signature& signature, const Arguments& arguments);
PyObject* run_explain(Signature& signature, const Arguments& arguments);
PyObject* run_explain_json(Signature& signature, const Arguments& arguments);

}  // namespace tenon_python
