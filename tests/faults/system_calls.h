// Makes system calls fail, those included that the C library and the dynamic loader make inside
// themselves, which libfaults.so does not reach.
#pragma once

#include <cstdint>

namespace faults {

enum class SystemCall {
  kOpen,
  kRead,
  kLook,
  kMap
};

// A thread of its own answers, from now on, for each such call of the calling thread and of threads
// that this one makes. Once in a process. False where the kernel has no such filters.
bool answer_system_calls();

// From now on counts calls of one kind, mappings of files alone; the nth (1 = the next), and with
// `from_then_on` those after it, fail with `error`. nth 0 only counts.
void fail_system_calls(SystemCall kind, uint64_t nth, bool from_then_on, int error);

// Ends it; returns how many calls were counted.
uint64_t end_system_calls();

}  // namespace faults
