// pointwise_kernel.h - the kernel of all element-wise operators, driven by a table per operator.
//
// What differs between operators is only the innermost loop over dense arrays of the compute dtype,
// a RunFn. Everything around it (threads, strides, broadcasting, other dtypes) exists once and is
// not instantiated per operator: pointwise_driver.h.
#pragma once

#include <tenon/operator.h>

#include <tenon/sdk/signature.h>

#include "element.h"

namespace tn::cpu {

inline constexpr int kMaxInputs = 4, kMaxParams = 4;

// One dense run: out[i] = value(in[0][i], ..., params...) for i < n. `out` may be one of the
// inputs.
struct Run {
  void* out;
  const void* in[kMaxInputs];
  const void* params;  // elements of the arithmetic dtype
  int64_t n;
  bool streams;  // store past the caches: `out` is aligned to a vector
};
using RunFn = void (*)(const Run&);

// By compute dtype; null where there is no kernel. 16-bit floats share float's.
struct RunTable {
  RunFn run[kDtypes];
  uint8_t out_dtype[kDtypes];  // what run writes
};

// An operator as data.
struct PointwiseKernel {
  // Another kernel, of fewer inputs, that gives the same result for these arguments; or null.
  using Shortcut = const PointwiseKernel* (*)(const tn_plan& plan, const tn_value* args);

  ops::Signature signature;
  uint64_t plain;  // bit per compute dtype whose inner loop takes and gives that dtype: nothing
                   // else is to be asked or done before it
  int condition;   // input that arrives as bool; -1: none
  bool divides;
  bool streams;
  double (*absent)(int param, DType compute);
  Shortcut shortcut;
  int nmodes;
  const char* const* modes;
  const RunTable* tables;  // one, or one per mode
};

// Runs a table over a plan with these parameters: what the kernel of an operator ends in.
void run_pointwise(const tn_plan& plan, const PointwiseKernel& kernel, const RunTable& table,
                   const void* params, const tn_value* args);

// Registers it for the device "cpu" with the dtypes that the operator computes in.
void register_pointwise(tn_plugin* plugin, const char* schema, uint64_t dtypes,
                        const PointwiseKernel* kernel);

}  // namespace tn::cpu
