// startup.c with libtorch.
#include <ATen/ATen.h>

#include "peak_memory.h"

int main() {
  const at::Tensor x = at::ones({1});
  const bool failed = at::add(x, x).item<float>() != 2;
  std::printf("%.0f\n", bench_peak_memory());
  return failed;
}
