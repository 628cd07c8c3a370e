// The table that plugins get.
#pragma once

#include <tenon/host.h>

namespace tenon {

const tn_host* host_table();

}  // namespace tenon
