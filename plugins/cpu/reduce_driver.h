// reduce_driver.h - takes a reduction's plan apart into dense runs and rows.
//
// Outputs are worked on in tiles: neighbours along one dimension that is kept (the columns). They
// are folded row by row, or, when the input lies densely along a dimension that is reduced, one
// after the other, each a run. The elements of an output are numbered through the reduced
// dimensions and cut into chunks of a fixed length; each chunk has an accumulator of its own, and
// they are merged pairwise. So how elements are grouped depends on sizes and strides alone, never
// on the number of threads.
#pragma once

#include <tenon/plan.h>

#include "reduce_kernel.h"

namespace tn::cpu {

class ReduceDriver {
 public:
  ReduceDriver(const tn_plan& plan, const ReduceLoops& loops, double correction);
  void go();

 private:
  struct Dim {
    int64_t size, in, out;  // strides in bytes
  };
  // Dimensions of one class, innermost first.
  struct Nest {
    int ndim = 0;
    int64_t numel = 1;
    Dim dims[TN_MAX_DIMS];
    void add(const Dim& d);
    void offsets(int64_t index, int64_t* in, int64_t* out) const;
  };

  void choose_tiles();
  void fold(char* accumulators, int64_t tile, int64_t chunk) const;
  void fold_run(char* accumulator, const char* in, int64_t begin, int64_t end) const;
  void fold_columns(char* accumulators, const char* in, int64_t width, int64_t begin,
                    int64_t end) const;
  void write(const char* accumulators, int64_t tile) const;
  int64_t tile_width(int64_t tile) const;
  const char* tile_input(int64_t tile, int64_t* out) const;

  const tn_plan& plan_;
  const ReduceLoops& loops_;
  double correction_;
  tn_dtype in_dtype_, wanted_;  // of the input in memory, of what the loops take
  int64_t wanted_size_;
  Nest kept_, reduced_;  // kept_ is without the columns
  bool by_rows_ = false;
  Dim columns_{1, 0, 0};
  int64_t tile_ = 1, tiles_per_row_ = 1;  // columns in a tile
  int64_t chunk_, chunks_;                // reduced elements in a chunk
};

}  // namespace tn::cpu
