// transpose.h - copies of planes whose target and source are dense along different dimensions.
//
// A plane is cut into square tiles as wide as a cache line. A tile's source lines are read whole,
// turned around on the stack and written as whole lines, so that memory sees each line once.
// Several neighbouring lines of a source row are read one after the other, which memory answers
// faster.
#pragma once

#include <cstdint>

#include "convert.h"

namespace tn::cpu {

struct Transpose {
  int64_t rows;         // length of the dimension along which the target is dense
  int64_t columns;      // and of the one along which the source is dense
  int64_t to_stride;    // bytes between neighbouring columns in the target
  int64_t from_stride;  // bytes between neighbouring rows in the source
  int64_t to_size, from_size;
  ConvertFn convert;
  bool plain;    // both have the same dtype
  bool streams;  // write past the caches

  // The plane's parts that may be worked on apart: stripes of columns.
  int64_t bands() const { return (columns + band_width() - 1) / band_width(); }
  int64_t band_size() const { return rows * band_width(); }
  void run(char* to, const char* from, int64_t band) const;
  void run(char* to, const char* from) const {
    for (int64_t band = 0; band < bands(); ++band) run(to, from, band);
  }

 private:
  int64_t tile() const { return 64 / to_size; }
  int64_t band_width() const { return 8 * tile(); }
  void run_tile(char* to, const char* from, int64_t height, int64_t width, bool whole_lines) const;
};

}  // namespace tn::cpu
