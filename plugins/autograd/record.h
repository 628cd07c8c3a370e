// The layer's kernel: one function that records every operator.
#pragma once

#include <tenon/host.h>

namespace tn::graph {

tn_status record(tn_frame* frame, void* state, const tn_value* args, uint32_t nargs, tn_value* rets,
                 uint32_t nrets) noexcept;

}  // namespace tn::graph
