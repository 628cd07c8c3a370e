// Objects of the process that are made at their first use and never destroyed: calls may come while
// it exits.
#pragma once

#include <atomic>

#include "core/locks.h"

namespace tenon {

// To be constinit.
template <class T>
class Once {
 public:
  T& get() {
    T* made = object_.load(std::memory_order_acquire);
    return __builtin_expect(made != nullptr, 1) ? *made : make();
  }

 private:
  // Under a lock that forks wait for. A static's guard would stay shut in the child of a fork that
  // falls into the making.
  [[gnu::noinline]] T& make() {
    const Locked lock(Lock::kOnce);
    T* made = object_.load(std::memory_order_relaxed);
    if (!made) object_.store(made = new T, std::memory_order_release);
    return *made;
  }

  std::atomic<T*> object_{nullptr};
};

}  // namespace tenon
