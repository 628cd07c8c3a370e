// A call that its device cannot serve, served by the host.
#pragma once

#include "core/frame.h"

namespace tenon {

// Copies tensor arguments to the host, runs the operator there and copies back what it made or
// wrote. With `warn`, says so once per operator.
tn_status fall_back_to_host(Frame& frame, bool warn, const tn_value* args, uint32_t nargs,
                            tn_value* rets, uint32_t nrets);

}  // namespace tenon
