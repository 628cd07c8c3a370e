// What registration.cc stages and registration_commit.cc applies.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <tenon/plugin.h>

#include "core/registration.h"
#include "core/registry.h"

namespace tenon {

struct Registration {
  struct StagedKernel {
    std::string op;
    std::string layer;  // set for a layer's kernel
    std::unique_ptr<Kernel> kernel;
    uint64_t schema_hash;  // of the schema that it was built with; 0 when it does not say
  };
  struct StagedFallback {
    std::string layer;
    LayerKernel kernel;
  };
  std::string plugin;
  std::vector<std::unique_ptr<Operator>> operators;
  std::unordered_map<std::string_view, Operator*> operators_by_name;
  std::unordered_set<std::string> seen;  // kernels and attributes, to refuse a second one
  std::vector<StagedKernel> kernels;
  std::vector<StagedFallback> fallbacks;
  std::vector<Attribute> attributes;
  std::vector<std::pair<int, std::string>> roles;
  std::vector<const tn_device_vtable*> devices;
  std::vector<tn_fork_handlers> fork_handlers;

  Operator* find_operator(std::string_view name) const {
    const auto it = operators_by_name.find(name);
    return it == operators_by_name.end() ? nullptr : it->second;
  }

  ~Registration() {
    for (auto& op : operators)
      if (op) tn_schema_free(op->schema);
  }
};

}  // namespace tenon
