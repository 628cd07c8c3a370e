// Errors: status objects of the ABI become exceptions inside C++ code, and status again at its
// edge.
#pragma once

#include <cstdio>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include <tenon/sdk/api.h>

namespace tn {

// A failed call. Owns the status, so that nothing is lost when it crosses back over the ABI.
class Error : public std::exception {
 public:
  explicit Error(tn_status status) noexcept : status_(status) {}
  Error(const Error& other) : status_(copy(other.status_)) {}
  Error(Error&& other) noexcept : status_(std::exchange(other.status_, nullptr)) {}
  Error& operator=(Error other) noexcept {
    std::swap(status_, other.status_);
    return *this;
  }
  ~Error() override {
    if (status_) api->status_release(status_);
  }

  const char* what() const noexcept override { return api->status_message(status_); }
  tn_code code() const noexcept { return api->status_code(status_); }
  // Gives the status up, for the way back over the ABI.
  tn_status release() noexcept { return std::exchange(status_, nullptr); }

 private:
  static tn_status copy(tn_status s) {
    return api->status_make(api->status_code(s), api->status_domain(s), api->status_native_code(s),
                            api->status_file(s), api->status_line(s), "%s", api->status_message(s));
  }
  tn_status status_;
};

// Throws Error unless the status is success.
inline void check(tn_status status) {
  if (__builtin_expect(status != nullptr, 0)) throw Error(status);
}

// Throws an error of the given kind with a printf-formatted message.
[[noreturn]] __attribute__((format(printf, 2, 3))) inline void fail(tn_code code,
                                                                    const char* format, ...) {
  char text[1024];
  __builtin_va_list args;
  __builtin_va_start(args, format);
  std::vsnprintf(text, sizeof text, format, args);
  __builtin_va_end(args);
  throw Error(api->status_make(code, nullptr, 0, "", 0, "%s", text));
}

namespace detail {

// The status of the exception that is being handled.
[[gnu::noinline, gnu::cold]] inline tn_status caught() noexcept {
  try {
    throw;
  } catch (Error& error) {
    return error.release();
  } catch (const std::bad_alloc&) {
    return api->status_out_of_memory();
  } catch (const std::length_error&) {  // a container of more than any memory holds
    return api->status_out_of_memory();
  } catch (const std::system_error& error) {  // of a thread or a file that could not be made
    const std::error_category& category = error.code().category();
    if (category != std::generic_category() && category != std::system_category())
      return api->status_make(TN_INTERNAL, "c++", 0, "", 0, "%s", error.what());
    const bool no_memory = error.code() == std::errc::not_enough_memory;
    return api->status_make(no_memory ? TN_OUT_OF_MEMORY : TN_IO_ERROR, "errno",
                            error.code().value(), "", 0, "%s", error.what());
  } catch (const std::exception& error) {
    return api->status_make(TN_INTERNAL, "c++", 0, "", 0, "%s", error.what());
  } catch (...) {
    return api->status_make(TN_INTERNAL, "c++", 0, "", 0, "an exception that is no std::exception");
  }
}

}  // namespace detail

// Runs `body` and turns any exception into a status: the one place where exceptions end before the
// ABI. Inlined, so that what `body` refers to needs no place in memory.
template <class Body>
[[gnu::always_inline]] inline tn_status guard(Body&& body) noexcept {
  try {
    body();
    return nullptr;
  } catch (...) {
    return detail::caught();
  }
}

// Connects a program to the core that it links: reads the configuration, discovers plugins, runs
// none. Throws Error. (Plugins never call this; their entry gets the table.)
inline void init() {
  if (!api) api = tn_get_host();
  check(api->init(TN_ABI_MAJOR, TN_ABI_MINOR));
}

}  // namespace tn
