// dtype.h - `tenon.dtype`: one object per element type, and what the extension needs to know of
// each.
#pragma once
#include "ref.h"

namespace tenon_python {

struct DtypeInfo {
  const char* name;    // as PyTorch writes it: "float32"
  const char* buffer;  // the buffer protocol's format; null where it has none
  bool is_floating_point;
  bool is_complex;
  bool is_signed;
};

constexpr int kDtypeCount = TN_F8E5M2 + 1;
const DtypeInfo& dtype_info(int dtype);

bool is_dtype(PyObject* object);
// The object for a dtype, borrowed.
PyObject* dtype_object(int dtype);
// Reads a dtype, or Python's bool, int, float or complex. Returns false, without an exception, for
// anything else.
bool dtype_from(PyObject* object, tn_dtype* out);
// As dtype_from, but None leaves `out` as it is and anything else sets TypeError.
bool parse_dtype(PyObject* object, tn_dtype* out);

// Adds the type and all dtypes under their long, short and PyTorch's other names.
bool add_dtypes(PyObject* module);

}  // namespace tenon_python
