// What the files of this plugin share.
#pragma once

#include <tenon/sdk/entry.h>

namespace acme {

void register_device(tn_plugin* plugin);
void register_pointwise(tn_plugin* plugin);
void declare_operators(tn_plugin* plugin);

}  // namespace acme
