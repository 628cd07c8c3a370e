#include "parallel.h"

#include <omp.h>
#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>

#include <tenon/sdk/fork.h>

namespace tn::cpu {
namespace {

std::atomic<bool> forked{false};

// How many threads a thread's last team had, in place of a pointer.
struct {
  pthread_key_t key;
  bool exists = false;
} last_size;

bool team_allowed() {
  return !forked.load(std::memory_order_relaxed) && !omp_in_parallel();
}

// Whether there is memory for what a team of this size takes when it is made: stacks, and a few
// hundred bytes a thread.
bool memory_suffices(int threads) {
  constexpr size_t kStack = size_t{8} << 20;  // of glibc's threads, where nobody sets another
  const size_t size = static_cast<size_t>(threads) * kStack;
  void* stacks = mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (stacks == MAP_FAILED) return false;
  munmap(stacks, size);
  void* volatile block = std::malloc(static_cast<size_t>(threads) * 4096);
  std::free(block);
  return block != nullptr;
}

// The OpenMP runtime ends the process where it finds no memory for a team. So a thread asks for as
// much itself before it starts one of another size than its last, which the runtime has kept.
bool team_has_room(int threads) {
  const auto size = reinterpret_cast<void*>(static_cast<intptr_t>(threads));
  if (last_size.exists && pthread_getspecific(last_size.key) == size) return true;
  if (!memory_suffices(threads)) return false;
  if (last_size.exists) pthread_setspecific(last_size.key, size);
  return true;
}

// Alone here, since clang asks its OpenMP runtime for the thread's number where the function with
// the region begins. In a child that was forked while the runtime started, that never returns.
[[gnu::noinline]] void run_in_team(int threads, int64_t total, int64_t unit,
                                   void (*f)(void* context, int64_t begin, int64_t end),
                                   void* context) {
  const int64_t units = (total + unit - 1) / unit;
#pragma omp parallel num_threads(threads)
  {
    // The runtime may give fewer threads than asked for.
    const int64_t count = omp_get_num_threads(), index = omp_get_thread_num();
    const int64_t begin = units * index / count * unit;
    const int64_t end = std::min(total, units * (index + 1) / count * unit);
    if (begin < end) f(context, begin, end);
  }
}

}  // namespace

void prepare_teams(tn_plugin* plugin) {
  if (!last_size.exists) last_size.exists = pthread_key_create(&last_size.key, nullptr) == 0;
  call_in_children(plugin, [] { forked = true; });
}

int thread_count() {
  return team_allowed() ? std::max(1, api->num_threads()) : 1;
}

void parallel_ranges(int64_t total, int64_t grain, int64_t unit,
                     void (*f)(void* context, int64_t begin, int64_t end), void* context) {
  if (total <= 0) return;
  if (total <= grain) return f(context, 0, total);
  const int64_t units = (total + unit - 1) / unit;
  const int64_t most = std::min(units, (total + grain - 1) / std::max<int64_t>(grain, 1));
  const int threads = static_cast<int>(std::min<int64_t>(thread_count(), most));
  if (threads <= 1 || !team_has_room(threads)) return f(context, 0, total);
  run_in_team(threads, total, unit, f, context);
}

}  // namespace tn::cpu
