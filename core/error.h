// Making errors inside the core.
#pragma once

#include <tenon/status.h>

// A status with the place where it was made. The one macro of the core: only a macro knows the
// place.
#define TN_ERROR(code, ...) tn_status_make((code), nullptr, 0, __FILE__, __LINE__, __VA_ARGS__)

namespace tenon {

// The first failure ends the function: `if (tn_status s = f()) return s;` reads as it is; this only
// names the branch as the unlikely one.
inline bool failed(tn_status status) {
  return __builtin_expect(status != nullptr, 0);
}

// In place of the status that needs no memory one that takes on a message, where there is memory
// for it: what has failed may have been large. Any other as it is.
tn_status explainable(tn_status status);

}  // namespace tenon
