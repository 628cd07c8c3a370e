// The table of device types: names and numbers from manifests, functions once a plugin has
// registered them.
#pragma once

#include <atomic>
#include <string_view>

#include <tenon/device.h>

namespace tenon {

// Types are dense numbers inside the core: DLPack's below 32, then those the core allots.
inline constexpr int kDenseAllotted = 32;
inline constexpr int kDenseLimit = 1024;
inline int device_dense(int32_t type) {
  return type < kDenseAllotted ? type : type - TN_DEVICE_TYPE_FIRST + kDenseAllotted;
}

inline bool device_same(tn_device a, tn_device b) {
  return a.type == b.type && a.index == b.index;
}

// Names a device type before its plugin is loaded, from its manifest. The same name twice with the
// same DLPack number is fine, else an error.
tn_status device_reserve(std::string_view name, int32_t dlpack_type, int32_t* type);

inline bool device_in_range(int32_t type) {
  return (type > 0 && type < kDenseAllotted) ||
         (type >= TN_DEVICE_TYPE_FIRST && device_dense(type) < kDenseLimit);
}

// What a plugin registered for a type; null before that. Lock-free.
extern constinit std::atomic<const tn_device_vtable*> device_tables[kDenseLimit];
inline const tn_device_vtable* device_table(int32_t type) {
  return device_in_range(type) ? device_tables[device_dense(type)].load(std::memory_order_acquire)
                               : nullptr;
}

// The table, loading the plugin if need be.
tn_status device_require(int32_t type, const tn_device_vtable** out);

// Makes a registration effective, or takes it back (registration.cc).
tn_status device_install(const tn_device_vtable* table, const char* plugin);
void device_remove(const tn_device_vtable* table);

// The host's type, or TN_DEVICE_NONE while no plugin provides one. Lock-free.
int32_t device_host_type();

// "no plugin provides device type 4096": the error for a type without a table.
tn_status device_missing(int32_t type);

// A factory's device: the thread's default, else the config's, else the host.
tn_status device_default(tn_device* out);
// Replaces TN_DEVICE_CURRENT by the thread's current index and checks the range.
tn_status device_resolve(tn_device* device);

// Copies bytes between any two devices, through the host where need be. Waits until done.
tn_status device_copy(tn_device to, void* target, tn_device from, const void* source,
                      size_t nbytes);

}  // namespace tenon
