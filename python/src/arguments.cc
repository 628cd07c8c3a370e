#include "arguments.h"

#include <algorithm>
#include <bit>
#include <string_view>

#include "constant.h"
#include "device.h"
#include "dtype.h"
#include "object.h"
#include "tensor.h"

namespace tenon_python {
namespace {

uint64_t bit(uint32_t index) {
  return uint64_t{1} << index;
}

// Names that callers may write for others, as PyTorch allows for the sake of NumPy's.
std::string_view canonical(std::string_view keyword) {
  if (keyword == "input") return "self";
  if (keyword == "axis") return "dim";
  if (keyword == "keepdims") return "keepdim";
  return keyword;
}

// The parameter that the j-th positional argument goes to.
uint32_t position(const Signature& signature, bool method, std::size_t j) {
  const uint32_t index = static_cast<uint32_t>(j);
  if (!method || signature.receiver == 0 || index > signature.receiver) return index;
  return index == 0 ? signature.receiver : index - 1;
}

uint32_t find(const Signature& signature, PyObject* keyword) {
  const uint32_t count = signature.schema->nargs;
  for (uint32_t i = 0; i < count; ++i) {
    if (signature.names[i].get() == keyword) return i;  // both are interned, almost always
  }
  const char* text = PyUnicode_AsUTF8(keyword);
  if (text == nullptr) {
    PyErr_Clear();
    return count;
  }
  for (const std::string_view name : {std::string_view(text), canonical(text)}) {
    for (uint32_t i = 0; i < count; ++i) {
      if (name == signature.schema->args[i].name) return i;
    }
  }
  return count;
}

void set_tagged(tn_value* value, tn_tag tag, uint32_t length, const void* data) {
  value->tag = static_cast<uint16_t>(tag);
  value->flags = 0;
  value->len = length;
  value->u.p = data;
}

}  // namespace

void* Arguments::scratch(std::size_t nbytes) {
  nbytes = (nbytes + 15) & ~std::size_t{15};
  if (nbytes <= sizeof scratch_ - used_) {
    void* memory = scratch_ + used_;
    used_ += nbytes;
    return memory;
  }
  more_.push_back(std::make_unique<char[]>(nbytes));
  return more_.back().get();
}

inline bool Arguments::set(const Signature& signature, uint32_t parameter, PyObject* object,
                           Mismatch* mismatch) {
  tn_value* value = &values[parameter];
  if ((signature.tensors & bit(parameter)) != 0 && is_tensor(object)) {
    *value = tensor_value(tensor_of(object));
    numel += value->u.tensor->numel;
    any_tensor = true;
  } else if (!set_other(signature, signature.schema->args[parameter], object, value)) {
    *mismatch = {Mismatch::Kind::kType, parameter, object};
    return false;
  }
  if (parameter == 0) first = object;
  filled_ |= bit(parameter);
  return true;
}

bool Arguments::bind(const Signature& signature, const Given& given, bool items,
                     Mismatch* mismatch) {
  const tn_schema& schema = *signature.schema;
  first = nullptr;
  out = nullptr;
  numel = 0;
  any_tensor = false;
  requires_grad = false;
  filled_ = 0;
  items_ = items;
  number_for_tensor_ = false;
  used_ = 0;

  std::size_t npositional = given.nargs;
  if (signature.spreads && npositional >= schema.npositional) {
    const uint32_t list = schema.npositional - 1;
    PyObject* const* rest = given.values + list;
    const bool alone = npositional == schema.npositional;
    if (!alone ||
        (PyIndex_Check(*rest) && !is_tensor(*rest) && schema.args[list].list_length == 0)) {
      if (!set_items(schema.args[list], rest, npositional - list, &values[list])) {
        *mismatch = {Mismatch::Kind::kType, list, *rest};
        return false;
      }
      filled_ |= bit(list);
      npositional = list;
    }
  }
  if (npositional > schema.npositional) {
    *mismatch = {Mismatch::Kind::kTooMany, schema.npositional, nullptr};
    return false;
  }
  for (std::size_t j = 0; j < npositional; ++j) {
    const uint32_t parameter = position(signature, given.method, j);
    if (!set(signature, parameter, given.values[j], mismatch)) return false;
  }
  if (given.names != nullptr && !bind_keywords(signature, given, mismatch)) return false;

  count = std::max(static_cast<uint32_t>(std::bit_width(filled_)), schema.nrequired);
  // Gaps below the last argument given are filled with defaults; the core fills those above it.
  const uint64_t all = count == 64 ? ~uint64_t{0} : bit(count) - 1;
  for (uint64_t gaps = all & ~filled_; gaps != 0; gaps &= gaps - 1) {
    const uint32_t parameter = static_cast<uint32_t>(std::countr_zero(gaps));
    if ((schema.args[parameter].flags & TN_PARAM_HAS_DEFAULT) == 0) {
      *mismatch = {Mismatch::Kind::kMissing, parameter, nullptr};
      return false;
    }
    values[parameter] = schema.args[parameter].default_value;
  }
  if (number_for_tensor_ && !any_tensor) {
    *mismatch = {Mismatch::Kind::kNoTensor, 0, nullptr};
    return false;
  }
  return true;
}

bool Arguments::bind_keywords(const Signature& signature, const Given& given, Mismatch* mismatch) {
  const Py_ssize_t length = PyTuple_GET_SIZE(given.names);
  for (Py_ssize_t i = 0; i < length; ++i) {
    PyObject* keyword = PyTuple_GET_ITEM(given.names, i);
    PyObject* object = given.values[given.nargs + static_cast<std::size_t>(i)];
    const uint32_t parameter = find(signature, keyword);
    if (parameter == signature.schema->nargs) {
      if (signature.out != nullptr && PyUnicode_CompareWithASCIIString(keyword, "out") == 0) {
        out = object == Py_None ? nullptr : object;
        continue;
      }
      if (signature.makes_leaf && PyUnicode_CompareWithASCIIString(keyword, "requires_grad") == 0) {
        if (!PyBool_Check(object)) {
          PyErr_Format(PyExc_TypeError, "%s(): requires_grad must be True or False, not %R",
                       signature.schema->name, object);
          return false;
        }
        requires_grad = object == Py_True;
        continue;
      }
      *mismatch = {Mismatch::Kind::kUnknown, parameter, keyword};
      return false;
    }
    if ((filled_ & bit(parameter)) != 0) {
      *mismatch = {Mismatch::Kind::kTwice, parameter, object};
      return false;
    }
    if (!set(signature, parameter, object, mismatch)) return false;
  }
  return true;
}

bool Arguments::set_other(const Signature& signature, const tn_param& param, PyObject* object,
                          tn_value* out) {
  if (object == Py_None) {
    set_tagged(out, TN_TAG_NONE, 0, nullptr);
    const bool none_by_default =
        (param.flags & TN_PARAM_HAS_DEFAULT) != 0 && param.default_value.tag == TN_TAG_NONE;
    return (param.flags & TN_PARAM_OPTIONAL) != 0 || none_by_default;
  }
  if ((param.flags & TN_PARAM_LIST) != 0) return set_list(param, object, out);

  switch (param.type) {
    case TN_TYPE_TENSOR:
      if (!signature.pointwise || (param.flags & TN_PARAM_WRITTEN) != 0) return false;
      number_for_tensor_ = true;
      return set_number(param, object, out);
    case TN_TYPE_INT:
    case TN_TYPE_FLOAT:
    case TN_TYPE_BOOL:
    case TN_TYPE_SCALAR:
      if (set_number(param, object, out)) return true;
      return items_ && is_tensor(object) && take_item(param, object, out);
    case TN_TYPE_STRING: {
      Py_ssize_t length = 0;
      if (!PyUnicode_Check(object)) return false;
      const char* text = PyUnicode_AsUTF8AndSize(object, &length);
      if (text == nullptr) {
        PyErr_Clear();
        return false;
      }
      set_tagged(out, TN_TAG_STRING, static_cast<uint32_t>(length), text);
      return true;
    }
    case TN_TYPE_DTYPE: {
      tn_dtype dtype;
      if (!dtype_from(object, &dtype)) return false;
      set_tagged(out, TN_TAG_DTYPE, 0, nullptr);
      out->u.i = dtype;
      return true;
    }
    case TN_TYPE_DEVICE: {
      if (!is_device(object) && !PyUnicode_Check(object)) return false;
      set_tagged(out, TN_TAG_DEVICE, 0, nullptr);
      // The type fits; text that names no device leaves its own exception for the caller to find.
      return parse_device(object, &out->u.device);
    }
    case TN_TYPE_LAYOUT:
      return constant_from(object, TN_TAG_LAYOUT, out);
    case TN_TYPE_MEMORY_FORMAT:
      return constant_from(object, TN_TAG_MEMORY_FORMAT, out);
    case TN_TYPE_OBJECT:
      set_tagged(out, TN_TAG_OBJECT, 0, object_from(object));
      return out->u.p != nullptr;
    default:
      return false;
  }
}

bool Arguments::set_number(const tn_param& param, PyObject* object, tn_value* out) {
  switch (param.type) {
    case TN_TYPE_INT:
      set_tagged(out, TN_TAG_INT, 0, nullptr);
      return int_from(object, &out->u.i);
    case TN_TYPE_FLOAT:
      set_tagged(out, TN_TAG_FLOAT, 0, nullptr);
      return float_from(object, &out->u.f);
    case TN_TYPE_BOOL: {
      bool truth = false;
      if (!bool_from(object, &truth)) return false;
      set_tagged(out, TN_TAG_BOOL, 0, nullptr);
      out->u.i = truth;
      return true;
    }
    default: {
      Number number;
      if (!number_from(object, &number)) return false;
      *out = number.value;
      if (out->tag == TN_TAG_COMPLEX) {
        auto* parts = static_cast<double*>(scratch(sizeof number.complex));
        std::copy_n(number.complex, 2, parts);
        out->u.floats = parts;
      }
      return true;
    }
  }
}

bool Arguments::take_item(const tn_param& param, PyObject* tensor, tn_value* out) {
  if (tensor_of(tensor)->dl.ndim != 0) return false;
  OwnedValue item;
  if (tn_status status = tn_tensor_item(tensor_of(tensor), &item)) {
    tn_status_release(status);
    return false;
  }
  Ref number(python_from(&item));
  if (number && set_number(param, number.get(), out)) return true;
  PyErr_Clear();
  return false;
}

bool Arguments::set_list(const tn_param& param, PyObject* object, tn_value* out) {
  if (PyList_Check(object) && param.type == TN_TYPE_TENSOR) {
    // Another thread may change the list while the call runs without the interpreter lock.
    Ref tuple(PyList_AsTuple(object));
    object = tuple.get();
    if (object == nullptr) {
      PyErr_Clear();
      return false;
    }
    held_.push_back(std::move(tuple));
  }
  if (PyTuple_Check(object) || PyList_Check(object)) {
    const auto length = static_cast<std::size_t>(PySequence_Fast_GET_SIZE(object));
    return set_items(param, PySequence_Fast_ITEMS(object), length, out);
  }
  // One element stands for a list of them where the schema gives a length; the core repeats it.
  if (param.type == TN_TYPE_TENSOR || param.list_length == 0) return false;
  return set_number(param, object, out);
}

bool Arguments::set_items(const tn_param& param, PyObject* const* items, std::size_t length,
                          tn_value* out) {
  const auto count = static_cast<uint32_t>(length);
  switch (param.type) {
    case TN_TYPE_INT: {
      auto* ints = static_cast<int64_t*>(scratch(length * sizeof(int64_t)));
      set_tagged(out, TN_TAG_INTS, count, ints);
      for (std::size_t i = 0; i < length; ++i) {
        if (!int_from(items[i], &ints[i]) && !(items_ && is_tensor(items[i]) && [&] {
              tn_value item;
              return take_item(param, items[i], &item) && (ints[i] = item.u.i, true);
            }())) {
          return false;
        }
      }
      return true;
    }
    case TN_TYPE_FLOAT:
    case TN_TYPE_SCALAR: {
      auto* floats = static_cast<double*>(scratch(length * sizeof(double)));
      set_tagged(out, TN_TAG_FLOATS, count, floats);
      return std::all_of(items, items + length,
                         [&](PyObject* item) { return float_from(item, floats++); });
    }
    case TN_TYPE_BOOL: {
      auto* bools = static_cast<uint8_t*>(scratch(length));
      set_tagged(out, TN_TAG_BOOLS, count, bools);
      return std::all_of(items, items + length, [&](PyObject* item) {
        bool truth = false;
        const bool fits = bool_from(item, &truth);
        *bools++ = truth;
        return fits;
      });
    }
    case TN_TYPE_TENSOR: {
      auto** tensors = static_cast<tn_tensor**>(scratch(length * sizeof(tn_tensor*)));
      set_tagged(out, TN_TAG_TENSORS, count, tensors);
      const bool gaps = (param.flags & TN_PARAM_LIST_OPTIONAL) != 0;
      for (std::size_t i = 0; i < length; ++i) {
        tensors[i] = nullptr;
        if (gaps && items[i] == Py_None) continue;
        if (!is_tensor(items[i])) return false;
        tensors[i] = tensor_of(items[i]);
        numel += tensors[i]->numel;
        any_tensor = true;
      }
      return true;
    }
    default:
      return false;
  }
}

}  // namespace tenon_python
