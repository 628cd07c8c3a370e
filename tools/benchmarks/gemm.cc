// Matrix products.
#include "tenon_rows.h"

namespace {

void square(const char* name, int64_t size, tn::DType dtype) {
  bench::row(name, [=] {
    return
        [a = tn::randn({size, size}, dtype), b = tn::randn({size, size}, dtype)] { tn::mm(a, b); };
  });
}

// Few rows times the weights of a layer, which lie as nn::Linear has them.
void linear(const char* name, int64_t rows) {
  bench::row(name, [=] {
    return
        [x = tn::randn({rows, 4096}), weight = tn::randn({4096, 4096})] { tn::linear(x, weight); };
  });
}

}  // namespace

void bench::add_gemm_rows() {
  square("gemm/f32_2048", 2048, TN_F32);
  square("gemm/f32_512", 512, TN_F32);
  square("gemm/bf16_2048", 2048, TN_BF16);
  linear("gemm/linear_m1", 1);
  linear("gemm/linear_m32", 32);
}
