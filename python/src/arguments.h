// arguments.h - binds Python arguments to a signature: the frame of one call.
#pragma once
#include <memory>
#include <vector>

#include "signature.h"
#include "value.h"

namespace tenon_python {

// Why arguments do not fit a signature.
struct Mismatch {
  enum class Kind {
    kTooMany,
    kMissing,
    kUnknown,
    kTwice,
    kType,
    kNoTensor
  };
  Kind kind;
  uint32_t parameter;
  PyObject* given;  // borrowed: the argument, or for kUnknown the keyword
};

// How Python arguments were given, as in a vectorcall.
struct Given {
  PyObject* const* values;  // nargs positional, then one for each name
  std::size_t nargs;
  PyObject* names;  // tuple of keywords, or null
  bool method;      // the first one is the receiver, wherever the schema has it
};

class Arguments {
 public:
  Arguments() {}  // leaves the arrays as they are: most calls use two of their entries
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  // Fills `values` and `count`. `items` lets 0-dim tensors stand for numbers: the second attempt,
  // once no overload has taken the arguments as they are. False when they do not fit; `mismatch`
  // then says why, and no exception is set. Values borrow from the Python arguments and from this
  // object.
  bool bind(const Signature& signature, const Given& given, bool items, Mismatch* mismatch);

  tn_value values[kMaxArguments];
  uint32_t count;
  PyObject* first;  // the object given for the schema's first argument, borrowed; null when it was
                    // left off
  PyObject* out;    // out=, borrowed; null when it was not given
  int64_t numel;    // of all tensors together
  bool any_tensor;
  bool requires_grad;  // of a factory's result

 private:
  bool bind_keywords(const Signature& signature, const Given& given, Mismatch* mismatch);
  bool set(const Signature& signature, uint32_t parameter, PyObject* object, Mismatch* mismatch);
  // All but a tensor for an argument that is one.
  bool set_other(const Signature& signature, const tn_param& param, PyObject* object,
                 tn_value* out);
  bool set_list(const tn_param& param, PyObject* object, tn_value* out);
  bool set_items(const tn_param& param, PyObject* const* items, std::size_t length, tn_value* out);
  bool set_number(const tn_param& param, PyObject* object, tn_value* out);
  bool take_item(const tn_param& param, PyObject* tensor, tn_value* out);
  void* scratch(std::size_t nbytes);

  uint64_t filled_;
  bool items_;
  bool number_for_tensor_;
  std::size_t used_ = 0;
  alignas(16) char scratch_[512];  // lists and complex numbers of ordinary calls
  std::vector<std::unique_ptr<char[]>> more_;
  std::vector<Ref> held_;
};

}  // namespace tenon_python
