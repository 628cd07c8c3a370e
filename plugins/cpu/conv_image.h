// conv_image.h - images as the convolution kernels read them: channels side by side, padded with
// zeros, in the type that sums are made in.
#pragma once
#include <algorithm>
#include <cstdint>

#include "gemm.h"
#include "parallel.h"
#include "tenon/sdk/kernel.h"

namespace tn::cpu {

// element(n, h, w, c) = data[n * image + h * row + w * pixel + c]
template <class T>
struct PaddedImage {
  const T* data;
  std::int64_t image, row, pixel;
};

// Strides of any image tensor in elements; a signal [N, C, L] is an image of height 1.
struct ImageStrides {
  std::int64_t n, c, h, w;
  explicit ImageStrides(const Tensor& t)
      : n(t.stride(0)), c(t.stride(1)), h(t.dim() == 4 ? t.stride(2) : 0), w(t.stride(-1)) {}
};

// Where an image lies in the padded one: pixel (h, w) goes to (offset + h * step), per dimension;
// what falls outside [0, size) is left out. Steps above one leave zeros between, as transposed
// convolutions want.
struct Placement {
  std::int64_t size[2], offset[2], step[2];
};

namespace detail {

template <class E, class T>
void place_row(const E* from, const ImageStrides& strides, std::int64_t channels,
               std::int64_t width, const Placement& p, T* to) {
  const auto place = [&](std::int64_t w) {
    const std::int64_t x = p.offset[1] + w * p.step[1];
    return x >= 0 && x < p.size[1] ? to + x * channels : nullptr;
  };
  if (strides.c == 1) {
    for (std::int64_t w = 0; w < width; ++w)
      if (T* const pixel = place(w))
        for (std::int64_t i = 0; i < channels; ++i)
          pixel[i] = static_cast<T>(from[w * strides.w + i]);
    return;
  }
  // Sixteen channels at a time: one line is written for as many lines that are read.
  constexpr std::int64_t group = 16;
  for (std::int64_t c = 0; c < channels; c += group) {
    const std::int64_t end = std::min(channels, c + group);
    for (std::int64_t w = 0; w < width; ++w)
      if (T* const pixel = place(w))
        for (std::int64_t i = c; i < end; ++i)
          pixel[i] = static_cast<T>(from[w * strides.w + i * strides.c]);
  }
}

}  // namespace detail

// The image in padded form; the tensor's own memory where that is the form already.
template <class E>
PaddedImage<Sum<E>> place_image(const Frame& frame, const Tensor& image, const Placement& p) {
  using T = Sum<E>;
  const ImageStrides strides(image);
  const std::int64_t channels = image.size(1), height = image.dim() == 4 ? image.size(2) : 1,
                     width = image.size(-1);
  // A small image may be asked to lie in an enormous one, of which none can be made.
  std::int64_t row = 0, plane = 0, total = 0;
  if (image.size(0) != 0 && (__builtin_mul_overflow(p.size[1], channels, &row) ||
                             __builtin_mul_overflow(p.size[0], row, &plane) ||
                             __builtin_mul_overflow(image.size(0), plane, &total)))
    fail(TN_OUT_OF_MEMORY, "no memory for %s padded to [%lld, %lld]", image.describe().c_str(),
         static_cast<long long>(p.size[0]), static_cast<long long>(p.size[1]));
  if constexpr (std::is_same_v<E, T>) {
    const bool whole = p.size[0] == height && p.size[1] == width && p.offset[0] == 0 &&
                       p.offset[1] == 0 && p.step[0] == 1 && p.step[1] == 1;
    if (whole && strides.w == channels && (strides.c == 1 || channels == 1))
      return {image.data<T>(), strides.n, strides.h, strides.w};
  }
  T* const data = frame.scratch<T>(static_cast<std::size_t>(total));
  const E* const from = image.data<E>();
  parallel_for(image.size(0) * p.size[0],
               std::max<std::int64_t>(1, kGrain / std::max<std::int64_t>(row, 1)),
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t r = begin; r < end; ++r) {
                   const std::int64_t n = r / p.size[0], y = r % p.size[0] - p.offset[0];
                   std::fill(data + r * row, data + (r + 1) * row, T(0));
                   if (y < 0 || y % p.step[0] || y / p.step[0] >= height) continue;
                   detail::place_row(from + n * strides.n + y / p.step[0] * strides.h, strides,
                                     channels, width, p, data + r * row);
                 }
               });
  return {data, plane, row, channels};
}

}  // namespace tn::cpu
