// A short array on the stack that moves to the heap when it is long.
#pragma once

#include <cstddef>
#include <type_traits>

#include "node.h"

namespace tn::graph {

// Elements are not initialised.
template <class T, size_t Inline>
class Buffer {
  static_assert(std::is_trivially_destructible_v<T>);

 public:
  explicit Buffer(size_t size) : size_(size) {
    data_ =
        size <= Inline ? reinterpret_cast<T*>(room_) : static_cast<T*>(allocate(size * sizeof(T)));
  }
  Buffer(size_t size, const T& value) : Buffer(size) {
    for (size_t i = 0; i < size; ++i) data_[i] = value;
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() {
    if (data_ != reinterpret_cast<T*>(room_)) api->memory_free(data_, size_ * sizeof(T));
  }

  T* data() { return data_; }
  size_t size() const { return size_; }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }

 private:
  size_t size_;
  T* data_;
  alignas(T) unsigned char room_[Inline * sizeof(T)];
};

}  // namespace tn::graph
