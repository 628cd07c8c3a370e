// reduce_kernel.h - one kernel for all reductions, driven by a table per operator.
//
// As for element-wise operators, only the innermost loops are instantiated per operator and dtype;
// threads, strides, conversion and grouping exist once (reduce_driver.h). An accumulator is what a
// reduction knows of the elements seen so far: a number for folds, three for variances.
#pragma once

#include <tenon/operator.h>

#include "element.h"

namespace tn::cpu {

struct ReduceLoops {
  uint32_t accumulator_size;  // 0: no kernel for this dtype
  uint8_t out_dtype;          // what finish writes
  void (*identity)(void* accumulators, int64_t n);
  // Takes n dense elements into one accumulator.
  void (*fold_run)(void* accumulator, const void* in, int64_t n);
  // Takes `rows` rows of `columns` dense elements, `stride` bytes apart, into an accumulator a
  // column.
  void (*fold_rows)(void* accumulators, const void* in, int64_t stride, int64_t rows,
                    int64_t columns);
  // accumulators[i] = merge(accumulators[i], others[i])
  void (*merge)(void* accumulators, const void* others, int64_t n);
  // Results of n accumulators of `count` elements each, dense. `correction` is for variances.
  void (*finish)(void* out, const void* accumulators, int64_t n, int64_t count, double correction);
};

struct ReduceKernel {
  ReduceLoops loops[kDtypes];  // by compute dtype; 16-bit floats have float's
  int correction;              // position of the argument; -1: none
};

// The tn_kernel_fn of them all; `state` is the ReduceKernel.
tn_status reduce_kernel(tn_frame* frame, void* state, const tn_value* args, uint32_t nargs,
                        tn_value* rets, uint32_t nrets) noexcept;

// Registers it for the device "cpu".
void register_reduction(tn_plugin* plugin, const char* schema, uint64_t dtypes,
                        const ReduceKernel* kernel);

}  // namespace tn::cpu
