// The edge of the library: no exception leaves an exported function.
#pragma once

#include <tenon/status.h>

#include <exception>
#include <new>

namespace tenon {

// Runs `body`, which returns a tn_status, and turns whatever it throws into one.
template <class Body>
tn_status guard(Body&& body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return tn_status_out_of_memory();
  } catch (const std::exception& error) {
    return tn_status_make(TN_INTERNAL, nullptr, 0, __FILE__, __LINE__, "unexpected exception: %s",
                          error.what());
  } catch (...) {
    return tn_status_make(TN_INTERNAL, nullptr, 0, __FILE__, __LINE__,
                          "unexpected exception of an unknown type");
  }
}

}  // namespace tenon
