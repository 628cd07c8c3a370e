// doctor_text.h - the doctor's report as a person reads it.
#pragma once
#include "json.h"

namespace command {

std::string doctor_text(const Json& report);

}  // namespace command
