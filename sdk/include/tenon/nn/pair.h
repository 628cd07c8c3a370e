// A height and a width, or one number for both: kernel sizes, strides and paddings of images.
#pragma once

#include <tenon/sdk/types.h>

namespace tn::nn {

struct Pair {
  int64_t sizes[2];
  Pair(int64_t both) : sizes{both, both} {}
  Pair(int64_t height, int64_t width) : sizes{height, width} {}
  operator Ints() const { return {sizes, 2}; }
};

}  // namespace tn::nn
