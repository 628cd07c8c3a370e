// Devices: the host, one with memory of its own, one without data.
#include <cstdlib>
#include <cstring>

#include "fake_plugin.h"

namespace fake {
namespace {

tn_status one(void*, int32_t* count) {
  return *count = 1, nullptr;
}
tn_status two(void*, int32_t* count) {
  return *count = 2, nullptr;
}
// 3 KiB, of which the device with memory has 1 KiB left.
tn_status memory_info(void*, int32_t, uint64_t* free_bytes, uint64_t* total_bytes) {
  *free_bytes = 1024;
  *total_bytes = 3 * 1024;
  return nullptr;
}
tn_status allocate(void*, int32_t index, size_t nbytes, void** out) {
  if (nbytes > control.device_limit)
    return index ? tn::api->status_out_of_memory()
                 : tn::api->status_make(TN_OUT_OF_MEMORY, "fake", 2, __FILE__, __LINE__,
                                        "fakeMalloc says 2");
  *out = std::malloc(nbytes ? nbytes : 1);
  ++control.device_live;
  return nullptr;
}
void release(void*, int32_t, void* data, size_t) {
  std::free(data);
  --control.device_live;
}
tn_status move(void*, int32_t, void* target, const void* source, size_t nbytes, tn_stream*) {
  std::memcpy(target, source, nbytes);
  ++control.transfers;
  return nullptr;
}

const tn_device_vtable host_device = [] {
  tn_device_vtable d = TN_INIT(tn_device_vtable);
  d.flags = TN_DEVICE_HOST;
  d.name = "fakehost";
  d.dlpack_type = 1;
  d.count = one;
  return d;
}();
const tn_device_vtable other_device = [] {
  tn_device_vtable d = TN_INIT(tn_device_vtable);
  d.name = "fakedev";
  d.count = two;
  d.allocate = allocate;
  d.free = release;
  d.memory_info = memory_info;
  d.copy_from_host = d.copy_to_host = d.copy_within = move;
  return d;
}();
const tn_device_vtable empty_device = [] {
  tn_device_vtable d = TN_INIT(tn_device_vtable);
  d.flags = TN_DEVICE_NO_DATA;
  d.name = "fakemeta";
  d.count = one;
  return d;
}();

}  // namespace

void register_devices(tn_plugin* plugin) {
  for (const tn_device_vtable* d : {&host_device, &other_device, &empty_device})
    tn::check(tn::api->register_device(plugin, d));
}

}  // namespace fake
