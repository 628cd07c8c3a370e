// backward() and grad(): the functions of the module that run a recorded graph backwards.
#include <vector>

#include "autograd.h"
#include "autograd_interface.h"
#include "errors.h"
#include "guard.h"
#include "tensor.h"

namespace tenon_python {
namespace {

// A Tensor, or a sequence of them with None allowed where `gaps` says so; null pointers stand for
// None.
bool read_tensors(const char* what, PyObject* argument, bool gaps, std::vector<tn_tensor*>* out) {
  if (is_tensor(argument)) {
    out->push_back(tensor_of(argument));
    return true;
  }
  const bool listed = PyTuple_Check(argument) || PyList_Check(argument);
  const Py_ssize_t length = listed ? PySequence_Fast_GET_SIZE(argument) : 0;
  bool fits = listed;
  for (Py_ssize_t i = 0; fits && i < length; ++i) {
    PyObject* entry = PySequence_Fast_GET_ITEM(argument, i);
    fits = is_tensor(entry) || (gaps && entry == Py_None);
    if (fits) out->push_back(entry == Py_None ? nullptr : tensor_of(entry));
  }
  if (!fits) {
    PyErr_Format(PyExc_TypeError, "%s must be a Tensor or a tuple or list of them, not %R", what,
                 argument);
  }
  return fits;
}

// Seeds: one for each output, or none at all.
bool read_seeds(const char* what, PyObject* argument, std::size_t count,
                std::vector<tn_tensor*>* out) {
  if (argument == Py_None) {
    out->assign(count, nullptr);
    return true;
  }
  if (!read_tensors(what, argument, true, out)) return false;
  if (out->size() == count) return true;
  PyErr_Format(PyExc_ValueError, "%s has %zu entries, but there are %zu tensors to start from",
               what, out->size(), count);
  return false;
}

uint32_t flags_of(PyObject* retain_graph, int create_graph, int allow_unused, bool* failed) {
  uint32_t flags = 0;
  const int retain = retain_graph == Py_None ? create_graph : PyObject_IsTrue(retain_graph);
  *failed = retain < 0;
  if (retain > 0) flags |= TN_BACKWARD_RETAIN_GRAPH;
  if (create_graph != 0) flags |= TN_BACKWARD_CREATE_GRAPH;
  if (allow_unused != 0) flags |= TN_BACKWARD_ALLOW_UNUSED;
  return flags;
}

// Tensors read from lists are held while other threads may change the lists.
class Hold {
 public:
  explicit Hold(const std::vector<tn_tensor*>& tensors) {
    held_.reserve(tensors.size());  // before there is something to lose
    for (tn_tensor* tensor : tensors) {
      if (tensor != nullptr) held_.emplace_back(tn_tensor_retain(tensor));
    }
  }

 private:
  std::vector<TensorRef> held_;
};

PyObject* backward(PyObject*, PyObject* args) {
  PyObject* tensors_argument = nullptr;
  PyObject* seeds_argument = Py_None;
  PyObject* retain_graph = Py_None;
  int create_graph = 0;
  if (!PyArg_ParseTuple(args, "O|OOp:backward", &tensors_argument, &seeds_argument, &retain_graph,
                        &create_graph)) {
    return nullptr;
  }
  std::vector<tn_tensor*> tensors;
  std::vector<tn_tensor*> seeds;
  if (!read_tensors("backward(): tensors", tensors_argument, false, &tensors)) return nullptr;
  if (!read_seeds("backward(): gradient", seeds_argument, tensors.size(), &seeds)) return nullptr;
  bool bad = false;
  const uint32_t flags = flags_of(retain_graph, create_graph, 0, &bad);
  const tn_autograd* autograd = bad ? nullptr : autograd_interface();
  if (autograd == nullptr) return nullptr;
  const Hold hold_tensors(tensors);
  const Hold hold_seeds(seeds);
  tn_status status;
  {
    const GilRelease release;
    status = autograd->backward(tensors.data(), seeds.data(), static_cast<uint32_t>(tensors.size()),
                                flags);
  }
  if (failed(status)) return nullptr;
  Py_RETURN_NONE;
}

PyObject* grad(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"outputs",      "inputs",       "grad_outputs", "retain_graph",
                                "create_graph", "allow_unused", nullptr};
  PyObject* outputs_argument = nullptr;
  PyObject* inputs_argument = nullptr;
  PyObject* seeds_argument = Py_None;
  PyObject* retain_graph = Py_None;
  int create_graph = 0;
  int allow_unused = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO|OOpp:grad", const_cast<char**>(names),
                                   &outputs_argument, &inputs_argument, &seeds_argument,
                                   &retain_graph, &create_graph, &allow_unused)) {
    return nullptr;
  }
  std::vector<tn_tensor*> outputs;
  std::vector<tn_tensor*> inputs;
  std::vector<tn_tensor*> seeds;
  if (!read_tensors("grad(): outputs", outputs_argument, false, &outputs)) return nullptr;
  if (!read_tensors("grad(): inputs", inputs_argument, false, &inputs)) return nullptr;
  if (!read_seeds("grad(): grad_outputs", seeds_argument, outputs.size(), &seeds)) return nullptr;
  bool bad = false;
  const uint32_t flags = flags_of(retain_graph, create_graph, allow_unused, &bad);
  const tn_autograd* autograd = bad ? nullptr : autograd_interface();
  if (autograd == nullptr) return nullptr;
  const Hold hold_outputs(outputs);
  const Hold hold_inputs(inputs);
  const Hold hold_seeds(seeds);
  std::vector<tn_tensor*> results(inputs.size(), nullptr);
  tn_status status;
  {
    const GilRelease release;
    status = autograd->grad_of(outputs.data(), seeds.data(), static_cast<uint32_t>(outputs.size()),
                               inputs.data(), static_cast<uint32_t>(inputs.size()), flags,
                               results.data());
  }
  if (failed(status)) return nullptr;
  Ref tuple(PyTuple_New(static_cast<Py_ssize_t>(results.size())));
  for (std::size_t i = 0; i < results.size(); ++i) {
    PyObject* item = results[i] == nullptr ? Py_NewRef(Py_None) : wrap_shared(results[i]);
    if (item == nullptr) tuple = Ref();
    if (tuple) {
      PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), item);
    } else {
      Py_XDECREF(item);
    }
  }
  return tuple.release();
}

}  // namespace

const PyMethodDef autograd_functions[] = {
    {"backward", guarded<backward>, METH_VARARGS,
     "backward(tensors, gradient=None, retain_graph=None, create_graph=False)"},
    {"grad", as_method(guarded<grad>), METH_VARARGS | METH_KEYWORDS,
     "grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, "
     "allow_unused=False)\n--\n\n"
     "The gradients of outputs with respect to inputs, a tuple; no tensor's .grad changes."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace tenon_python
