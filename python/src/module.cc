// The extension module tenon._C: types, functions and constants are added here and nowhere else. It
// knows no operator by heart but those that Python's own syntax stands for.
#include <vector>

#include "autograd.h"
#include "constant.h"
#include "convert.h"
#include "device.h"
#include "dlpack.h"
#include "dtype.h"
#include "errors.h"
#include "guard.h"
#include "hooks.h"
#include "method_table.h"
#include "object.h"
#include "operator.h"
#include "runtime.h"
#include "tensor.h"

namespace tenon_python {
namespace {

// operator(name, method=False): AttributeError when the registry has none of that name.
PyObject* get_operator(PyObject*, PyObject* args) {
  const char* name = nullptr;
  int method = 0;
  if (!PyArg_ParseTuple(args, "s|p:operator", &name, &method)) return nullptr;
  const int exists = operator_exists(name, method != 0);
  if (exists < 0) return nullptr;
  if (exists == 0) {
    PyErr_Format(PyExc_AttributeError, "there is no operator named '%s'", name);
    return nullptr;
  }
  if (!update_methods()) return nullptr;
  return make_operator(name, method != 0);
}

const PyMethodDef functions[] = {
    {"operator", guarded<get_operator>, METH_VARARGS,
     "operator(name, method=False): all its overloads."},
    {"operator_names", guarded<operator_names>, METH_NOARGS, "Names of all operators known now."},
    {"tensor", as_method(guarded<make_tensor>), METH_VARARGS | METH_KEYWORDS,
     "tensor(data, dtype=None, device=None, *, requires_grad=False)\n--\n\n"
     "A tensor of its own memory from numbers, nested sequences, arrays or another tensor."},
    {"from_numpy", guarded<from_numpy>, METH_O,
     "from_numpy(array)\n--\n\n"
     "A tensor over the memory of a NumPy array, which stays alive with it. Errors: a read-only "
     "array, a negative stride, a dtype that tensors lack."},
    {"from_dlpack", guarded<from_dlpack>, METH_O,
     "from_dlpack(x)\n--\n\n"
     "A tensor over the memory of an object with __dlpack__, or of a DLPack capsule."},
    {nullptr, nullptr, 0, nullptr},
};

// The table must outlive the module, which is never unloaded.
std::vector<PyMethodDef>& all_functions() {
  static std::vector<PyMethodDef> all = [] {
    std::vector<PyMethodDef> rows;
    for (const PyMethodDef* table :
         {functions, autograd_functions, thread_functions, inspect_functions}) {
      for (; table->ml_name != nullptr; ++table) rows.push_back(*table);
    }
    rows.push_back({nullptr, nullptr, 0, nullptr});
    return rows;
  }();
  return all;
}

// The library may be another build than the one this was compiled against.
bool check_abi() {
  const tn_host* host = tn_get_host();
  const bool fits = host != nullptr && host->abi_major == TN_ABI_MAJOR &&
                    host->abi_minor >= TN_ABI_MINOR &&
                    host->layout_fingerprint == TN_LAYOUT_FINGERPRINT;
  if (!fits) {
    PyErr_Format(PyExc_ImportError,
                 "tenon._C was built for ABI %d.%d, but the libtenon that was found has ABI "
                 "%u.%u or another layout; install the two from one build",
                 TN_ABI_MAJOR, TN_ABI_MINOR, host != nullptr ? host->abi_major : 0,
                 host != nullptr ? host->abi_minor : 0);
  }
  return fits;
}

bool fill(PyObject* module) {
  return add_dtypes(module) && add_device(module) && add_constants(module) && add_object(module) &&
         add_operator(module) && add_hook_handle(module) && add_tensor(module) &&
         PyModule_AddIntConstant(module, "MODE_NO_GRAD", TN_THREAD_NO_GRAD) == 0 &&
         PyModule_AddIntConstant(module, "MODE_INFERENCE", TN_THREAD_INFERENCE) == 0 &&
         PyModule_AddIntConstant(module, "MODE_DETERMINISTIC", TN_THREAD_DETERMINISTIC) == 0;
}

PyObject* init() {
  static PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                                   "tenon._C",
                                   "The tensors and operators of libtenon.",
                                   -1,
                                   all_functions().data(),
                                   nullptr,
                                   nullptr,
                                   nullptr,
                                   nullptr};
  if (!check_abi()) return nullptr;
  PyObject* module = PyModule_Create(&definition);
  if (module != nullptr && !fill(module)) Py_CLEAR(module);
  return module;
}

}  // namespace
}  // namespace tenon_python

PyMODINIT_FUNC PyInit__C() {
  return tenon_python::guarded<tenon_python::init>();
}
