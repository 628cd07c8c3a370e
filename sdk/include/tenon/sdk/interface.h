// Interfaces of plugins, by name and version.
#pragma once

#include <atomic>

#include <tenon/sdk/error.h>

namespace tn {

// A plugin's table of functions, looked up at its first use: a static, as Operator is.
template <class Table>
class Interface {
 public:
  constexpr Interface(const char* name, int32_t version) : name_(name), version_(version) {}

  // Loads the plugin where that is needed. Throws Error when none provides the interface.
  const Table& get() const {
    const void* table = table_.load(std::memory_order_acquire);
    if (!table) {
      check(api->get_interface(name_, version_, &table));
      table_.store(table, std::memory_order_release);
    }
    return *static_cast<const Table*>(table);
  }

 private:
  const char* name_;
  int32_t version_;
  mutable std::atomic<const void*> table_{nullptr};
};

}  // namespace tn
