// Calls whose arguments are in normal form already.
#pragma once

#include <tenon/operator.h>

namespace tenon {

tn_status call_normalized(const tn_op* op, const tn_value* args, uint32_t nargs, tn_value* rets,
                          uint32_t nrets);

}  // namespace tenon
