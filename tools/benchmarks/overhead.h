// A program of rows of one operation each, so small that its price is the call. Each is run a given
// number of times, so that time or instructions per call can be measured from outside.
#pragma once

#include <sys/resource.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <span>

namespace bench {

template <class Data>
struct Row {
  const char* name;
  int calls;  // per run of `run`
  void (*run)(Data&);
};

template <class Data>
double nanoseconds(const Row<Data>& row, Data& data, int64_t times) {
  const auto start = std::chrono::steady_clock::now();
  for (int64_t i = 0; i < times; ++i) row.run(data);
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
}

inline long involuntary_switches() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nivcsw;
}

// No arguments: lists "NAME CALLS" lines. ROW TIMES SAMPLES: runs the row TIMES times for each
// sample and prints lines of nanoseconds per call and involuntary context switches. `start` runs
// before the data is made.
template <class Data>
int run(std::span<const Row<Data>> rows, void (*start)(), int argc, char** argv) try {
  if (argc == 1) {
    for (const auto& row : rows) std::printf("%s %d\n", row.name, row.calls);
    return 0;
  }
  if (argc != 4) {
    std::fprintf(stderr, "usage: %s [ROW TIMES SAMPLES]\n", argv[0]);
    return 2;
  }
  for (const auto& row : rows) {
    if (std::strcmp(row.name, argv[1]) != 0) continue;
    start();
    Data data;
    nanoseconds(row, data, 20);
    const auto times = static_cast<int64_t>(std::atoll(argv[2]));
    for (int sample = std::atoi(argv[3]); sample > 0; --sample) {
      const long before = involuntary_switches();
      const double all = nanoseconds(row, data, times);
      std::printf("%.2f %ld\n", all / static_cast<double>(times * row.calls),
                  involuntary_switches() - before);
    }
    return 0;
  }
  std::fprintf(stderr, "%s: no row %s\n", argv[0], argv[1]);
  return 2;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
  return 1;
}

}  // namespace bench
