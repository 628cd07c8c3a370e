// Reductions and what is made of them.
#include "tenon_rows.h"

void bench::add_reduce_rows() {
  row("reduce/sum_dim0", [] { return [a = tn::randn({4096, 4096})] { tn::sum(a, {0}); }; });
  row("reduce/sum_dim1", [] { return [a = tn::randn({4096, 4096})] { tn::sum(a, {1}); }; });
  row("reduce/sum_all", [] { return [a = tn::randn({4096, 4096})] { tn::sum(a); }; });
  row("reduce/softmax", [] { return [a = tn::randn({4096, 1024})] { tn::softmax(a, 1); }; });
  row("reduce/layer_norm", [] {
    return [a = tn::randn({4096, 1024}), weight = tn::randn({1024}), bias = tn::randn({1024})] {
      tn::layer_norm(a, {1024}, weight, bias);
    };
  });
}
