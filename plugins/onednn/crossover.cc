#include "crossover.h"

#include <atomic>

namespace onednn {
namespace {

std::atomic<bool> takes_all{false};

}  // namespace

void set_take_all_products(bool on) {
  takes_all = on;
}

// Measured on AVX-512 with bf16 instructions, with one thread and with two, by
//
//   export TENON_CONFIG=/dev/null TENON_PLUGIN_ONEDNN_ALL_PRODUCTS=true TENON_THREADS=1
//   for order in cpu onednn,cpu; do
//     TENON_PROVIDERS_CPU=$order build/release/bin/bench_tenon --benchmark_filter=^products/
//   done
//
// oneDNN's time divided by the cpu plugin's, of m x n x k, over all orders of the operands but
// where one is named:
//
//   f32   8x8x8 2.3, 16x16x16 1.4, 32x32x32 0.9-1.8, 40x40x40 0.7-0.9, 64x64x64 0.5-0.8
//   bf16  24x24x24 0.8-1.5, 32x32x32 0.7-1.4, 40x40x40 0.4-0.6
//   f32   m = 1: 1.4-3.4; m = 4: 1.3-1.9; n = 1: 6-11; n = 4 with b transposed: 2.1-4.3
//   f32   b row-major: 8x1024x1024 1.5, 12x512x512 1.3, 16x1024x1024 1.0, 8x256x256 0.9
//   bf16  m = 1 with b transposed: 1.4-2.1, row-major: 0.5-0.9; n = 1: 1.7-8
bool is_faster_elsewhere(const tn_tensor* a, const tn_tensor* b) {
  if (takes_all.load(std::memory_order_relaxed)) return false;
  const int32_t rank = a->dl.ndim;
  const int64_t *a_stride = a->dl.strides + rank - 2, *b_stride = b->dl.strides + rank - 2;
  const int64_t m = a->dl.shape[rank - 2], k = a->dl.shape[rank - 1], n = b->dl.shape[rank - 1];

  constexpr double few_multiplications = 1 << 15;
  if (static_cast<double>(a->numel) * static_cast<double>(n) <= few_multiplications) return true;

  // A few rows or columns: the other operand is read once, as it lies, instead of being copied.
  const bool is_f32 = a->dtype == TN_F32;
  const int64_t few = is_f32 ? 4 : 1;
  const bool are_dot_products = a_stride[1] == 1 && b_stride[0] == 1;
  const bool is_b_row_major = b_stride[1] == 1;
  if (m <= few && (are_dot_products || (is_f32 && is_b_row_major))) return true;
  if (n <= few && (are_dot_products || a_stride[0] == 1)) return true;
  constexpr int64_t large = 1 << 18;  // no longer in the second cache
  return is_f32 && m <= 12 && is_b_row_major && n * k >= large;
}

}  // namespace onednn
