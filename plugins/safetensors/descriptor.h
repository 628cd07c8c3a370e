// descriptor.h - a file descriptor that closes itself, and errno as an exception.
#pragma once
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

namespace safetensors {

[[noreturn]] inline void throw_errno(const std::string& doing) {
  throw std::system_error(errno, std::generic_category(), doing);
}

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }

  int get() const { return number_; }
  bool is_open() const { return number_ >= 0; }

 private:
  int number_ = -1;
};

}  // namespace safetensors
