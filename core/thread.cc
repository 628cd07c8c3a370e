#include "core/thread.h"

#include <sched.h>

#include <algorithm>
#include <atomic>

#include "core/config.h"
#include "core/error.h"
#include "core/once.h"
#include "core/restricted.h"

namespace tenon {

constinit thread_local ThreadBlock thread_block;

namespace {

std::atomic<int32_t> chosen_threads{0};  // 0: what the config says

// Those that the process may use.
struct Cores {
  int32_t count = 1;
  Cores() {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) == 0) count = std::max(1, CPU_COUNT(&set));
  }
};
constinit Once<Cores> cores;

}  // namespace
// ---- the C functions, declared in the ABI's headers
// -----------------------------------------------

extern "C" {

TN_API void tn_thread_state_get(tn_thread_state* out) {
  *out = thread_block.state;
}

TN_API void tn_thread_state_set(const tn_thread_state* state, tn_thread_state* previous) {
  tn_thread_state wanted = *state;  // `previous` may be the same object
  wanted.level |= kRestrictedBit;   // no state hides a restricted tensor from the core
  wanted.exclude &= ~kRestrictedBit;
  if (previous) *previous = thread_block.state;
  thread_block.state = wanted;
}

TN_API tn_status tn_call_with(const tn_thread_state* state, const tn_op* op, const tn_value* args,
                              uint32_t nargs, tn_value* rets, uint32_t nrets) {
  tn_thread_state previous;
  tn_thread_state_set(state, &previous);
  tn_status status = tn_call(op, args, nargs, rets, nrets);
  thread_block.state = previous;
  return status;
}

TN_API int32_t tn_num_threads(void) {
  const int32_t chosen = chosen_threads.load(std::memory_order_relaxed);
  if (chosen > 0) return chosen;
  const int32_t configured = config_threads();
  return configured > 0 ? configured : cores.get().count;
}

TN_API tn_status tn_set_num_threads(int32_t count) {
  if (count < 1) return TN_ERROR(TN_INVALID_ARGUMENT, "%d threads; at least 1 is needed", count);
  chosen_threads.store(count, std::memory_order_relaxed);
  return nullptr;
}

}  // extern "C"

}  // namespace tenon
