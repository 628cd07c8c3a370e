// device.h - `tenon.device`: a device type's name and an index.
#pragma once
#include "ref.h"

namespace tenon_python {

bool is_device(PyObject* object);
// A new object, or null with an exception set.
PyObject* device_object(tn_device device);
// Reads a device object or text such as "cuda:1"; None (or null) leaves `out` as it is. Sets an
// exception on failure.
bool parse_device(PyObject* object, tn_device* out);
// The host's device, which tensors made from Python data start on.
bool host_device(tn_device* out);

bool add_device(PyObject* module);

}  // namespace tenon_python
