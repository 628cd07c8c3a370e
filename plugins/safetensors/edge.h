// edge.h - this plugin's exceptions as the SDK's, which tn::guard turns into statuses.
#pragma once
#include <system_error>

#include <tenon/sdk/error.h>

#include "failure.h"

namespace safetensors {

// Runs `body` and makes a status of what it throws; `doing` and `path` begin the message: "cannot
// read /tmp/a: ...".
template <class Body>
tn_status guarded(const char* doing, const char* path, Body&& body) noexcept {
  tn_status status = tn::guard([&] {
    try {
      body();
    } catch (const Failure& error) {
      throw tn::Error(
          tn::api->status_make(error.code(), nullptr, 0, __FILE__, __LINE__, "%s", error.what()));
    } catch (const std::system_error& error) {
      const bool no_memory = error.code() == std::errc::not_enough_memory;
      throw tn::Error(tn::api->status_make(no_memory ? TN_OUT_OF_MEMORY : TN_IO_ERROR, "errno",
                                           error.code().value(), __FILE__, __LINE__, "%s",
                                           error.what()));
    }
  });
  return status == nullptr ? nullptr
                           : tn::api->status_annotate(status, "cannot %s %s", doing, path);
}

}  // namespace safetensors
