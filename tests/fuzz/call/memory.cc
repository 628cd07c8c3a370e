// What a program has on a machine without memory for it: a container of more than 64 MiB is
// std::bad_alloc, as a block of the allocator's is null. The sanitizer's own operator new would end
// the process.
#include <cstdlib>
#include <new>

namespace {

constexpr std::size_t kMost = std::size_t{64} << 20;

}  // namespace

void* operator new(std::size_t size) {
  void* made = size <= kMost ? std::malloc(size != 0 ? size : 1) : nullptr;
  if (made == nullptr) throw std::bad_alloc();
  return made;
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return size <= kMost ? std::malloc(size != 0 ? size : 1) : nullptr;
}
void operator delete(void* made) noexcept {
  std::free(made);
}
void operator delete(void* made, std::size_t) noexcept {
  std::free(made);
}
