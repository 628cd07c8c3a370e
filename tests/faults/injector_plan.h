// What the functions that libfaults.so takes over ask of the plan.
#pragma once

#include <cstddef>
#include <cstdint>

namespace faults {

// Whether this call of that kind is one that is to fail; errno is set then. `caller`: where the
// function that asks was called from.
bool fails(uint32_t kind, const void* caller = __builtin_return_address(0));

// `size`, or the most that one call may read or write.
size_t shortened(size_t size);

}  // namespace faults
