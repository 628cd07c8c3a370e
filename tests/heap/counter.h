// Counts what a part of a program takes from the C library's heap.
#pragma once

#include <utility>

namespace tn::test {

void heap_count_from_here();
int heap_count_so_far();

// The allocations of a hundred runs of `calls`, after one that makes what is made once.
template <class F>
int allocations_in(F&& calls) {
  calls();
  heap_count_from_here();
  for (int i = 0; i < 100; ++i) calls();
  return heap_count_so_far();
}

}  // namespace tn::test
