// autograd_interface.h - the table of functions behind gradients.
#pragma once
#include "ref.h"

namespace tenon_python {

// Loads the plugin that provides it. Null with an exception set that says what is missing.
const tn_autograd* autograd_interface();
// Null while nothing has asked for it.
const tn_autograd* loaded_autograd();

}  // namespace tenon_python
