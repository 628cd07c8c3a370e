// Hashes of schemas, and of what they were before they grew.
#pragma once

#include <tenon/schema.h>

namespace tenon {

// The hash that the schema would have with only its first `nargs` arguments.
uint64_t schema_hash(const tn_schema& schema, uint32_t nargs);

}  // namespace tenon
