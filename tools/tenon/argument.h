// argument.h - the language in which `tenon explain` is given arguments.
//
//   f32[2,3]@cpu     a tensor: dtype, sizes, device (the default one when it is left out); f32[]
//   3  0.5  1+2j     numbers
//   true false none
//   "mean"           a string; quotes may be left off where the schema says str
//   i64 cpu channels_last    a dtype, a device, a memory format, where the schema says so
//   [1,2]  [f32[2]@cpu, f32[3]@cpu]   lists
//   alpha=2          by name
//
// Arguments are separated by spaces, commas or both.
#pragma once
#include <complex>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <tenon/base.h>

namespace command {

struct TensorForm {
  tn_dtype dtype = TN_DTYPE_NONE;
  std::vector<std::int64_t> sizes;
  std::string device;  // "" for the default one
};

struct Word {  // what it means depends on the schema
  std::string text;
};

struct Literal;
using List = std::vector<Literal>;

struct Literal {
  std::variant<std::monostate, bool, std::int64_t, double, std::complex<double>, std::string, Word,
               TensorForm, List>
      value;
  std::string text;  // as it was written
};

struct Argument {
  std::string name;  // "" for one given by position
  Literal literal;
};

// The dtype of that name ("f32", "bool"), or TN_DTYPE_NONE.
tn_dtype dtype_named(std::string_view name);

// Throws Error that points at what cannot be read.
std::vector<Argument> parse_arguments(std::string_view text);

}  // namespace command
