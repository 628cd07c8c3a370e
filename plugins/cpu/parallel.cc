#include "parallel.h"

#include <omp.h>

#include <algorithm>
#include <atomic>

#include <tenon/sdk/fork.h>

namespace tn::cpu {
namespace {

std::atomic<bool> forked{false};

bool team_allowed() {
  return !forked.load(std::memory_order_relaxed) && !omp_in_parallel();
}

}  // namespace

void prepare_forks(tn_plugin* plugin) {
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
  if (threads <= 1) return f(context, 0, total);
#pragma omp parallel num_threads(threads)
  {
    // The runtime may give fewer threads than asked for.
    const int64_t count = omp_get_num_threads(), index = omp_get_thread_num();
    const int64_t begin = units * index / count * unit;
    const int64_t end = std::min(total, units * (index + 1) / count * unit);
    if (begin < end) f(context, begin, end);
  }
}

}  // namespace tn::cpu
