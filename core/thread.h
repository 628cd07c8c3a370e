// The core's thread-local block.
#pragma once

#include <tenon/thread.h>

namespace tenon {

struct ThreadCache;
struct Tensor;

// At most 64 bytes, because static TLS is a scarce, shared resource of the process: everything
// larger hangs off a pointer.
struct ThreadBlock {
  tn_thread_state state{0, 0, ~uint64_t{0}, 0, TN_F32, {TN_DEVICE_NONE, TN_DEVICE_CURRENT}};
  ThreadCache* cache = nullptr;  // memory.h; made at the thread's first allocation
  Tensor* dying = nullptr;       // tensors whose release waits for the one that runs (tensor.cc)
  uint32_t releasing = 0;
};
static_assert(sizeof(ThreadBlock) <= 64);

extern constinit thread_local ThreadBlock thread_block __attribute__((tls_model("initial-exec")));

}  // namespace tenon
