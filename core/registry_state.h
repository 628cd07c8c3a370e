// The registry's own state, shared by the files that read it (registry.cc) and write it
// (registration.cc).
#pragma once

#include <unordered_map>

#include "core/registry.h"

namespace tenon {

struct Registry {
  Registry();
  std::vector<Operator*> operators;  // in order of declaration
  std::unordered_map<std::string_view, Operator*> by_full_name;
  std::unordered_map<std::string_view, std::vector<Operator*>> by_name;
  const Cell* forgotten = nullptr;    // never freed, as the following: a call may be reading them
  std::vector<const void*> replaced;  // lists that a call may still be reading: never freed
  std::vector<std::unique_ptr<Kernel>> retired_kernels;  // a call may still run on one
  std::atomic<const tn_op*> roles[kRoles] = {};
  std::string role_plugins[kRoles];
  std::vector<std::string> providers;                  // number 1 is the first
  std::atomic<const LayerKernel*> fallbacks[64] = {};  // never freed: a call may be reading it
};

Registry& registry();

// Forgets which kernels serve an operator: the next call finds out again. Lock::kRegistry is held.
void forget_cells(Operator& op);

// Forgets a plugin's kernels for layers and one operator. Needs no memory. Lock::kRegistry
// is held.
void forget_layer_kernels(Operator& op, std::string_view plugin);

// "copy" or "fill"; -1 for another name.
int role_index(std::string_view name);

}  // namespace tenon
