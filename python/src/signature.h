// signature.h - one overload of an operator, prepared for binding Python arguments to it.
#pragma once
#include <vector>

#include "ref.h"

namespace tenon_python {

// More arguments or results than any schema has; a schema with more is refused when it is met.
constexpr uint32_t kMaxArguments = 64;
constexpr uint32_t kMaxResults = 16;

struct Signature {
  const tn_op* op;   // in the form that is called
  const tn_op* out;  // the form that takes out=; null where there is none
  const tn_schema* schema;
  std::vector<Ref> names;  // of the arguments, interned
  Ref result;              // named tuple type for several named results; made when first needed
  uint64_t tensors;        // bit i: argument i is one Tensor, the case that binding is quick about
  uint32_t receiver;       // the argument that a method's object stands for
  bool pointwise;          // numbers may stand for tensors
  bool spreads;            // view(2, 3) means view((2, 3))
  bool returns_receiver;   // in-place: the first argument is also the result
  bool makes_leaf;         // a factory, which takes requires_grad= beside the schema's arguments
};

// All overloads of `name`, in order of declaration. "add_" gives the in-place forms of "add" where
// no operator is declared under that very name. `overload`, when not null, keeps the one of that
// name; `method` keeps those that have an argument to call them on. An empty list means that there
// is no such operator; false, that an exception is set.
bool find_signatures(const char* name, const char* overload, bool method,
                     std::vector<Signature>* out);

}  // namespace tenon_python
