#include "index.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "convert.h"
#include "errors.h"
#include "guard.h"
#include "operator.h"
#include "signature.h"
#include "tensor.h"
#include "value.h"

namespace tenon_python {
namespace {

// A view operator, resolved at first use and called without the detour through Python arguments.
struct ViewOperator {
  const char* name;
  const char* overload;
  const tn_op* op = nullptr;

  TensorRef call(const tn_value* args, uint32_t nargs) {
    if (op == nullptr && failed(tn_resolve_op(name, overload, 0, &op))) return nullptr;
    tn_value result;
    if (failed(tn_call(op, args, nargs, &result, 1))) return nullptr;
    return TensorRef(result.u.tensor);
  }
};

ViewOperator select_op{"select", "int"};
ViewOperator slice_op{"slice", "Tensor"};
ViewOperator unsqueeze_op{"unsqueeze", ""};
ViewOperator alias_op{"alias", ""};

TensorRef select(tn_tensor* tensor, int64_t dim, int64_t index) {
  const tn_value args[3] = {tensor_value(tensor), int_value(dim), int_value(index)};
  return select_op.call(args, 3);
}

TensorRef unsqueeze(tn_tensor* tensor, int64_t dim) {
  const tn_value args[2] = {tensor_value(tensor), int_value(dim)};
  return unsqueeze_op.call(args, 2);
}

TensorRef slice(tn_tensor* tensor, int64_t dim, PyObject* object) {
  Py_ssize_t start = 0;
  Py_ssize_t stop = 0;
  Py_ssize_t step = 0;
  if (PySlice_Unpack(object, &start, &stop, &step) < 0) return nullptr;
  if (step < 1) {
    PyErr_Format(PyExc_ValueError,
                 "the step of a slice must be greater than 0, not %zd; use "
                 "x.flip(dim) to reverse",
                 step);
    return nullptr;
  }
  const tn_value args[5] = {tensor_value(tensor), int_value(dim), int_value(start), int_value(stop),
                            int_value(step)};
  return slice_op.call(args, 5);
}

bool is_everything(PyObject* object) {
  const auto* range = reinterpret_cast<PySliceObject*>(object);
  return range->start == Py_None && range->stop == Py_None && range->step == Py_None;
}

// An index taken apart: the view that its basic items give, and tensors for what is left.
struct Selection {
  TensorRef view;
  std::vector<TensorRef>
      tensors;  // one a dimension of the view, null where nothing is picked; empty when basic
};

// How many dimensions an item uses up.
int64_t dims_of(PyObject* item) {
  if (item == Py_None || item == Py_Ellipsis || PyBool_Check(item)) return 0;
  if (is_tensor(item) && tensor_of(item)->dtype == TN_BOOL) return tensor_of(item)->dl.ndim;
  return 1;
}

TensorRef index_tensor(PyObject* item, tn_tensor* self) {
  if (is_tensor(item)) return TensorRef(tn_tensor_retain(tensor_of(item)));
  const bool listed = PyList_Check(item) || PyTuple_Check(item) || PyObject_CheckBuffer(item);
  if (!listed && !PyBool_Check(item)) {
    PyErr_Format(PyExc_IndexError,
                 "an index can be an int, a slice, None, Ellipsis, a bool, a tensor, a list or an "
                 "array, not %s",
                 type_name(item));
    return nullptr;
  }
  const bool empty = PyList_Check(item) && PyList_GET_SIZE(item) == 0;
  return tensor_from_data(item, empty ? TN_I64 : TN_DTYPE_NONE, self->dl.device);
}

class Selector {
 public:
  Selector(tn_tensor* tensor, PyObject* const* items, std::size_t length)
      : items_(items), length_(length) {
    result_.view.reset(tn_tensor_retain(tensor));
  }

  bool run(Selection* out) {
    if (!count()) return false;
    for (std::size_t i = 0; i < length_; ++i) {
      if (!apply(items_[i])) return false;
    }
    *out = std::move(result_);
    return true;
  }

 private:
  bool count() {
    int64_t used = 0;
    std::size_t ellipses = 0;
    for (std::size_t i = 0; i < length_; ++i) {
      used += dims_of(items_[i]);
      ellipses += items_[i] == Py_Ellipsis;
    }
    const int32_t ndim = result_.view->dl.ndim;
    skipped_ = ndim - used;
    if (skipped_ < 0) {
      PyErr_Format(PyExc_IndexError, "too many indices: %lld for a tensor of %d dimensions",
                   static_cast<long long>(used), ndim);
    } else if (ellipses > 1) {
      PyErr_SetString(PyExc_IndexError, "an index can hold one Ellipsis ('...') only");
    }
    return skipped_ >= 0 && ellipses <= 1;
  }

  bool replace(TensorRef view) {
    if (!view) return false;
    result_.view = std::move(view);
    return true;
  }

  bool apply(PyObject* item) {
    tn_tensor* view = result_.view.get();
    int64_t index = 0;
    if (int_from(item, &index)) return replace(select(view, dim_, index));
    if (PyLong_Check(item) && !PyBool_Check(item)) {
      PyErr_Format(PyExc_IndexError, "index %R does not fit into 64 bits", item);
      return false;
    }
    if (PySlice_Check(item)) {
      if (is_everything(item)) {
        ++dim_;
        return true;
      }
      return replace(slice(view, dim_++, item));
    }
    if (item == Py_Ellipsis) {
      dim_ += skipped_;
      return true;
    }
    if (item == Py_None) return replace(unsqueeze(view, dim_++));
    // A single bool picks all or nothing of a new dimension.
    if (PyBool_Check(item) && !replace(unsqueeze(view, dim_))) return false;
    TensorRef tensor = index_tensor(item, view);
    if (!tensor) return false;
    if (PyBool_Check(item) && !widen(&tensor)) return false;
    const bool mask = tensor->dtype == TN_BOOL;
    result_.tensors.resize(static_cast<std::size_t>(dim_));
    result_.tensors.push_back(std::move(tensor));
    dim_ += mask ? result_.tensors.back()->dl.ndim : 1;
    return true;
  }

  // A 0-dim bool as a mask of one dimension of extent 1.
  static bool widen(TensorRef* tensor) {
    const int64_t one[1] = {1};
    TensorRef mask;
    if (failed(tn_tensor_view(tensor->get(), 1, one, one, 0, TN_BOOL, 0, receive(mask)))) {
      return false;
    }
    *tensor = std::move(mask);
    return true;
  }

  PyObject* const* items_;
  std::size_t length_;
  int64_t skipped_ = 0;  // dimensions that the Ellipsis, or the end, stands for
  int64_t dim_ = 0;      // of the view, where the next item applies
  Selection result_;
};

bool take_apart(PyObject* self, PyObject* key, Selection* out) {
  // A list counts as one index, a tuple as several.
  const bool several = PyTuple_Check(key);
  PyObject* const* items = several ? PySequence_Fast_ITEMS(key) : &key;
  const std::size_t length = several ? static_cast<std::size_t>(PyTuple_GET_SIZE(key)) : 1;
  return Selector(tensor_of(self), items, length).run(out);
}

// The picked tensors as a list for index and index_put_: a mask stands for as many entries as it
// has dimensions.
Ref index_list(Selection* selection) {
  Ref list(PyList_New(0));
  for (TensorRef& tensor : selection->tensors) {
    Ref entry = tensor ? Ref(wrap_shared(tensor.release())) : Ref::borrow(Py_None);
    if (!list || !entry || PyList_Append(list.get(), entry.get()) < 0) return Ref();
  }
  return list;
}

// An operator of the registry that indexing falls back on, looked up until it is found.
class NamedOperator {
 public:
  explicit NamedOperator(const char* name) : name_(name) {}

  PyObject* call(PyObject* const* args, std::size_t nargs) {
    if (object_ == nullptr && !find()) return nullptr;
    return call_operator(object_, args, nargs);
  }

 private:
  bool find() {
    const int exists = operator_exists(name_, false);
    if (exists == 0) {
      PyErr_Format(PyExc_NotImplementedError,
                   "this kind of index needs the operator %s, which no plugin provides", name_);
    }
    if (exists > 0) object_ = make_operator(name_, false);
    return object_ != nullptr;
  }

  const char* name_;
  PyObject* object_ = nullptr;
};

NamedOperator index_op("index");
NamedOperator index_put_op("index_put_");
NamedOperator masked_fill_op("masked_fill_");
NamedOperator fill_op("fill_");
NamedOperator copy_op("copy_");

PyObject* get(PyObject* self, PyObject* key) {
  tn_tensor* tensor = tensor_of(self);
  int64_t index = 0;
  if (PyLong_CheckExact(key) && tensor->dl.ndim > 0 && int_from(key, &index)) {
    TensorRef row = select(tensor, 0, index);
    return row ? wrap_new(row.release()) : nullptr;
  }
  Selection selection;
  if (!take_apart(self, key, &selection)) return nullptr;
  if (!selection.tensors.empty()) {
    Ref list = index_list(&selection);
    Ref view(wrap_shared(selection.view.release()));
    if (!list || !view) return nullptr;
    PyObject* const args[2] = {view.get(), list.get()};
    return index_op.call(args, 2);
  }
  if (selection.view.get() == tensor) {  // x[...] and x[:] are new tensors over the same memory
    const tn_value argument = tensor_value(tensor);
    selection.view = alias_op.call(&argument, 1);
    if (!selection.view) return nullptr;
  }
  return wrap_new(selection.view.release());
}

// Assigned values may have more leading dimensions of extent 1 than the place they go to.
TensorRef drop_leading(TensorRef value, int32_t ndim) {
  while (value && value->dl.ndim > ndim && value->dl.shape[0] == 1) {
    value = select(value.get(), 0, 0);
  }
  return value;
}

bool done(PyObject* result) {
  Py_XDECREF(result);
  return result != nullptr;
}

bool assign(PyObject* view, PyObject* value) {
  if (!is_tensor(value) && is_number(value)) {
    PyObject* const args[2] = {view, value};
    return done(fill_op.call(args, 2));
  }
  const tn_tensor* target = tensor_of(view);
  TensorRef source =
      is_tensor(value)
          ? TensorRef(tn_tensor_retain(tensor_of(value)))
          : tensor_from_data(value, static_cast<tn_dtype>(target->dtype), target->dl.device);
  source = drop_leading(std::move(source), target->dl.ndim);
  Ref wrapped(source ? wrap_shared(source.release()) : nullptr);
  if (!wrapped) return false;
  PyObject* const args[2] = {view, wrapped.get()};
  return done(copy_op.call(args, 2));
}

bool assign_picked(PyObject* view, PyObject* indices, PyObject* value) {
  const tn_tensor* target = tensor_of(view);
  PyObject* mask = PyList_GET_ITEM(indices, 0);
  const bool whole_mask = PyList_GET_SIZE(indices) == 1 && is_tensor(mask) &&
                          tensor_of(mask)->dtype == TN_BOOL &&
                          tensor_of(mask)->dl.ndim <= target->dl.ndim;
  // With a number, a mask over the leading dimensions needs no gathering of positions.
  if (whole_mask && tensor_of(mask)->dl.ndim == target->dl.ndim && !is_tensor(value) &&
      is_number(value)) {
    PyObject* const args[3] = {view, mask, value};
    return done(masked_fill_op.call(args, 3));
  }
  Ref source;
  if (is_tensor(value)) {
    source = Ref::borrow(value);
  } else {
    TensorRef made =
        tensor_from_data(value, static_cast<tn_dtype>(target->dtype), target->dl.device);
    source = Ref(made ? wrap_new(made.release()) : nullptr);
  }
  if (!source) return false;
  PyObject* const args[3] = {view, indices, source.get()};
  return done(index_put_op.call(args, 3));
}

int set(PyObject* self, PyObject* key, PyObject* value) {
  if (value == nullptr) {
    PyErr_SetString(PyExc_TypeError, "elements of a tensor cannot be deleted");
    return -1;
  }
  Selection selection;
  if (!take_apart(self, key, &selection)) return -1;
  Ref list = index_list(&selection);
  // x[...] = v writes x itself; wrap_new would give its tensor a second object.
  Ref view = selection.view.get() == tensor_of(self) ? Ref::borrow(self)
                                                     : Ref(wrap_new(selection.view.release()));
  if (!list || !view) return -1;
  const bool assigned = PyList_GET_SIZE(list.get()) == 0
                            ? assign(view.get(), value)
                            : assign_picked(view.get(), list.get(), value);
  return assigned ? 0 : -1;
}

// For the iteration protocol, which counts until an IndexError.
PyObject* get_row(PyObject* self, Py_ssize_t index) {
  tn_tensor* tensor = tensor_of(self);
  if (tensor->dl.ndim == 0 || index >= tensor->dl.shape[0]) {
    PyErr_Format(PyExc_IndexError, "index %zd is out of range", index);
    return nullptr;
  }
  TensorRef row = select(tensor, 0, index);
  return row ? wrap_new(row.release()) : nullptr;
}

}  // namespace

const PyType_Slot index_slots[] = {
    {Py_mp_subscript, reinterpret_cast<void*>(guarded<get>)},
    {Py_mp_ass_subscript, reinterpret_cast<void*>(guarded<set>)},
    {Py_sq_item, reinterpret_cast<void*>(guarded<get_row>)},
    {0, nullptr},
};

}  // namespace tenon_python
