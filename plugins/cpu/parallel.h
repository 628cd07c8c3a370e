// parallel.h - work split over the threads of one OpenMP team.
//
// The team starts with the first call that is large enough, never before, so that short programs
// pay nothing. After fork() the child has no team and must not touch the parent's: there everything
// runs on the calling thread. The same holds inside a parallel region.
#pragma once

#include <cstdint>
#include <type_traits>

#include <tenon/plugin.h>

namespace tn::cpu {

// Elements of a cheap operator that are not worth a second thread: a team costs about 2.5 us to
// wake.
inline constexpr int64_t kGrain = 65536;

// For the plugin's entry.
void prepare_teams(tn_plugin* plugin);

// Threads that a call made now may use, the host's limit considered.
int thread_count();

// Calls f(context, begin, end) on disjoint ranges that cover [0, total), each a multiple of `unit`
// long but for the last. Serial when total <= grain. f must not throw.
void parallel_ranges(int64_t total, int64_t grain, int64_t unit,
                     void (*f)(void* context, int64_t begin, int64_t end), void* context);

template <class F>
void parallel_for(int64_t total, int64_t grain, int64_t unit, F&& f) {
  parallel_ranges(
      total, grain, unit,
      [](void* context, int64_t begin, int64_t end) {
        (*static_cast<std::remove_reference_t<F>*>(context))(begin, end);
      },
      &f);
}
template <class F>
void parallel_for(int64_t total, int64_t grain, F&& f) {
  parallel_for(total, grain, 1, f);
}

}  // namespace tn::cpu
