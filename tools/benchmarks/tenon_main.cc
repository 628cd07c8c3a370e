// Runs Tenon's rows, with the providers that the configuration names.
#include <cstdio>

#include "tenon_rows.h"

int main(int argc, char** argv) try {
  tn::init();
  bench::add_pointwise_rows();
  bench::add_reduce_rows();
  bench::add_gemm_rows();
  bench::add_product_rows();
  bench::add_conv_rows();
  bench::add_memory_rows();
  bench::add_attention_rows();
  bench::add_training_rows();
  return bench::run(argc, argv);
} catch (const std::exception& error) {
  std::fprintf(stderr, "bench_tenon: %s\n", error.what());
  return 1;
}
