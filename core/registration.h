// What one plugin's entry registers, held back until the entry returns success.
#pragma once

#include <tenon/status.h>

namespace tenon {

struct Registration;

// To be put in tn_plugin.registration before the entry runs. Null without memory.
Registration* registration_begin(const char* plugin_name);

// Applies operators, kernels, fallbacks, attributes, roles and devices; all or nothing. Frees.
tn_status registration_commit(Registration* registration);

// Forgets everything. Frees.
void registration_abort(Registration* registration);

// For unload: takes all of that plugin's registrations out. Operators stay known but cannot be
// called.
void registration_retire(const char* plugin_name);

}  // namespace tenon
