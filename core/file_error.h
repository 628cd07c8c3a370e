// Errors of the operating system that say nothing of the file that was asked about.
#pragma once

#include <cerrno>
#include <cstdint>
#include <new>
#include <system_error>

namespace tenon {

// Each the state of the process or the system just then: the same call may succeed later.
inline constexpr int kPassingErrors[] = {ENOMEM, EMFILE, ENFILE, EINTR, EAGAIN, ENOBUFS};

// Whether `error`, an errno, is one of them.
constexpr bool error_passes(int64_t error) {
  for (const int passing : kPassingErrors)
    if (error == passing) return true;
  return false;
}

// For functions that look at names and open nothing.
inline void throw_if_out_of_memory(const std::error_code& error) {
  if (error == std::errc::not_enough_memory) throw std::bad_alloc();
}

}  // namespace tenon
