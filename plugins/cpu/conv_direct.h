// conv_direct.h - correlation of padded images with kernels, and its gradient for the kernels,
// without unfolding.
//
// A tile of sums (tile.h) is a run of pixels of one output row by a vector of output channels. The
// image is read in place, one pixel a row; only the kernels are rearranged. Transposed convolutions
// and gradients for the image are correlations of images placed with gaps (conv_image.h), so this
// is all the arithmetic there is.
#pragma once
#include "conv_image.h"
#include "row.h"
#include "tile.h"

namespace tn::cpu {

// How many items of `work` multiplications or moves each are too few for a second thread.
inline std::int64_t items_in_grain(std::int64_t work) {
  return std::max<std::int64_t>(1, (std::int64_t{1} << 18) / std::max<std::int64_t>(1, work));
}

struct Correlation {
  std::int64_t batch, groups, in, out;  // channels per group
  std::int64_t size[2];                 // of the output
  std::int64_t kernel[2], stride[2], dilation[2];

  // What the padded image must measure: nothing for no output.
  std::int64_t reach(int d) const {
    if (size[d] == 0) return 0;
    return (size[d] - 1) * stride[d] + (kernel[d] - 1) * dilation[d] + 1;
  }
  // A kernel's row reads a contiguous piece of the image.
  bool rows_join() const { return groups == 1 && dilation[1] == 1; }
  // So few channels a group that most of a tile would be empty.
  static constexpr std::int64_t most_narrow = 7;
  bool narrow() const { return groups > 1 && out <= most_narrow; }
  bool depthwise() const { return in == 1 && out == 1; }
};

// Kernel element for output channel o, input channel i of a group: data[g * group + o * out + i *
// in + h * row + w * column]; `flipped` reads rows and columns from the end.
template <class E>
struct Kernels {
  const E* data;
  std::int64_t group, out, in, row, column;
  bool flipped;
  const E* at(const Correlation& s, std::int64_t g, std::int64_t o, std::int64_t i, std::int64_t h,
              std::int64_t w) const {
    if (flipped) h = s.kernel[0] - 1 - h, w = s.kernel[1] - 1 - w;
    return data + g * group + o * out + i * in + h * row + w * column;
  }
};

template <class E>
class DirectCorrelation {
  using T = Sum<E>;
  static constexpr std::int64_t tile_rows = Tile<T>::rows, tile_columns = Tile<T>::columns;

 public:
  DirectCorrelation(const Correlation& shape, PaddedImage<T> image, const Kernels<E>& kernels,
                    const E* bias, const Tensor& out)
      : s_(shape),
        image_(image),
        kernels_(kernels),
        bias_(bias),
        out_(out.data<E>()),
        strides_(out) {
    taps_ = s_.kernel[0] * s_.kernel[1] * s_.in;
    panels_ = (s_.out + tile_columns - 1) / tile_columns;
    row_tiles_ = (s_.size[1] + tile_rows - 1) / tile_rows;
  }

  void run(const Frame& frame) {
    const std::int64_t tiles = s_.batch * s_.size[0] * row_tiles_;
    const std::int64_t grain = items_in_grain(tile_rows * taps_ * s_.out * s_.groups);
    if (s_.depthwise()) {
      pack_depthwise(frame);
      parallel_for(tiles, grain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t tile = begin; tile < end; ++tile) depthwise_tile(place(tile));
      });
      return;
    }
    if (s_.narrow()) {
      parallel_for(tiles, grain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t tile = begin; tile < end; ++tile) narrow_tile(place(tile));
      });
      return;
    }
    packed_ =
        frame.scratch<T>(static_cast<std::size_t>(s_.groups * panels_ * taps_ * tile_columns));
    parallel_for(s_.groups * panels_, items_in_grain(taps_ * tile_columns),
                 [&](std::int64_t begin, std::int64_t end) {
                   for (std::int64_t p = begin; p < end; ++p)
                     pack(p / panels_, p % panels_, packed_ + p * taps_ * tile_columns);
                 });
    parallel_for(tiles, grain, [&](std::int64_t begin, std::int64_t end) {
      // One image at a time stays in the caches while every panel of kernels passes over it.
      const std::int64_t per_image = s_.size[0] * row_tiles_;
      while (begin < end) {
        const std::int64_t stop = std::min(end, (begin / per_image + 1) * per_image);
        for (std::int64_t p = 0; p < s_.groups * panels_; ++p)
          for (std::int64_t tile = begin; tile < stop; ++tile)
            wide_tile(tile, p / panels_, p % panels_);
        begin = stop;
      }
    });
  }

 private:
  struct Place {
    std::int64_t n, h, w, count;  // a run of output pixels
  };
  Place place(std::int64_t tile) const {
    const std::int64_t w = tile % row_tiles_ * tile_rows, row = tile / row_tiles_;
    return {row / s_.size[0], row % s_.size[0], w, std::min(tile_rows, s_.size[1] - w)};
  }
  const T* pixel(const Place& p, std::int64_t g, std::int64_t kh, std::int64_t kw) const {
    return image_.data + p.n * image_.image +
           (p.h * s_.stride[0] + kh * s_.dilation[0]) * image_.row +
           (p.w * s_.stride[1] + kw * s_.dilation[1]) * image_.pixel + g * s_.in;
  }

  // Kernels of one panel of output channels as [row][column][in][tile_columns].
  void pack(std::int64_t g, std::int64_t panel, T* to) const {
    for (std::int64_t h = 0; h < s_.kernel[0]; ++h)
      for (std::int64_t w = 0; w < s_.kernel[1]; ++w)
        for (std::int64_t i = 0; i < s_.in; ++i)
          for (std::int64_t j = 0; j < tile_columns; ++j) {
            const std::int64_t o = panel * tile_columns + j;
            *to++ = o < s_.out ? static_cast<T>(*kernels_.at(s_, g, o, i, h, w)) : T(0);
          }
  }

  void wide_tile(std::int64_t tile, std::int64_t g, std::int64_t panel) const {
    const Place p = place(tile);
    const std::int64_t columns = s_.rows_join() ? 1 : s_.kernel[1],
                       depth = s_.rows_join() ? s_.kernel[1] * s_.in : s_.in;
    const T* b = packed_ + (g * panels_ + panel) * taps_ * tile_columns;
    alignas(kVectorBytes) T sums[tile_rows * tile_columns];
    const TileFn<T> multiply = tile_of<T>(p.count);
    const std::int64_t step = s_.stride[1] * image_.pixel;
    if (columns == 1) {
      multiply({pixel(p, g, 0, 0), step, 1, s_.kernel[0], s_.dilation[0] * image_.row},
               {b, tile_columns}, depth, sums, tile_columns, false);
    } else {
      for (std::int64_t h = 0; h < s_.kernel[0]; ++h, b += columns * depth * tile_columns)
        multiply({pixel(p, g, h, 0), step, 1, columns, s_.dilation[1] * image_.pixel},
                 {b, tile_columns}, depth, sums, tile_columns, h > 0);
    }
    finish(p, g, panel * tile_columns, std::min(tile_columns, s_.out - panel * tile_columns), sums);
  }

  // Kernels as [row][column][group].
  void pack_depthwise(const Frame& frame) {
    T* to = packed_ = frame.scratch<T>(static_cast<std::size_t>(taps_ * s_.groups));
    for (std::int64_t h = 0; h < s_.kernel[0]; ++h)
      for (std::int64_t w = 0; w < s_.kernel[1]; ++w)
        for (std::int64_t g = 0; g < s_.groups; ++g)
          *to++ = static_cast<T>(*kernels_.at(s_, g, 0, 0, h, w));
  }
  // A vector holds one pixel of neighbouring channels.
  void depthwise_tile(const Place& p) const {
    alignas(kVectorBytes) T sums[tile_rows * tile_columns];
    const std::int64_t step = s_.stride[1] * image_.pixel;
    for (std::int64_t g = 0; g < s_.groups; g += tile_columns) {
      const std::int64_t count = std::min(tile_columns, s_.groups - g);
      by_vector<T>(count, [&](std::int64_t j, auto lanes) {
        Vec<T> sum[tile_rows];
        for (std::int64_t i = 0; i < p.count; ++i) sum[i] = Vec<T>(0);
        const T* kernel = packed_ + g + j;
        for (std::int64_t h = 0; h < s_.kernel[0]; ++h)
          for (std::int64_t w = 0; w < s_.kernel[1]; ++w, kernel += s_.groups) {
            const Vec<T> factor = get<T>(kernel, lanes);
            const T* const x = pixel(p, g + j, h, w);
            for (std::int64_t i = 0; i < p.count; ++i)
              sum[i] = fma(get<T>(x + i * step, lanes), factor, sum[i]);
          }
        for (std::int64_t i = 0; i < p.count; ++i) store(sum[i], sums + i * tile_columns + j);
      });
      finish(p, g, 0, count, sums);
    }
  }

  void narrow_tile(const Place& p) const {
    static_assert(Correlation::most_narrow <= tile_columns);
    for (std::int64_t g = 0; g < s_.groups; ++g) {
      T sums[tile_rows * tile_columns];
      for (std::int64_t i = 0; i < p.count; ++i)
        for (std::int64_t o = 0; o < s_.out; ++o)
          sums[i * tile_columns + o] = narrow_sum(p, g, i, o);
      finish(p, g, 0, s_.out, sums);
    }
  }
  T narrow_sum(const Place& p, std::int64_t g, std::int64_t i, std::int64_t o) const {
    T sum = 0;
    for (std::int64_t h = 0; h < s_.kernel[0]; ++h)
      for (std::int64_t w = 0; w < s_.kernel[1]; ++w) {
        const T* const x = pixel(p, g, h, w) + i * s_.stride[1] * image_.pixel;
        for (std::int64_t c = 0; c < s_.in; ++c)
          sum += x[c] * static_cast<T>(*kernels_.at(s_, g, o, c, h, w));
      }
    return sum;
  }

  // Adds the bias and writes `count` channels from `first` of group g.
  void finish(const Place& p, std::int64_t g, std::int64_t first, std::int64_t count,
              const T* sums) const {
    const std::int64_t channel = g * s_.out + first;
    E* const to =
        out_ + p.n * strides_.n + channel * strides_.c + p.h * strides_.h + p.w * strides_.w;
    auto write = [&](std::int64_t i, std::int64_t j) {
      const T bias = bias_ ? static_cast<T>(bias_[channel + j]) : T(0);
      to[i * strides_.w + j * strides_.c] = static_cast<E>(sums[i * tile_columns + j] + bias);
    };
    if (strides_.c == 1) {
      for (std::int64_t i = 0; i < p.count; ++i)
        for (std::int64_t j = 0; j < count; ++j) write(i, j);
    } else {
      for (std::int64_t j = 0; j < count; ++j)
        for (std::int64_t i = 0; i < p.count; ++i) write(i, j);
    }
  }

  Correlation s_;
  PaddedImage<T> image_;
  Kernels<E> kernels_;
  const E* bias_;
  E* out_;
  ImageStrides strides_;
  std::int64_t taps_, panels_, row_tiles_;
  T* packed_ = nullptr;
};

// The gradient for the kernels, a tensor [groups * out, in, ...]: sums of image * grad over all
// pixels. The tile's rows are input channels, its columns output channels, and its depth runs along
// an output row.
template <class E>
class KernelGradient {
  using T = Sum<E>;
  static constexpr std::int64_t tile_rows = Tile<T>::rows, tile_columns = Tile<T>::columns;

 public:
  KernelGradient(const Correlation& shape, PaddedImage<T> image, const Tensor& grad,
                 const Tensor& out)
      : s_(shape),
        image_(image),
        grad_tensor_(grad),
        grad_(grad.data<E>()),
        grad_strides_(grad),
        out_(out.data<E>()),
        out_strides_(out) {
    panels_ = (s_.out + tile_columns - 1) / tile_columns;
    columns_ = s_.rows_join() ? 1 : s_.kernel[1];
    rows_ = s_.rows_join() ? s_.kernel[1] * s_.in : s_.in;
    row_tiles_ = (rows_ + tile_rows - 1) / tile_rows;
    pixels_ = s_.batch * s_.size[0] * s_.size[1];
  }

  void run(const Frame& frame) {
    if (s_.depthwise()) {
      const Placement whole{{s_.size[0], s_.size[1]}, {0, 0}, {1, 1}};
      const PaddedImage<T> grads = place_image<E>(frame, grad_tensor_, whole);
      const std::int64_t work = pixels_ * s_.kernel[0] * s_.kernel[1];
      parallel_for(s_.groups, items_in_grain(work), static_cast<std::int64_t>(Vec<T>::lanes),
                   [&](std::int64_t begin, std::int64_t end) { depthwise(grads, begin, end); });
      return;
    }
    if (s_.narrow()) {
      const std::int64_t work = pixels_ * s_.in * s_.kernel[0] * s_.kernel[1];
      parallel_for(s_.groups * s_.out, items_in_grain(work),
                   [&](std::int64_t begin, std::int64_t end) {
                     for (std::int64_t o = begin; o < end; ++o)
                       narrow_channel(o / s_.out, o % s_.out);
                   });
      return;
    }
    packed_ =
        frame.scratch<T>(static_cast<std::size_t>(s_.groups * panels_ * pixels_ * tile_columns));
    const std::int64_t row = s_.groups * panels_ * s_.size[1] * tile_columns;
    parallel_for(s_.batch * s_.size[0], items_in_grain(row),
                 [&](std::int64_t begin, std::int64_t end) {
                   for (std::int64_t r = begin; r < end; ++r) pack_row(r);
                 });
    const std::int64_t tasks = s_.groups * panels_ * s_.kernel[0] * columns_ * row_tiles_;
    parallel_for(tasks, items_in_grain(pixels_ * tile_rows * tile_columns),
                 [&](std::int64_t begin, std::int64_t end) {
                   for (std::int64_t task = begin; task < end; ++task) tile(task);
                 });
  }

 private:
  const T* pixel(std::int64_t n, std::int64_t oh, std::int64_t kh, std::int64_t kw,
                 std::int64_t g) const {
    return image_.data + n * image_.image + (oh * s_.stride[0] + kh * s_.dilation[0]) * image_.row +
           kw * s_.dilation[1] * image_.pixel + g * s_.in;
  }
  E* out_at(std::int64_t channel, std::int64_t in, std::int64_t h, std::int64_t w) const {
    return out_ + channel * out_strides_.n + in * out_strides_.c + h * out_strides_.h +
           w * out_strides_.w;
  }

  // Output row r of grad, as [group][panel][pixel][tile_columns].
  void pack_row(std::int64_t r) const {
    const E* const from =
        grad_ + r / s_.size[0] * grad_strides_.n + r % s_.size[0] * grad_strides_.h;
    for (std::int64_t p = 0; p < s_.groups * panels_; ++p) {
      const std::int64_t first = p % panels_ * tile_columns, channel = p / panels_ * s_.out + first;
      const std::int64_t count = std::min(tile_columns, s_.out - first);
      T* to = packed_ + (p * pixels_ + r * s_.size[1]) * tile_columns;
      for (std::int64_t w = 0; w < s_.size[1]; ++w, to += tile_columns) {
        const E* const x = from + w * grad_strides_.w + channel * grad_strides_.c;
        for (std::int64_t j = 0; j < count; ++j) to[j] = static_cast<T>(x[j * grad_strides_.c]);
        std::fill(to + count, to + tile_columns, T(0));
      }
    }
  }

  void tile(std::int64_t task) const {
    const std::int64_t first = task % row_tiles_ * tile_rows,
                       count = std::min(tile_rows, rows_ - first);
    task /= row_tiles_;
    const std::int64_t w = task % columns_, h = task / columns_ % s_.kernel[0],
                       p = task / columns_ / s_.kernel[0];
    const T* b = packed_ + p * pixels_ * tile_columns;
    alignas(kVectorBytes) T sums[tile_rows * tile_columns];
    std::fill(sums, sums + tile_rows * tile_columns, T(0));
    const TileFn<T> multiply = tile_of<T>(count);
    for (std::int64_t n = 0; n < s_.batch; ++n, b += s_.size[0] * s_.size[1] * tile_columns)
      multiply({pixel(n, 0, h, w, p / panels_) + first, 1, s_.stride[1] * image_.pixel, s_.size[0],
                s_.stride[0] * image_.row},
               {b, tile_columns}, s_.size[1], sums, tile_columns, true);
    const std::int64_t channel = p / panels_ * s_.out + p % panels_ * tile_columns;
    const std::int64_t channels = std::min(tile_columns, s_.out - p % panels_ * tile_columns);
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t in = (first + i) % s_.in, column = w + (first + i) / s_.in;
      for (std::int64_t j = 0; j < channels; ++j)
        *out_at(channel + j, in, h, column) = static_cast<E>(sums[i * tile_columns + j]);
    }
  }

  // For the channels [begin, end), one per lane: a row's sum, then the sum of the rows.
  void depthwise(const PaddedImage<T>& grads, std::int64_t begin, std::int64_t end) const {
    by_vector<T>(end - begin, [&](std::int64_t j, auto lanes) {
      const std::int64_t channel = begin + j;
      for (std::int64_t h = 0; h < s_.kernel[0]; ++h)
        for (std::int64_t w = 0; w < s_.kernel[1]; ++w) {
          Vec<T> total(0);
          for (std::int64_t n = 0; n < s_.batch; ++n)
            for (std::int64_t oh = 0; oh < s_.size[0]; ++oh) {
              const T* const x = pixel(n, oh, h, w, channel);
              const T* const y = grads.data + n * grads.image + oh * grads.row + channel;
              Vec<T> sum(0);
              for (std::int64_t ow = 0; ow < s_.size[1]; ++ow)
                sum = fma(get<T>(x + ow * s_.stride[1] * image_.pixel, lanes),
                          get<T>(y + ow * grads.pixel, lanes), sum);
              total = total + sum;
            }
          alignas(kVectorBytes) T numbers[Vec<T>::lanes];
          store(total, numbers);
          const std::int64_t used =
              std::min<std::int64_t>(static_cast<std::int64_t>(Vec<T>::lanes), end - channel);
          for (std::int64_t l = 0; l < used; ++l)
            *out_at(channel + l, 0, h, w) = static_cast<E>(numbers[l]);
        }
    });
  }

  void narrow_channel(std::int64_t g, std::int64_t o) const {
    const std::int64_t channel = g * s_.out + o;
    for (std::int64_t h = 0; h < s_.kernel[0]; ++h)
      for (std::int64_t w = 0; w < s_.kernel[1]; ++w)
        for (std::int64_t i = 0; i < s_.in; ++i) {
          T sum = 0;
          for (std::int64_t n = 0; n < s_.batch; ++n)
            for (std::int64_t oh = 0; oh < s_.size[0]; ++oh) {
              const T* const x = pixel(n, oh, h, w, g) + i;
              const E* const y =
                  grad_ + n * grad_strides_.n + channel * grad_strides_.c + oh * grad_strides_.h;
              for (std::int64_t ow = 0; ow < s_.size[1]; ++ow)
                sum +=
                    x[ow * s_.stride[1] * image_.pixel] * static_cast<T>(y[ow * grad_strides_.w]);
            }
          *out_at(channel, i, h, w) = static_cast<E>(sum);
        }
  }

  Correlation s_;
  PaddedImage<T> image_;
  const Tensor& grad_tensor_;
  const E* grad_;
  ImageStrides grad_strides_;
  E* out_;
  ImageStrides out_strides_;
  std::int64_t panels_, columns_, rows_, row_tiles_, pixels_;
  T* packed_ = nullptr;
};

}  // namespace tn::cpu
