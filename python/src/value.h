// value.h - single numbers and results between Python and the core's tagged values.
#pragma once
#include "ref.h"

namespace tenon_python {

inline tn_value tensor_value(tn_tensor* tensor) {
  tn_value value;
  value.tag = TN_TAG_TENSOR;
  value.flags = 0;
  value.len = 0;
  value.u.tensor = tensor;
  return value;
}
inline tn_value int_value(int64_t number) {
  tn_value value;
  value.tag = TN_TAG_INT;
  value.flags = 0;
  value.len = 0;
  value.u.i = number;
  return value;
}

// A number on its way in. `complex` is where a complex value points to; the tn_value borrows it.
struct Number {
  tn_value value;
  double complex[2];
};

// Reads a bool, int, float or complex of Python or NumPy. False when it is none of these, or when
// an int needs more than 64 bits; no exception is set.
bool number_from(PyObject* object, Number* out);
// An int or something with __index__, but no bool and no tensor.
bool int_from(PyObject* object, int64_t* out);
bool float_from(PyObject* object, double* out);
bool bool_from(PyObject* object, bool* out);
// Whether number_from may succeed, without the work.
bool is_number(PyObject* object);

// The Python object for an owned result, which is dropped in either case.
PyObject* python_from(tn_value* owned);
// A str from a string result.
inline PyObject* text_from(const tn_value& value) {
  return PyUnicode_DecodeUTF8(value.u.str, value.len, "replace");
}

}  // namespace tenon_python
