// Arguments that are not quite in the form that kernels rely on: checked, widened, completed with
// defaults.
#pragma once

#include <tenon/operator.h>

#include "core/registry.h"

namespace tenon {

// Room for the lists that a single element stands for.
struct ArgumentBuffer {
  tn_value values[64];
  int64_t ints[64][8];
  double floats[8][8];
};

// Fills buffer.values with op->nargs arguments in normal form. Error: too many or too few, a wrong
// kind, each naming the argument, what came and what is expected.
tn_status arguments_normalize(const Operator& op, const tn_value* args, uint32_t nargs,
                              ArgumentBuffer& buffer);

// False for a dtype, layout or memory format of a number that stands for none; true for values of
// other kinds.
bool arguments_enumerator_exists(const tn_value& value);

// The error for a list of tensors that lacks one where its schema lets none be absent, and for such
// a number; null when there is neither.
tn_status arguments_check_contents(const Operator& op, const tn_value* args);

// Whether all arguments from `first` on are what the schema's defaults would have been.
bool arguments_are_default(const Operator& op, const tn_value* args, uint32_t first);

}  // namespace tenon
