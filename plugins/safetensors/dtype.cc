#include "dtype.h"

namespace safetensors {
namespace {

// In the order in which the reference implementation lays out tensors: large alignments first, so
// that every tensor is aligned; among equals its own order, so that the same tensors give the same
// bytes.
constexpr DtypeRow kRows[] = {
    {"U64", TN_U64, 8, 8},        {"I64", TN_I64, 8, 8},   {"F64", TN_F64, 8, 8},
    {"C64", TN_C64, 8, 4},        {"F32", TN_F32, 4, 4},   {"U32", TN_U32, 4, 4},
    {"I32", TN_I32, 4, 4},        {"BF16", TN_BF16, 2, 2}, {"F16", TN_F16, 2, 2},
    {"U16", TN_U16, 2, 2},        {"I16", TN_I16, 2, 2},   {"F8_E4M3", TN_F8E4M3, 1, 1},
    {"F8_E5M2", TN_F8E5M2, 1, 1}, {"I8", TN_I8, 1, 1},     {"U8", TN_U8, 1, 1},
    {"BOOL", TN_BOOL, 1, 1},
};

}  // namespace

const DtypeRow* find_dtype(std::string_view name) {
  for (const DtypeRow& row : kRows) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

const DtypeRow* find_dtype(tn_dtype dtype) {
  for (const DtypeRow& row : kRows) {
    if (row.dtype == dtype) return &row;
  }
  return nullptr;
}

std::uint32_t dtype_rank(const DtypeRow& row) {
  return static_cast<std::uint32_t>(&row - kRows);
}

std::string dtype_names() {
  std::string names;
  for (const DtypeRow& row : kRows) {
    if (!names.empty()) names += ", ";
    names += row.name;
  }
  return names;
}

}  // namespace safetensors
