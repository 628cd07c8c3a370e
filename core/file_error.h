// Errors of the standard library's functions for files.
#pragma once

#include <new>
#include <system_error>

namespace tenon {

// Lack of memory says nothing of the file that was asked about.
inline void throw_if_out_of_memory(const std::error_code& error) {
  if (error == std::errc::not_enough_memory) throw std::bad_alloc();
}

}  // namespace tenon
