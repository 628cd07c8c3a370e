#include <tenon/random.h>

#include <atomic>
#include <vector>

#include "core/device.h"
#include "core/error.h"
#include "core/guard.h"
#include "core/locks.h"
#include "core/once.h"

namespace tenon {
namespace {

struct Generator : tn_object {
  tn_device device{};
  uint64_t seed = 0;
  uint64_t offset = 0;  // counter blocks used
};

constexpr uint64_t kFirstSeed = 67280421310721u;  // what a process that never seeds uses

const tn_object_type kType = [] {
  tn_object_type type = TN_INIT(tn_object_type);
  type.name = "tenon.generator";
  type.destroy = [](tn_object* object) { delete static_cast<Generator*>(object); };
  return type;
}();

struct Defaults {
  std::vector<Generator*> generators;  // one per device that asked, never freed
  uint64_t seed = kFirstSeed;
};
constinit Once<Defaults> defaults;

Generator* default_generator(tn_device device) {
  const Locked lock(Lock::kGenerators);
  Defaults& d = defaults.get();
  for (Generator* g : d.generators)
    if (device_same(g->device, device)) return g;
  auto* g = new Generator;
  tn_object_init(g, &kType);
  g->device = device;
  g->seed = d.seed;
  d.generators.push_back(g);
  return g;
}

tn_status find(tn_object* object, tn_device device, Generator** out) {
  return guard([&]() -> tn_status {
    if (!object) return *out = default_generator(device), nullptr;
    if (object->type != &kType)
      return TN_ERROR(TN_TYPE_ERROR, "expected a generator, got an object of type %s",
                      object->type->name);
    auto* g = static_cast<Generator*>(object);
    if (!device_same(g->device, device))
      return TN_ERROR(TN_RUNTIME_ERROR, "the generator is for %s, the call runs on %s",
                      tn_device_name(g->device.type), tn_device_name(device.type));
    *out = g;
    return nullptr;
  });
}

}  // namespace
// ---- the C functions, declared in the ABI's headers
// -----------------------------------------------

extern "C" {

TN_API tn_status tn_generator_create(tn_device device, uint64_t seed, tn_object** out) {
  return guard([&]() -> tn_status {
    if (tn_status s = device_resolve(&device)) return s;
    auto* g = new Generator;
    tn_object_init(g, &kType);
    g->device = device;
    g->seed = seed;
    *out = g;
    return nullptr;
  });
}

TN_API tn_status tn_generator_seed(tn_object* generator, tn_device device, uint64_t seed) {
  return tn_generator_set_state(generator, device, seed, 0);
}

TN_API tn_status tn_generator_get_state(tn_object* generator, tn_device device, uint64_t* seed,
                                        uint64_t* offset) {
  Generator* g = nullptr;
  if (tn_status s = find(generator, device, &g)) return s;
  const Locked lock(Lock::kGenerators);
  *seed = g->seed;
  *offset = g->offset;
  return nullptr;
}

TN_API tn_status tn_generator_set_state(tn_object* generator, tn_device device, uint64_t seed,
                                        uint64_t offset) {
  Generator* g = nullptr;
  if (tn_status s = find(generator, device, &g)) return s;
  const Locked lock(Lock::kGenerators);
  g->seed = seed;
  g->offset = offset;
  return nullptr;
}

TN_API tn_status tn_generator_reserve(tn_object* generator, tn_device device, uint64_t blocks,
                                      tn_philox* out) {
  Generator* g = nullptr;
  if (tn_status s = find(generator, device, &g)) return s;
  const Locked lock(Lock::kGenerators);
  *out = {g->seed, g->offset, nullptr};
  g->offset += blocks;
  return nullptr;
}

TN_API void tn_manual_seed(uint64_t seed) {
  const Locked lock(Lock::kGenerators);
  Defaults& d = defaults.get();
  d.seed = seed;
  for (Generator* g : d.generators) {
    g->seed = seed;
    g->offset = 0;
  }
}

}  // extern "C"

}  // namespace tenon
