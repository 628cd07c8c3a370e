// A program's start, stage by stage: configuration, discovery, loading plugins and their first
// calls.
#pragma once

#include <functional>
#include <span>

namespace faults {

// A part of a program's start. Those before it have succeeded.
struct Stage {
  const char* name;
  void (*run)();
  void (*check_failed)() = [] {};  // looks at what a failure must leave as it was
};

std::span<const Stage> start_stages();

// Runs `body` in a process of its own that ends with what it returns.
int ending(const std::function<int()>& body);

}  // namespace faults
