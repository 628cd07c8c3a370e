// Element-wise operators on 16 Mi numbers, far more than the caches hold.
#include "tenon_rows.h"

void bench::add_pointwise_rows() {
  constexpr int64_t kCount = 16 << 20;
  row("pointwise/add",
      [] { return [a = tn::randn({kCount}), b = tn::randn({kCount})] { tn::add(a, b); }; });
  row("pointwise/exp", [] { return [a = tn::randn({kCount})] { tn::exp(a); }; });
  row("pointwise/tanh", [] { return [a = tn::randn({kCount})] { tn::tanh(a); }; });
  row("pointwise/gelu_tanh", [] { return [a = tn::randn({kCount})] { tn::gelu(a, "tanh"); }; });
  row("pointwise/gelu_erf", [] { return [a = tn::randn({kCount})] { tn::gelu(a); }; });
}
