// Convolutions of 3x3 with padding 1 and as many output as input channels, on batches of 8.
#include "tenon_rows.h"

namespace {

void conv(const char* name, int64_t channels, int64_t size, tn::DType dtype,
          tn_memory_format format) {
  bench::row(name, [=] {
    const tn::Tensor x = tn::randn({8, channels, size, size}, dtype);
    const tn::Tensor weight = tn::randn({channels, channels, 3, 3}, dtype);
    return [x = tn::contiguous(x, format), weight = tn::contiguous(weight, format)] {
      tn::conv2d(x, weight, {}, {1, 1}, {1, 1});
    };
  });
}

}  // namespace

void bench::add_conv_rows() {
  conv("conv/64x56_f32", 64, 56, TN_F32, TN_CHANNELS_LAST);
  conv("conv/64x56_f32_row_major", 64, 56, TN_F32, TN_CONTIGUOUS);
  conv("conv/64x56_bf16", 64, 56, TN_BF16, TN_CHANNELS_LAST);
  conv("conv/256x14_f32", 256, 14, TN_F32, TN_CHANNELS_LAST);
  conv("conv/256x14_f32_row_major", 256, 14, TN_F32, TN_CONTIGUOUS);
  conv("conv/256x14_bf16", 256, 14, TN_BF16, TN_CHANNELS_LAST);
}
