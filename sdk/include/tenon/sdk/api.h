// The way from C++ to the core: one table pointer per program or plugin.
//
// Every header of the SDK calls through tn::api, never a symbol of libtenon, so the same code
// serves programs that link the core and plugins that must not. A program calls tn::init(); a
// plugin's entry is made by tn::plugin_entry, which sets it. Each shared object has its own copy
// (hidden visibility), and all point to the core's one table.
#pragma once

#include <tenon/tenon.h>

namespace tn {

__attribute__((visibility("hidden"))) inline const tn_host* api = nullptr;

}  // namespace tn
