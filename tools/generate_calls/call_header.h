// The C++ call header <tenon/calls.h>: typed functions for every operator in every form.
#pragma once

#include <string>
#include <vector>

#include "rows.h"

namespace generate {

// Its text. Overloads keep one C++ name. Where two could not be told apart in a call, the later one
// loses defaults until they can; where that is not enough, it is named `name_overload`.
std::string call_header(const std::vector<Chapter>& chapters);

}  // namespace generate
