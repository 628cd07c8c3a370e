// crossover.h - which products oneDNN is not worth its fixed costs for.
#pragma once
#include <tenon/tensor.h>

namespace onednn {

// Takes every product that oneDNN can do, for tests and for measuring the crossover again.
void set_take_all_products(bool on);

// Whether the cpu plugin's own kernels, the usual next provider, multiply these two matrices, or
// batches of them, faster. Both have numbers; their last two dimensions are the matrices'.
bool is_faster_elsewhere(const tn_tensor* a, const tn_tensor* b);

}  // namespace onednn
