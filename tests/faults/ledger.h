// What a process holds: equal before and after a call that failed.
#pragma once

#include <cstdint>
#include <ostream>

#include <tenon/sdk/error.h>

namespace faults {

struct Ledger {
  uint64_t tensors = 0;
  uint64_t data_bytes = 0;  // of tensors on the host
  uint64_t data_blocks = 0;
  int64_t heap_blocks = 0;  // of the C library; 0 where sanitizers have taken its place
  int descriptors = 0;
  int threads = 0;

  static Ledger now();
  // As now(), once the threads that are ending are gone: the kernel shows a thread for a moment
  // after it has been joined.
  static Ledger after(const Ledger& before);
  // Nothing more than before, and no less but blocks of the heap, of which the C library may give
  // back some that it had kept for its threads, and threads, of which one may just have ended.
  bool same_as(const Ledger& before) const;
};

std::ostream& operator<<(std::ostream& out, const Ledger& ledger);

tn_memory_stats host_memory();

}  // namespace faults
