// The operator reference docs/ops.md.
#pragma once

#include <string>
#include <vector>

#include "rows.h"

namespace generate {

std::string reference(const std::vector<Chapter>& chapters);

}  // namespace generate
