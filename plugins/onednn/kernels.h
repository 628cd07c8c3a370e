// kernels.h - the groups of kernels in this plugin: each is one file's function, called by
// plugin.cc.
#pragma once
#include <tenon/plugin.h>

namespace onednn {

void register_matmul(tn_plugin* plugin);
void register_conv(tn_plugin* plugin);
void register_pool(tn_plugin* plugin);

}  // namespace onednn
