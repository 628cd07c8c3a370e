// malloc and its kin, and mmap.
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>

#include "injector.h"
#include "injector_plan.h"

// The C library's own, under names that stay when the usual ones are taken here.
extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* memory, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
void __libc_free(void* memory);
}

namespace {

std::atomic<int64_t> blocks{0};

void* counted(void* memory) {
  if (memory) blocks.fetch_add(1, std::memory_order_relaxed);
  return memory;
}

}  // namespace

int64_t fault_heap_blocks() {
  return blocks.load();
}

extern "C" {

void* malloc(size_t size) {
  return faults::fails(FAULT_MEMORY) ? nullptr : counted(__libc_malloc(size));
}
void* calloc(size_t count, size_t size) {
  return faults::fails(FAULT_MEMORY) ? nullptr : counted(__libc_calloc(count, size));
}
void* realloc(void* memory, size_t size) {
  if (memory && size == 0) return free(memory), nullptr;
  if (faults::fails(FAULT_MEMORY)) return nullptr;
  return memory ? __libc_realloc(memory, size) : counted(__libc_malloc(size));
}
void* memalign(size_t alignment, size_t size) {
  return faults::fails(FAULT_MEMORY) ? nullptr : counted(__libc_memalign(alignment, size));
}
void* aligned_alloc(size_t alignment, size_t size) {
  return faults::fails(FAULT_MEMORY) ? nullptr : counted(__libc_memalign(alignment, size));
}
int posix_memalign(void** memory, size_t alignment, size_t size) {
  void* made = faults::fails(FAULT_MEMORY) ? nullptr : counted(__libc_memalign(alignment, size));
  if (!made) return ENOMEM;
  *memory = made;
  return 0;
}
void free(void* memory) {
  if (memory) blocks.fetch_sub(1, std::memory_order_relaxed);
  __libc_free(memory);
}

void* mmap(void* address, size_t size, int protection, int flags, int file, off_t offset) {
  if (faults::fails(flags & MAP_ANONYMOUS ? FAULT_MEMORY : FAULT_MAP)) return MAP_FAILED;
  return reinterpret_cast<void*>(syscall(SYS_mmap, address, size, protection, flags, file, offset));
}
}
