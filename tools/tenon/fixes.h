// fixes.h - what a person should do about what the doctor found.
#pragma once
#include "json.h"

namespace command {

// One text for each thing to mend, in order of importance. Plugins that are skipped on purpose, or
// because they are for another machine, are nothing to mend.
Json fixes_for(const Json& report);

}  // namespace command
