// The mutexes of the process. One list, because they nest and because a fork takes them all: its
// child has one thread, which must find them free and what they guard whole.
#pragma once

#include <cstdint>
#include <vector>

#include <tenon/plugin.h>

namespace tenon {

// In the order in which they nest: who holds one asks for later ones alone, or for itself.
enum class Lock : uint8_t {
  kStart,    // init.cc
  kCatalog,  // catalog.h: held while plugins are loaded, their entries included
  // Those of plugins follow.
  kConfig,      // config.h
  kRegistry,    // registry_state.h
  kDevices,     // device.cc
  kGenerators,  // random.cc
  kSlots,       // slots.cc
  kFallbacks,   // fallback.cc
  kStrings,     // keep.cc
  kBlocks,      // memory.cc
  kLargeBlocks,
  kOnce,  // once.h
  kCount
};

// Holds a mutex as long as it lives.
class Locked {
 public:
  explicit Locked(Lock lock) noexcept;
  ~Locked();
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  Lock lock_;
};

// Plugins' handlers, which count as mutexes that come behind kCatalog. That is held.
void locks_add_fork_handlers(const std::vector<tn_fork_handlers>& handlers);

}  // namespace tenon
