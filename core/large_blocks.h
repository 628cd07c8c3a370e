// Large host blocks: mapped once, kept when freed, given to the next request of their class.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tenon {

void* large_allocate(size_t nbytes) noexcept;          // null without memory
void large_free(void* block, size_t nbytes) noexcept;  // `nbytes` as asked for
int64_t large_reserved_bytes() noexcept;               // in use and kept
void large_trim() noexcept;                            // unmaps what is kept

}  // namespace tenon
