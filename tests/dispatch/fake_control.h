// What the fake plugin lets its tests see and change: the interface "fake.control", 1.
#pragma once

#include <tenon/tenon.h>

// The last plan that a fake kernel was given, copied.
struct FakePlan {
  int32_t ndim = 0;
  uint32_t flags = 0;
  int64_t numel = 0, reduced_numel = 0;
  uint64_t reduced = 0;
  uint16_t compute_dtype = 0, noperands = 0;
  int64_t shape[8] = {};
  int64_t strides[TN_PLAN_MAX_OPERANDS][8] = {};
};

// Messages of registrations that the core refuses: the interface "fake.refusals", 1.
struct FakeRefusals {
  const char* plan_over_layout = "";
  const char* returned_argument = "";
  const char* checked_view = "";
  const char* no_operator = "";
  const char* no_kernel = "";
};

struct FakeControl {
  FakePlan plan;
  const char* last_provider = "";  // of the kernel that ran last
  int kernel_calls = 0;
  int copies = 0;           // runs of the operator bound to the role "copy"
  int layer_calls[2] = {};  // of fake_outer, fake_inner
  char trail[256] = "";     // names of layers and kernels in the order they ran
  int next_repeats = 1;     // how often fake_outer calls tn_next
  bool inner_calls_nested =
      false;  // fake_inner calls fake::double_plan on its first argument before it goes on
  bool outer_unwraps = false;       // fake_outer goes on with an argument of its own, by tn_next
  bool outer_redispatches = false;  // or by tn_redispatch
  int transform_levels = 0;         // how often the layer "transforms" starts the call afresh
  bool load_late = false;           // fake::versioned loads the plugin "late" while it runs
  bool decline = false;             // the provider that may decline, does
  bool fail_kernel = false;
  bool fail_late = false;          // fake::forward fails when all is made
  int device_live = 0;             // allocations of device "fakedev" alive
  size_t device_limit = SIZE_MAX;  // it has no memory for a larger one
  int transfers = 0;
};
