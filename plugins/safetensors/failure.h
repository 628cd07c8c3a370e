// failure.h - what this plugin throws inside itself. Nothing of it crosses the ABI: edge.h turns it
// into a status.
#pragma once
#include <cstddef>
#include <stdexcept>
#include <string>

#include <tenon/status.h>

namespace safetensors {

class Failure : public std::runtime_error {
 public:
  Failure(tn_code code, const std::string& message) : std::runtime_error(message), code_(code) {}
  tn_code code() const noexcept { return code_; }

 private:
  tn_code code_;
};

// A file that breaks the format; `position` is the byte of the file where that shows.
class Malformed : public Failure {
 public:
  Malformed(const std::string& why, std::size_t position)
      : Failure(TN_INVALID_ARGUMENT, why + ", at byte " + std::to_string(position)),
        position_(position) {}
  std::size_t position() const noexcept { return position_; }

 private:
  std::size_t position_;
};

}  // namespace safetensors
