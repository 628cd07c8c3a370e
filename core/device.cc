#include "core/device.h"

#include <atomic>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "core/config.h"
#include "core/error.h"
#include "core/guard.h"
#include "core/loader.h"
#include "core/locks.h"
#include "core/once.h"
#include "core/storage.h"
#include "core/thread.h"

namespace tenon {
namespace {

struct DeviceType {
  std::string name;
  int32_t type;
};

struct Devices {
  std::vector<DeviceType*> types;  // never freed: names are handed out
  int32_t next_type = TN_DEVICE_TYPE_FIRST;
  std::atomic<const char*> names[kDenseLimit] = {};
  std::atomic<int32_t> host{TN_DEVICE_NONE};
};

// The configured device of factories, as bits, once it is known: it is fixed at init.
constinit std::atomic<uint64_t> configured_default{0};

constinit Once<Devices> once;

Devices& devices() {
  return once.get();
}

DeviceType* find(Devices& d, std::string_view name) {
  for (DeviceType* t : d.types)
    if (t->name == name) return t;
  return nullptr;
}

std::string known_names() {
  const Locked lock(Lock::kDevices);
  Devices& d = devices();
  std::string text;
  for (const DeviceType* t : d.types) text += (text.empty() ? "" : ", ") + t->name;
  return text.empty() ? "none" : text;
}

}  // namespace

constinit std::atomic<const tn_device_vtable*> device_tables[kDenseLimit] = {};

tn_status device_reserve(std::string_view name, int32_t dlpack_type, int32_t* type) {
  const Locked lock(Lock::kDevices);
  Devices& d = devices();
  if (DeviceType* known = find(d, name)) {
    if (dlpack_type != 0 && known->type != dlpack_type)
      return TN_ERROR(TN_ALREADY_EXISTS, "device \"%s\" is known as DLPack type %d, not %d",
                      known->name.c_str(), known->type, dlpack_type);
    *type = known->type;
    return nullptr;
  }
  if (dlpack_type < 0 || dlpack_type >= kDenseAllotted)
    return TN_ERROR(TN_INVALID_ARGUMENT, "DLPack type %d of device \"%.*s\" is outside [1, %d)",
                    dlpack_type, static_cast<int>(name.size()), name.data(), kDenseAllotted);
  for (const DeviceType* t : d.types)
    if (dlpack_type != 0 && t->type == dlpack_type)
      return TN_ERROR(TN_ALREADY_EXISTS,
                      "DLPack type %d is device \"%s\", so it cannot be \"%.*s\" too", dlpack_type,
                      t->name.c_str(), static_cast<int>(name.size()), name.data());
  const int32_t allotted = dlpack_type != 0 ? dlpack_type : d.next_type;
  if (!device_in_range(allotted))
    return TN_ERROR(TN_RUNTIME_ERROR, "more than %d device types", kDenseLimit);
  d.types.reserve(d.types.size() + 1);  // before there is something to lose
  auto* made = new DeviceType{std::string(name), allotted};
  d.types.push_back(made);
  if (dlpack_type == 0) ++d.next_type;
  d.names[device_dense(allotted)].store(made->name.c_str(), std::memory_order_release);
  *type = allotted;
  return nullptr;
}

tn_status device_missing(int32_t type) {
  if (type == TN_DEVICE_NONE)
    return TN_ERROR(TN_NOT_FOUND,
                    "no device was given and no plugin provides a host device; known devices: %s",
                    known_names().c_str());
  return TN_ERROR(TN_NOT_FOUND, "no plugin provides device \"%s\"; known devices: %s",
                  tn_device_name(type), known_names().c_str());
}

tn_status device_require(int32_t type, const tn_device_vtable** out) {
  if ((*out = device_table(type))) return nullptr;
  if (type != TN_DEVICE_NONE && device_in_range(type))
    if (tn_status s = load_for_device(tn_device_name(type))) return s;
  *out = device_table(type);
  return *out ? nullptr : device_missing(type);
}

tn_status device_install(const tn_device_vtable* table, const char* plugin) {
  int32_t type = 0;
  if (tn_status s = device_reserve(table->name, table->dlpack_type, &type)) return s;
  Devices& d = devices();
  const bool host = table->flags & TN_DEVICE_HOST;
  if (device_table(type))
    return TN_ERROR(TN_ALREADY_EXISTS,
                    "plugin %s registers device \"%s\", which another plugin provides already",
                    plugin, table->name);
  if (host && d.host.load() != TN_DEVICE_NONE)
    return TN_ERROR(TN_ALREADY_EXISTS, "plugin %s registers \"%s\" as the host, but \"%s\" is",
                    plugin, table->name, tn_device_name(d.host.load()));
  const bool complete =
      table->flags & (TN_DEVICE_HOST | TN_DEVICE_NO_DATA) ||
      (table->allocate && table->free && table->copy_from_host && table->copy_to_host);
  if (!table->count || !complete || (table->allocate && !table->free))
    return TN_ERROR(TN_INVALID_ARGUMENT,
                    "plugin %s registers device \"%s\" without what is required: count and, unless "
                    "it is the host or has "
                    "no data, allocate, free, copy_from_host and copy_to_host",
                    plugin, table->name);
  device_tables[device_dense(type)].store(table, std::memory_order_release);
  if (host) d.host.store(type, std::memory_order_release);
  if (host && !table->allocate && !(table->flags & TN_DEVICE_NO_DATA))
    storage_tailed_device.store(type, std::memory_order_release);
  return nullptr;
}

void device_remove(const tn_device_vtable* table) {
  Devices& d = devices();
  configured_default.store(0);
  for (auto& slot : device_tables)
    if (slot.load() == table) {
      slot.store(nullptr);
      if (table->flags & TN_DEVICE_HOST) {
        d.host.store(TN_DEVICE_NONE);
        storage_tailed_device.store(TN_DEVICE_NONE);
      }
    }
}

int32_t device_host_type() {
  return devices().host.load(std::memory_order_acquire);
}

tn_status device_default(tn_device* out) {
  tn_device wanted = thread_block.state.default_device;
  if (wanted.type == TN_DEVICE_NONE) {
    *out = std::bit_cast<tn_device>(configured_default.load(std::memory_order_acquire));
    if (out->type != TN_DEVICE_NONE) return nullptr;
    if (tn_status s = ensure_init()) return s;
    const std::string name = config_default_device();
    if (tn_status s = name.empty() ? tn_device_host(out) : tn_device_parse(name.c_str(), out))
      return s;
    configured_default.store(std::bit_cast<uint64_t>(*out), std::memory_order_release);
    return nullptr;
  }
  if (tn_status s = device_resolve(&wanted)) return s;
  *out = wanted;
  return nullptr;
}

tn_status device_resolve(tn_device* device) {
  const tn_device_vtable* table = nullptr;
  if (tn_status s = device_require(device->type, &table)) return s;
  if (device->index == TN_DEVICE_CURRENT) device->index = 0;
  int32_t count = 0;
  if (tn_status s = table->count(table->state, &count)) return s;
  if (device->index < 0 || device->index >= count)
    return TN_ERROR(TN_INDEX_ERROR, "device index %d of \"%s\" is outside [0, %d)", device->index,
                    table->name, count);
  return nullptr;
}

tn_status device_copy(tn_device to, void* target, tn_device from, const void* source,
                      size_t nbytes) {
  const tn_device_vtable *t = device_table(to.type), *f = device_table(from.type);
  if (!t || !f) return device_missing(t ? from.type : to.type);
  if (nbytes == 0) return nullptr;
  if (f->flags & TN_DEVICE_NO_DATA)
    return TN_ERROR(TN_NOT_IMPLEMENTED, "cannot copy out of a tensor on %s: it has no data",
                    f->name);
  if (t->flags & TN_DEVICE_NO_DATA) return nullptr;
  const bool from_host = f->flags & TN_DEVICE_HOST, to_host = t->flags & TN_DEVICE_HOST;
  if (from_host && to_host) return std::memcpy(target, source, nbytes), nullptr;
  if (from_host) return t->copy_from_host(t->state, to.index, target, source, nbytes, nullptr);
  if (to_host) return f->copy_to_host(f->state, from.index, target, source, nbytes, nullptr);
  if (device_same(to, from) && t->copy_within)
    return t->copy_within(t->state, to.index, target, source, nbytes, nullptr);
  if (t == f && t->copy_peer)
    return t->copy_peer(t->state, to.index, target, from.index, source, nbytes, nullptr);
  void* staging = std::malloc(nbytes);
  if (!staging)
    return TN_ERROR(TN_OUT_OF_MEMORY,
                    "no memory on the host for %zu bytes on their way from %s to %s", nbytes,
                    f->name, t->name);
  tn_status status = f->copy_to_host(f->state, from.index, staging, source, nbytes, nullptr);
  if (!status) status = t->copy_from_host(t->state, to.index, target, staging, nbytes, nullptr);
  std::free(staging);
  return status;
}

// ---- the C functions, declared in the ABI's headers
// -----------------------------------------------

extern "C" {

TN_API tn_status tn_device_find(const char* name, int32_t* type) {
  return guard([&]() -> tn_status {
    if (tn_status s = ensure_init()) return s;
    int32_t found = TN_DEVICE_NONE;
    {
      const Locked lock(Lock::kDevices);
      Devices& d = devices();
      if (DeviceType* t = find(d, name)) found = t->type;
    }
    if (found == TN_DEVICE_NONE)
      return TN_ERROR(TN_NOT_FOUND, "no plugin provides device \"%s\"; known devices: %s", name,
                      known_names().c_str());
    const tn_device_vtable* table = nullptr;
    if (tn_status s = device_require(found, &table)) return s;
    *type = found;
    return nullptr;
  });
}

TN_API tn_status tn_device_parse(const char* text, tn_device* out) {
  return guard([&]() -> tn_status {
    const std::string whole(text);
    const size_t colon = whole.find(':');
    tn_device device{TN_DEVICE_NONE, TN_DEVICE_CURRENT};
    if (colon != std::string::npos) {
      char* end = nullptr;
      const long index = std::strtol(whole.c_str() + colon + 1, &end, 10);
      if (end == whole.c_str() + colon + 1 || *end != '\0' || index < 0 || index > INT32_MAX)
        return TN_ERROR(TN_INVALID_ARGUMENT, "device \"%s\": expected NAME or NAME:INDEX", text);
      device.index = static_cast<int32_t>(index);
    }
    if (tn_status s = tn_device_find(whole.substr(0, colon).c_str(), &device.type)) return s;
    if (tn_status s = device_resolve(&device)) return s;
    *out = device;
    return nullptr;
  });
}

TN_API const char* tn_device_name(int32_t type) {
  if (!device_in_range(type)) return "?";
  const char* name = devices().names[device_dense(type)].load(std::memory_order_acquire);
  return name ? name : "?";
}

TN_API tn_status tn_device_count(int32_t type, int32_t* out) {
  const tn_device_vtable* table = nullptr;
  if (tn_status s = device_require(type, &table)) return s;
  return table->count(table->state, out);
}

TN_API tn_status tn_device_get_properties(tn_device device, tn_device_properties* out) {
  if (tn_status s = device_resolve(&device)) return s;
  const tn_device_vtable* table = device_table(device.type);
  if (!TN_HAS(table, properties)) {
    tn_device_properties plain = TN_INIT(tn_device_properties);
    std::strncpy(plain.name, table->name, sizeof plain.name - 1);
    plain.size = out->size;
    std::memcpy(out, &plain, out->size < sizeof plain ? out->size : sizeof plain);
    return nullptr;
  }
  return table->properties(table->state, device.index, out);
}

TN_API tn_status tn_device_synchronize(tn_device device) {
  if (tn_status s = device_resolve(&device)) return s;
  const tn_device_vtable* table = device_table(device.type);
  return TN_HAS(table, synchronize) ? table->synchronize(table->state, device.index) : nullptr;
}

TN_API uint32_t tn_device_flags(int32_t type) {
  const tn_device_vtable* table = device_table(type);
  return table ? table->flags : 0;
}

TN_API tn_status tn_device_host(tn_device* out) {
  if (device_host_type() == TN_DEVICE_NONE) {
    if (tn_status s = ensure_init()) return s;
    if (tn_status s = load_for_host()) return tn_status_annotate(s, "there is no host device");
  }
  const int32_t type = device_host_type();
  if (type == TN_DEVICE_NONE)
    return TN_ERROR(
        TN_NOT_FOUND,
        "no plugin provides the host device; install one whose manifest says `host = true` "
        "(`tenon doctor` lists the plugins found)");
  *out = {type, 0};
  return nullptr;
}

}  // extern "C"

}  // namespace tenon
