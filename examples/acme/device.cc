// A device that is made up: its memory is the host's, which the core does not know and never reads.
#include <atomic>
#include <cstdlib>
#include <cstring>

#include <tenon/device.h>

#include "plugin.h"

namespace acme {
namespace {

// What the device has left. All entries may be called from any thread.
struct Memory {
  std::atomic<uint64_t> free{0};
  uint64_t total = 0;
};

tn_status count(void*, int32_t* out) {
  *out = 1;
  return nullptr;
}

tn_status allocate(void* state, int32_t, size_t nbytes, void** out) {
  auto& memory = *static_cast<Memory*>(state);
  uint64_t left = memory.free;
  do
    if (left < nbytes) return tn::api->status_out_of_memory();
  while (!memory.free.compare_exchange_weak(left, left - nbytes));
  *out =
      std::aligned_alloc(TN_ALIGNMENT, (nbytes + TN_ALIGNMENT - 1) / TN_ALIGNMENT * TN_ALIGNMENT);
  if (*out) return nullptr;
  memory.free += nbytes;
  return tn::api->status_out_of_memory();
}

void free(void* state, int32_t, void* data, size_t nbytes) {
  std::free(data);
  static_cast<Memory*>(state)->free += nbytes;
}

tn_status memory_info(void* state, int32_t, uint64_t* free_bytes, uint64_t* total_bytes) {
  const auto& memory = *static_cast<Memory*>(state);
  *free_bytes = memory.free;
  *total_bytes = memory.total;
  return nullptr;
}

tn_status copy(void*, int32_t, void* target, const void* source, size_t nbytes, tn_stream*) {
  std::memcpy(target, source, nbytes);
  return nullptr;
}

// The manifest's [config.memory_mib], or what the user set it to.
uint64_t configured_bytes(tn_plugin* plugin) {
  tn_value mib;
  tn::check(tn::api->plugin_config(plugin, "memory_mib", &mib));
  return static_cast<uint64_t>(mib.u.i) << 20;
}

}  // namespace

void register_device(tn_plugin* plugin) {
  auto* memory = new Memory;  // it lives as long as the plugin, which is until the process ends
  memory->total = configured_bytes(plugin);
  memory->free = memory->total;

  auto* device = new tn_device_vtable(TN_INIT(tn_device_vtable));
  device->name = "acme";
  device->state = memory;
  device->count = count;
  device->allocate = allocate;
  device->free = free;
  device->memory_info = memory_info;
  device->copy_from_host = copy;
  device->copy_to_host = copy;
  device->copy_within = copy;
  tn::check(tn::api->register_device(plugin, device));
}

}  // namespace acme
