#include "counter.h"

#include <cerrno>
#include <cstddef>

// The C library's own, under names that stay when the usual ones are taken here. Memory that they
// give goes back through its free().
extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* memory, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
}

namespace {
bool counting = false;
int allocations = 0;
}  // namespace

// Every allocation of the process, in whatever library, comes through these.
extern "C" {
void* malloc(size_t size) {
  allocations += counting;
  return __libc_malloc(size);
}
void* calloc(size_t count, size_t size) {
  allocations += counting;
  return __libc_calloc(count, size);
}
void* realloc(void* memory, size_t size) {
  allocations += counting;
  return __libc_realloc(memory, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  allocations += counting;
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** memory, size_t alignment, size_t size) {
  allocations += counting;
  *memory = __libc_memalign(alignment, size);
  return *memory ? 0 : ENOMEM;
}
}

namespace tn::test {

void heap_count_from_here() {
  allocations = 0;
  counting = true;
}
int heap_count_so_far() {
  counting = false;
  return allocations;
}

}  // namespace tn::test
