#include "device.h"

#include <cpuid.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include <tenon/device.h>
#include <tenon/sdk/error.h>

namespace tn::cpu {
namespace {

tn_status count(void*, int32_t* out) {
  *out = 1;
  return nullptr;
}

// The processor's name as cpuid spells it, without the blanks that pad it.
void read_name(char* name, size_t capacity) {
  unsigned words[12] = {}, a, b, c, d;
  if (__get_cpuid(0x80000000, &a, &b, &c, &d) && a >= 0x80000004)
    for (unsigned i = 0; i < 3; ++i)
      __get_cpuid(0x80000002 + i, &words[4 * i], &words[4 * i + 1], &words[4 * i + 2],
                  &words[4 * i + 3]);
  char text[sizeof words + 1] = {};
  std::memcpy(text, words, sizeof words);
  const char* begin = text + std::strspn(text, " ");
  size_t length = std::strlen(begin);
  while (length > 0 && begin[length - 1] == ' ') --length;
  length = std::min(length, capacity - 1);
  std::memcpy(name, begin, length);
  name[length] = 0;
}

tn_status properties(void*, int32_t, tn_device_properties* out) {
  read_name(out->name, sizeof out->name);
#if defined(__AVX512F__)
  std::strcpy(out->arch, "x86-64-v4");
#else
  std::strcpy(out->arch, "x86-64-v3");
#endif
  struct sysinfo info {};
  if (sysinfo(&info) == 0) out->memory_bytes = uint64_t{info.totalram} * info.mem_unit;
  out->compute_units = static_cast<int32_t>(sysconf(_SC_NPROCESSORS_ONLN));
  return nullptr;
}

tn_status memory_info(void*, int32_t, uint64_t* free_bytes, uint64_t* total_bytes) {
  struct sysinfo info {};
  sysinfo(&info);
  *free_bytes = uint64_t{info.freeram} * info.mem_unit;
  *total_bytes = uint64_t{info.totalram} * info.mem_unit;
  return nullptr;
}

// Without memory functions: the core's own allocator serves the host.
tn_device_vtable table = [] {
  tn_device_vtable t = TN_INIT(tn_device_vtable);
  t.flags = TN_DEVICE_HOST;
  t.name = "cpu";
  t.dlpack_type = 1;
  t.count = count;
  t.properties = properties;
  t.memory_info = memory_info;
  return t;
}();

}  // namespace

void register_device(tn_plugin* plugin) {
  check(api->register_device(plugin, &table));
}

}  // namespace tn::cpu
