// Maxima over windows of images. A vector holds neighbouring output columns of one channel or, in
// channels-last memory, neighbouring channels of one output pixel; both offer the numbers of a
// window to the same comparison.
#include <atomic>
#include <limits>
#include <type_traits>

#include "float_types.h"
#include "kernels.h"
#include "pool_window.h"
#include "row.h"
#include "tenon/sdk/entry.h"
#include "walk.h"

namespace tn::cpu {
namespace {

// The largest number so far in each lane, and where in the image it stands: h * W + w.
template <class T>
class Best {
 public:
  using Place = hn::RebindToSigned<Tag<T>>;
  using Places = hn::Vec<Place>;

  // `first` stays should all be minus infinity.
  explicit Best(Places first) : value_(-std::numeric_limits<T>::infinity()), place_(first) {}

  void offer(Vec<T> value, Places place, Mask<T> present) {
    take(value, place, (value > value_ || isnan(value)) && present);
  }
  void offer(Vec<T> value, Places place) { take(value, place, value > value_ || isnan(value)); }

  // Writes the first n lanes, elements `step` apart.
  template <class E>
  void write(int64_t n, E* values, int64_t value_step, int64_t* places, int64_t place_step) const {
    constexpr int64_t lanes = static_cast<int64_t>(Vec<T>::lanes);
    if (value_step == 1 && place_step == 1) {
      n == lanes ? store(value_, values) : store_n(value_, values, static_cast<size_t>(n));
      write_places(n, places);
      return;
    }
    alignas(kVectorBytes) E value[lanes];
    alignas(kVectorBytes) int64_t place[lanes];
    store(value_, value);
    write_places(lanes, place);
    for (int64_t i = 0; i < n; ++i) {
      values[i * value_step] = value[i];
      places[i * place_step] = place[i];
    }
  }

 private:
  void take(Vec<T> value, Places place, Mask<T> better) {
    value_ = select(better, value, value_);
    place_ = hn::IfThenElse(hn::RebindMask(Place(), better.raw), place, place_);
  }
  void write_places(int64_t n, int64_t* to) const {
    const Tag<int64_t> wide;
    if constexpr (sizeof(T) == sizeof(int64_t)) {
      write_some(place_, n, to);
    } else {
      constexpr int64_t half = static_cast<int64_t>(Vec<T>::lanes) / 2;
      write_some(hn::PromoteTo(wide, hn::LowerHalf(place_)), std::min(n, half), to);
      if (n > half)
        write_some(hn::PromoteTo(wide, hn::UpperHalf(hn::Half<Place>(), place_)), n - half,
                   to + half);
    }
  }
  static void write_some(hn::Vec<Tag<int64_t>> v, int64_t n, int64_t* to) {
    const Tag<int64_t> d;
    if (n == static_cast<int64_t>(hn::MaxLanes(d)))
      hn::StoreU(v, d, to);
    else
      hn::BlendedStore(v, hn::FirstN(d, static_cast<size_t>(n)), d, to);
  }

  Vec<T> value_;
  Places place_;
};

// Images whose rows are runs of memory: numbers of type T, results of type E.
template <class T, class E>
class RowMajorMax {
  using Place = typename Best<T>::Place;
  using Index = hn::TFromD<Place>;
  static constexpr int64_t lanes = static_cast<int64_t>(Vec<T>::lanes);

 public:
  RowMajorMax(const PoolShape& s, const Spans& spans, const PlaneStrides& out,
              const PlaneStrides& indices)
      : s_(s), spans_(spans), out_(out), indices_(indices) {
    for (const Span& span : spans.columns) first_.push_back(static_cast<Index>(span.begin));
    first_.resize(first_.size() + static_cast<size_t>(lanes));
    // Of a kernel's columns, those that stand inside the image for some output column: padding
    // makes room for kernels far larger than the image.
    const int64_t before = std::max<int64_t>(s.padding[1] - (s.out[1] - 1) * s.stride[1], 0);
    const int64_t begin = (before + s.dilation[1] - 1) / s.dilation[1];
    const int64_t end = std::min(s.kernel[1], (s.padding[1] + s.in[1] - 1) / s.dilation[1] + 1);
    for (int64_t k = begin; k < end; ++k) {
      const int64_t shift = s.padding[1] - k * s.dilation[1];
      taps_.push_back({-shift, reaching(shift), reaching(shift + s.in[1])});
    }
  }

  // One channel of one image, whose rows are `row` elements apart.
  void run(const T* image, int64_t row, E* to, int64_t* index) const {
    for (int64_t oh = 0; oh < s_.out[0]; ++oh)
      for (int64_t ow = 0; ow < s_.out[1]; ow += lanes)
        cells(image, row, spans_.rows[static_cast<size_t>(oh)], ow)
            .write(std::min(lanes, s_.out[1] - ow), to + oh * out_.h + ow * out_.w, out_.w,
                   index + oh * indices_.h + ow * indices_.w, indices_.w);
  }

 private:
  // A column of the kernel: where it stands for output column 0, and the output columns [begin,
  // end) for which it stands inside the image.
  struct Tap {
    int64_t column, begin, end;
  };
  // The first output column whose window begins `distance` or more from the image's padding.
  int64_t reaching(int64_t distance) const {
    const int64_t stride = s_.stride[1];
    return std::clamp<int64_t>(distance <= 0 ? 0 : (distance + stride - 1) / stride, 0, s_.out[1]);
  }

  // The output columns from `ow` on, a vector of them.
  Best<T> cells(const T* image, int64_t row, const Span& rows, int64_t ow) const {
    const Place d;
    const auto steps = hn::Mul(hn::Iota(d, 0), hn::Set(d, static_cast<Index>(s_.stride[1])));
    Best<T> best(hn::Add(hn::Set(d, static_cast<Index>(rows.begin * s_.in[1])),
                         hn::LoadU(d, first_.data() + ow)));
    for (int64_t h = rows.begin; h < rows.end; h += s_.dilation[0])
      for (const Tap& tap : taps_) {
        const int64_t begin = std::max<int64_t>(tap.begin - ow, 0),
                      end = std::min(tap.end - ow, lanes);
        if (begin >= end) continue;
        const int64_t column = tap.column + ow * s_.stride[1];
        const auto place = hn::Add(hn::Set(d, static_cast<Index>(h * s_.in[1] + column)), steps);
        best.offer(read(image + h * row, column, steps, begin, end), place, {some<T>(begin, end)});
      }
    return best;
  }

  template <class N>
  static hn::Mask<Tag<N>> some(int64_t begin, int64_t end) {
    const Tag<N> d;
    return hn::AndNot(hn::FirstN(d, static_cast<size_t>(std::max<int64_t>(begin, 0))),
                      hn::FirstN(d, static_cast<size_t>(std::max<int64_t>(end, 0))));
  }

  // row[column + lane * stride] for the lanes [begin, end); no other memory is read.
  template <class Steps>
  Vec<T> read(const T* row, int64_t column, Steps steps, int64_t begin, int64_t end) const {
    const Tag<T> d;
    if (s_.stride[1] == 1) return Vec<T>(hn::MaskedLoad(some<T>(begin, end), d, row + column));
    if (s_.stride[1] == 2) {
      const int64_t last = 2 * end - 1;
      const T* const from = row + column;
      const auto low = hn::MaskedLoad(some<T>(2 * begin, std::min(last, lanes)), d, from);
      const auto high = hn::MaskedLoad(some<T>(2 * begin - lanes, last - lanes), d, from + lanes);
      return Vec<T>(hn::ConcatEven(d, high, low));
    }
    const Place integers;
    const auto inside = hn::RebindMask(integers, some<T>(begin, end));
    const auto at = hn::Add(hn::Set(integers, static_cast<Index>(column)), steps);
    return Vec<T>(hn::GatherIndex(d, row, hn::IfThenElseZero(inside, at)));
  }

  const PoolShape& s_;
  const Spans& spans_;
  PlaneStrides out_, indices_;
  std::vector<Index> first_;
  std::vector<Tap> taps_;
};

// A channel of an image as numbers of type T in rows: itself, or a copy at `copy`.
template <class T, class E>
const T* as_rows(const PoolShape& s, const E* image, const PlaneStrides& strides, T* copy,
                 int64_t* row) {
  if constexpr (std::is_same_v<E, T>) {
    if (strides.w == 1) {
      *row = strides.h;
      return image;
    }
  }
  *row = s.in[1];
  for (int64_t h = 0; h < s.in[0]; ++h)
    for (int64_t w = 0; w < s.in[1]; ++w)
      copy[h * s.in[1] + w] = ops::cast<T>(image[h * strides.h + w * strides.w]);
  return copy;
}

template <class T, class E>
void row_major(const Frame& frame, const PoolShape& s, const Tensor& self, const Tensor& out,
               const Tensor& indices) {
  const PlaneStrides is(self), os(out), xs(indices);
  const Spans spans = fixed(s);
  const RowMajorMax<T, E> maxima(s, spans, os, xs);
  const bool copies = !std::is_same_v<E, T> || is.w != 1;
  T* const copy = copies ? frame.scratch<T>(static_cast<size_t>(self.numel())) : nullptr;
  each_block(s, work_of_windows(s) / 4, [&](int64_t n, int64_t c, int64_t) {
    int64_t row;
    const T* const image = as_rows(s, self.data<E>() + n * is.n + c * is.c, is,
                                   copy ? copy + (n * s.channels + c) * area(s.in) : nullptr, &row);
    maxima.run(image, row, out.data<E>() + n * os.n + c * os.c,
               indices.data<int64_t>() + n * xs.n + c * xs.c);
  });
}

template <class T, class E>
void channels_last(const PoolShape& s, const Tensor& self, const Tensor& out,
                   const Tensor& indices) {
  using Place = typename Best<T>::Place;
  const PlaneStrides is(self), os(out), xs(indices);
  const Spans spans = fixed(s);
  const auto number = [](int64_t place) {
    return hn::Set(Place(), static_cast<hn::TFromD<Place>>(place));
  };
  each_block(s, work_of_windows(s), [&](int64_t n, int64_t c, int64_t count) {
    for (int64_t oh = 0; oh < s.out[0]; ++oh)
      for (int64_t ow = 0; ow < s.out[1]; ++ow) {
        const Span rows = spans.rows[static_cast<size_t>(oh)],
                   columns = spans.columns[static_cast<size_t>(ow)];
        by_vector<T>(count, [&](int64_t i, auto lanes) {
          const E* const image = self.data<E>() + n * is.n + (c + i) * is.c;
          Best<T> best(number(rows.begin * s.in[1] + columns.begin));
          for (int64_t h = rows.begin; h < rows.end; h += s.dilation[0])
            for (int64_t w = columns.begin; w < columns.end; w += s.dilation[1])
              best.offer(get<T>(image + h * is.h + w * is.w, lanes), number(h * s.in[1] + w));
          best.write(std::min(static_cast<int64_t>(Vec<T>::lanes), count - i),
                     out.data<E>() + n * os.n + (c + i) * os.c + oh * os.h + ow * os.w, os.c,
                     indices.data<int64_t>() + n * xs.n + (c + i) * xs.c + oh * xs.h + ow * xs.w,
                     xs.c);
        });
      }
  });
}

void max_pool2d(const Tensor& self, Ints kernel_size, Ints stride, Ints padding, Ints dilation,
                bool ceil_mode, Frame& frame, Out out, Out indices) {
  if (out->numel() == 0) return;
  const PoolShape s = ops::pool_shape(self, kernel_size, stride, padding, dilation, ceil_mode);
  const auto run = [&](auto number, auto element) {
    using T = decltype(number);
    using E = decltype(element);
    if (s.channels_last)
      channels_last<T, E>(s, self, *out, *indices);
    else
      row_major<T, E>(frame, s, self, *out, *indices);
  };
  with_float(self.dtype(), [&](auto e) {
    // Places are counted in integers as wide as the numbers.
    if (area(s.in) > std::numeric_limits<int32_t>::max())
      run(double(), e);
    else
      run(Sum<decltype(e)>(), e);
  });
}

template <class E>
void max_backward(Frame& frame, const PoolShape& s, const Tensor& grad, const Tensor& indices,
                  const Tensor& out) {
  using T = Sum<E>;
  const PlaneStrides gs(grad), xs(indices);
  const BlockSums<E> sums(frame, s, out);
  each_block(s, work_of_sums(s), [&](int64_t n, int64_t c, int64_t count) {
    const E* const g = grad.data<E>() + n * gs.n + c * gs.c;
    const int64_t* const index = indices.data<int64_t>() + n * xs.n + c * xs.c;
    sums.clear(n, c, count);
    for (int64_t oh = 0; oh < s.out[0]; ++oh) {
      if (count == 1) {
        for (int64_t ow = 0; ow < s.out[1]; ++ow)
          *sums.at(n, c, index[oh * xs.h + ow * xs.w]) += static_cast<T>(g[oh * gs.h + ow * gs.w]);
        continue;
      }
      for (int64_t ow = 0; ow < s.out[1]; ++ow)
        for (int64_t i = 0; i < count; ++i)
          *sums.at(n, c + i, index[oh * xs.h + ow * xs.w + i * xs.c]) +=
              static_cast<T>(g[oh * gs.h + ow * gs.w + i * gs.c]);
    }
    sums.finish(n, c, count);
  });
}

// Before anything is written.
void expect_places(const Tensor& self, const Tensor& indices, int64_t places) {
  std::atomic<bool> good{true};
  const bool dense = indices.get()->flags & TN_TENSOR_DENSE;
  const std::vector<int64_t> flat{indices.numel()}, one{1};
  Walk<1> walk(dense ? Ints(flat) : indices.sizes());
  walk.operand(0, dense ? Ints(one) : indices.strides());
  const int64_t* const data = indices.data<int64_t>();
  walk.parallel_lines(-1, [&](int64_t count, const auto& at, const auto& step) {
    bool all = true;
    for (int64_t i = 0; i < count; ++i)
      all &= static_cast<uint64_t>(data[at[0] + i * step[0]]) < static_cast<uint64_t>(places);
    if (!all) good = false;
  });
  if (good) return;
  walk.lines([&](int64_t count, const auto& at, const auto& step) {
    for (int64_t i = 0; i < count; ++i) {
      const int64_t place = data[at[0] + i * step[0]];
      if (place < 0 || place >= places)
        fail(TN_INDEX_ERROR, "indices must lie in [0, %lld) for %s, got %lld",
             static_cast<long long>(places), self.describe().c_str(),
             static_cast<long long>(place));
    }
  });
}

void max_pool2d_backward(const Tensor& grad, const Tensor& self, Ints kernel_size, Ints stride,
                         Ints padding, Ints dilation, bool ceil_mode, const Tensor& indices,
                         Frame& frame, Out out) {
  if (out->numel() == 0) return;
  const PoolShape s = ops::pool_shape(self, kernel_size, stride, padding, dilation, ceil_mode);
  expect_places(self, indices, area(s.in));
  with_float(self.dtype(),
             [&](auto e) { max_backward<decltype(e)>(frame, s, grad, indices, *out); });
}

}  // namespace

void register_max_pool(tn_plugin* plugin) {
  tn_caps caps = TN_INIT(tn_caps);
  caps.flags = TN_CAP_DETERMINISTIC;
  caps.dtypes = kFloatDtypes;
  register_kernel<max_pool2d>(plugin, "max_pool2d_with_indices", "cpu", caps);
  caps.dtypes |= TN_DTYPE_BIT(TN_I64);  // the indices
  register_kernel<max_pool2d_backward>(plugin, "max_pool2d_with_indices_backward", "cpu", caps);
}

}  // namespace tn::cpu
