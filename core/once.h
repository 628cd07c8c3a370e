// Objects of the process that are made at their first use and never destroyed: calls may come while
// it exits.
#pragma once

#include <atomic>
#include <new>

#include "core/locks.h"

namespace tenon {

// In static storage, so that making it asks for no memory of its own. To be constinit.
template <class T>
class Once {
 public:
  T& get() {
    if (__builtin_expect(!made_.load(std::memory_order_acquire), 0)) make();
    return *std::launder(reinterpret_cast<T*>(place_));
  }

 private:
  // Under a lock that forks wait for. A static's guard would stay shut in the child of a fork that
  // falls into the making.
  [[gnu::noinline]] void make() {
    const Locked lock(Lock::kOnce);
    if (made_.load(std::memory_order_relaxed)) return;
    new (place_) T;
    made_.store(true, std::memory_order_release);
  }

  alignas(T) unsigned char place_[sizeof(T)] = {};
  std::atomic<bool> made_{false};
};

}  // namespace tenon
