// One row of a table: work that is prepared once and then timed sample by sample.
//
// tools/bench runs these programs with repetitions, so that every sample carries what it needs to
// be judged by: how often the scheduler took a core away meanwhile, and the process's peak memory.
#pragma once

#include <sys/resource.h>

#include <exception>
#include <functional>
#include <string>
#include <utility>

#include <benchmark/benchmark.h>

#include "peak_memory.h"

namespace bench {

using Work = std::function<void()>;

// Of all threads of the process.
inline double involuntary_switches() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_nivcsw);
}

// Adds a row. `prepare` makes the data and returns the work, which is run twice before it is timed:
// memory is touched and kernels are compiled then. `amount` is what one run of the work processes,
// in flops or bytes, where a rate is wanted.
inline void row(const std::string& name, std::function<Work()> prepare, double amount = 0) {
  benchmark::RegisterBenchmark(name.c_str(), [prepare = std::move(prepare), amount,
                                              work = Work()](benchmark::State& state) mutable {
    try {
      if (!work) {
        work = prepare();
        work();
        work();
      }
      const double before = involuntary_switches();
      for ([[maybe_unused]] auto sample : state) work();
      state.counters["switches"] = involuntary_switches() - before;
      state.counters["peak_memory"] = bench_peak_memory();
      state.counters["amount"] = amount;
    } catch (const std::exception& error) {
      state.SkipWithError(error.what());
    }
  })->UseRealTime();
}

inline int run(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace bench
