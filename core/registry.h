// Operators and kernels: what plugins registered, in the form that calls need.
//
// Readers take no lock. An operator's entry never moves and is never freed; what changes when
// plugins load (kernels per device, layers) is published with one atomic store, and what it
// replaces stays alive for calls that still run on it.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/operator.h>

#include "core/device.h"
#include "core/dtype.h"

namespace tenon {

struct Operator;
struct Cell;
struct Frame;

// Runs a call with the kernels of its device.
using Executor = tn_status (*)(Frame& frame, const Cell& cell, const tn_value* args, uint32_t nargs,
                               tn_value* rets, uint32_t nrets);

// One registered kernel. Immutable.
struct Kernel {
  tn_kernel_fn fn = nullptr;
  void* state = nullptr;
  tn_accepts_fn accepts = nullptr;
  tn_caps caps{};
  uint32_t nargs =
      UINT32_MAX;  // how many arguments it knows of; fewer than the schema has when that has grown
  bool takes_all = false;  // no limits in caps, no accepts: any strided tensors will do
  std::string device;      // device type's name, or TN_ANY_DEVICE; "" for a layer's
  std::string provider;
  uint32_t provider_number = 0;
  std::string plugin;
};

// Kernels for one operator on one device type, in the order in which they are tried.
struct Cell {
  bool has_data = true;  // false on devices that only infer
  const Kernel* first_takes_all =
      nullptr;  // the first candidate, when it takes any strided tensors
  // By compute dtype: the first candidate with a plan that takes it, when nothing else is to be
  // asked.
  const Kernel* planned[kDtypeCount] = {};
  std::vector<const Kernel*> candidates;    // those that take strided tensors
  std::vector<const Kernel*> all;           // and those that take only others (restricted.h)
  mutable const Cell* forgotten = nullptr;  // the next of those that are not used any more
};

// A layer's kernel for one operator, or for all.
struct LayerKernel {
  tn_kernel_fn fn = nullptr;
  void* state = nullptr;
  const char* plugin = nullptr;  // who registered it; null for the core's own
};

}  // namespace tenon

// The handle that callers hold: an operator in one form.
struct tn_op {
  tenon::Operator* entry = nullptr;
  tn_form form = TN_FUNCTIONAL;
  bool exists = false;
};

namespace tenon {

// Positions of arguments that the core itself reads; -1 where the schema has none.
struct ArgumentPositions {
  int dim = -1, keepdim = -1, dtype = -1, device = -1;
};

struct Operator {
  // What every call reads, first.
  uint32_t nargs = 0;
  uint32_t nrets = 0;
  const uint32_t* accepted = nullptr;        // per argument: bit per tag that is taken as it is
  Executor execute = nullptr;                // runs it on a device, by its kind
  const uint8_t* uniform_results = nullptr;  // uniform.cc; null when each call needs care
  uint64_t operands = 0;                     // bit i: argument i is a tensor, not a list of them
  std::atomic<uint64_t> layers{0};       // bits of layers that have a kernel of their own for it
  bool writes_arguments = false;         // the schema marks some as written
  std::atomic<bool> transparent{false};  // a decomposition, and no derivative for all devices
  tn_op_desc desc{};
  std::atomic<std::atomic<const Cell*>*> cells{
      nullptr};  // by dense device number, `cell_count` of them
  std::atomic<uint32_t> cell_count{0};
  std::atomic<const LayerKernel*> layer_kernels{nullptr};  // 64, or null when no layer has its own

  tn_op forms[3];
  tn_schema* schema = nullptr;
  ArgumentPositions positions;
  std::vector<uint32_t> accepted_tags;
  std::vector<uint8_t> tensor_args;  // positions of Tensor and Tensor? arguments (not of lists)
  std::string doc;
  std::string plugin;
  std::atomic<bool> retired{false};  // its plugin was unloaded
  std::atomic<const std::vector<struct Attribute>*> attributes{nullptr};
  std::vector<std::unique_ptr<Kernel>> kernels;  // by any provider, for any device

  const char* name() const { return schema->full_name; }
};

struct Attribute {
  std::string op, name, device, plugin;
  uint32_t version = 0;
  const void* data = nullptr;
};

// The operator that a role names; null with an error when nothing is bound. `role` is "copy" or
// "fill".
enum class Role {
  copy,
  fill
};
inline constexpr int kRoles = 2;
tn_status role_op(Role role, const tn_op** out);

// Layers whose fallback covers every operator.
extern std::atomic<uint64_t> fallback_layer_bits;
inline uint64_t fallback_layers() {
  return fallback_layer_bits.load(std::memory_order_acquire);
}

// The kernel of a layer for an operator: its own, else the layer's fallback.
const LayerKernel& layer_kernel(const Operator& op, int bit);

// The kernels for a device type, loading providers when they are asked for the first time. Never
// null on success.
tn_status cell_for(Operator& op, int32_t device_type, const Cell** out);

// Error: the first two candidates come from plugins between which nothing decides.
tn_status check_tie(const Operator& op, const Cell& cell, std::string_view device);

// Whether a derivative was registered for this device type alone.
bool has_derivative_on(const Operator& op, int32_t device_type);

// A decomposition without a derivative runs above all layers. A provider that brings a derivative
// is recorded as one node instead.
inline bool runs_above_layers(const Operator& op, int32_t device_type) {
  return op.transparent.load(std::memory_order_relaxed) &&
         (!op.attributes.load(std::memory_order_relaxed) || !has_derivative_on(op, device_type));
}

// What is there without loading anything; null when the cell was never built.
inline const Cell* cell_if_built(const Operator& op, int32_t device_type) {
  const auto dense = static_cast<uint32_t>(device_dense(device_type));
  if (dense >= op.cell_count.load(std::memory_order_acquire)) return nullptr;
  return op.cells.load(std::memory_order_acquire)[dense].load(std::memory_order_acquire);
}

// Numbers providers by name, from 1 on, so that tensors can carry one. Error: there are too many.
tn_status provider_number(const std::string& name, uint32_t* out);
std::string provider_name(uint32_t number);

// "cpu, cuda": device types that have a kernel for it now.
std::string devices_with_kernel(const Operator& op);

}  // namespace tenon
