// device.h - the device "cpu".
#pragma once

#include <tenon/plugin.h>

namespace tn::cpu {

void register_device(tn_plugin* plugin);

}  // namespace tn::cpu
