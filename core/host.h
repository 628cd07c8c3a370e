// The table that plugins get.
#pragma once

#include <tenon/host.h>

namespace tenon {

extern const tn_host host_functions;
inline const tn_host* host_table() {
  return &host_functions;
}

}  // namespace tenon
