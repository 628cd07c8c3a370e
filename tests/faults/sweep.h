// Every allocation of a few calls fails, one after the other.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <vector>

#include <tenon/sdk/tensor.h>

namespace faults {

// What a scenario hands out, without a container that would need memory itself.
using Results = std::array<tn::Tensor, 3>;

struct Scenario {
  // The calls. What they throw is the error that is looked at.
  std::function<Results()> run;
  // Looks at the results, and at what `run` has changed.
  std::function<void(const Results&)> check;
  // What a failure leaves as it was.
  std::vector<tn::Tensor> unchanged = {};
  // Looks at what else a failure must leave as it was.
  std::function<void()> check_failed = [] {};
  // Comes before each run, with memory: puts back what the last one changed.
  std::function<void()> reset = [] {};
};

// For N = 1, 2, ... until a run meets no failure: the Nth allocation of a run fails, and then the
// Nth and all after it. An allocation is one of the heap or a mapping of memory, with the core's
// caches empty; then, in a second round, one that the core serves (tn_memory_fail). Each time the
// run succeeds or fails with TN_OUT_OF_MEMORY; nothing is lost; a failure leaves `unchanged` as it
// was; and the same run without a failure is right.
void expect_clean_faults(const Scenario& scenario);

// Leaves the first round out, for libraries that do not survive it.
void spare_the_heap();

}  // namespace faults
