#include "spare_blocks.h"

#include <cerrno>
#include <new>

#include "injector.h"
#include "ledger.h"

namespace faults {
namespace {

// The largest block that the core carves out of larger ones, and the step of the sizes.
constexpr size_t kLargest = 32768;
constexpr size_t kStep = 64;

}  // namespace

void SpareBlocks::take() {
  tn_device host;
  tn::check(tn::api->device_host(&host));
  tn::check(tn::api->memory_trim(host.type));
  tn::api->memory_free(tn::api->memory_allocate(kStep), kStep);  // makes the thread's own cache
  fault_plan(FAULT_MEMORY, 1, 1, ENOMEM);
  // From large to small, so that what is left of a span is used up. The first size that finds a
  // class is the size of its blocks.
  for (size_t size = kLargest; size >= kStep; size -= kStep) {
    while (void* block = tn::api->memory_allocate(size)) {
      taken_ = new (block) Block{taken_, size};
      taken_bytes_ += static_cast<int64_t>(size);
    }
  }
  fault_end();
}

void SpareBlocks::give_back() {
  while (taken_) {
    Block* block = taken_;
    taken_ = block->next;
    tn::api->memory_free(block, block->size);
  }
  taken_bytes_ = 0;
}

int64_t SpareBlocks::bytes_in_use() const {
  return static_cast<int64_t>(host_memory().reserved_bytes) - taken_bytes_;
}

}  // namespace faults
