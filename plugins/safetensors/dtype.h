// dtype.h - the format's dtypes and Tenon's.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include <tenon/base.h>

namespace safetensors {

struct DtypeRow {
  std::string_view name;  // in the header
  tn_dtype dtype;
  std::uint32_t size;       // bytes of an element
  std::uint32_t alignment;  // of its address in memory
};

// Null for a name or dtype that the other side lacks. find_dtype(TN_C128) is one of those: the
// format has no such.
const DtypeRow* find_dtype(std::string_view name);
const DtypeRow* find_dtype(tn_dtype dtype);

// Where the writer puts tensors of this dtype: lower is earlier in the file.
std::uint32_t dtype_rank(const DtypeRow& row);

// "BOOL, U8, ...", for messages.
std::string dtype_names();

}  // namespace safetensors
