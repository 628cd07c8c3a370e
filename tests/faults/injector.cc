#include "injector.h"

#include <dlfcn.h>
#include <link.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <limits>

#include "injector_plan.h"

namespace {

// Written while nobody calls; read from then on by all threads.
std::atomic<uint32_t> planned{0};
std::atomic<uint64_t> seen{0};
uint64_t first = 0;
uint64_t last = 0;
int error = 0;

std::atomic<size_t> longest{0};

const char* spared[4] = {"/libgomp.so"};

bool is_spared(const void* caller) {
  dl_find_object found;
  if (_dl_find_object(const_cast<void*>(caller), &found) != 0) return false;
  const char* name = found.dlfo_link_map->l_name;
  if (!*name) name = program_invocation_name;
  return std::any_of(std::begin(spared), std::end(spared),
                     [&](const char* path) { return path && std::strstr(name, path); });
}

}  // namespace

namespace faults {

bool fails(uint32_t kind, const void* caller) {
  if (!(planned.load(std::memory_order_acquire) & kind)) return false;
  const uint64_t number = seen.fetch_add(1) + 1;
  if (number < first || number > last || is_spared(caller)) return false;
  if (error == FAULT_KILL) syscall(SYS_kill, getpid(), SIGKILL);
  errno = error;
  return true;
}

size_t shortened(size_t size) {
  const size_t most = longest.load();
  return most && size > most ? most : size;
}

}  // namespace faults

void fault_plan(uint32_t kinds, uint64_t nth, int32_t from_then_on, int32_t with) {
  planned.store(0);
  seen.store(0);
  first = nth ? nth : std::numeric_limits<uint64_t>::max();
  last = from_then_on ? std::numeric_limits<uint64_t>::max() : nth;
  error = with;
  planned.store(kinds, std::memory_order_release);
}

uint64_t fault_end() {
  planned.store(0);
  return seen.load();
}

void fault_spare(const char* path) {
  if (const auto free = std::find(std::begin(spared), std::end(spared), nullptr);
      free != std::end(spared))
    *free = path;
}

void fault_shorten(size_t most) {
  longest.store(most);
}
