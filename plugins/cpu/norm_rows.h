// norm_rows.h - what batch and layer normalisation share: parameters of either dtype, and walks
// over channels, which bias gradients of convolutions use too.
#pragma once
#include <algorithm>

#include "parallel.h"
#include "row.h"
#include "tenon/sdk/kernel.h"

namespace tn::cpu {

// A weight, bias or statistic as contiguous numbers of the sums' type, `other` where it is absent.
// Its dtype is the input's or the sums'.
template <class E>
const Sum<E>* read_parameter(const Frame& frame, const Tensor& t, std::int64_t count,
                             Sum<E> other) {
  using T = Sum<E>;
  T* const copy = frame.scratch<T>(static_cast<std::size_t>(count));
  const bool wide = t.defined() && api->dtype_size(t.dtype()) == sizeof(T);
  tn_tensor* packed = nullptr;
  if (t.defined()) check(api->tensor_contiguous(t.get(), TN_CONTIGUOUS, &packed));
  const Tensor holder = Tensor::own(packed);
  for (std::int64_t i = 0; i < count; ++i)
    copy[i] = !t.defined() ? other
              : wide       ? holder.data<T>()[i]
                           : static_cast<T>(holder.data<E>()[i]);
  return copy;
}
template <class E>
void write_parameter(const Tensor& t, std::int64_t i, Sum<E> value) {
  if (api->dtype_size(t.dtype()) == sizeof(Sum<E>))
    t.data<Sum<E>>()[i * t.stride(0)] = value;
  else
    t.data<E>()[i * t.stride(0)] = static_cast<E>(value);
}

// The same for all lanes: a channel whose numbers are neighbours.
struct OneChannel {
  std::int64_t channel;
  template <class T, class Lanes>
  Vec<T> of(const T* values, Lanes) const {
    return Vec<T>(values[channel]);
  }
};
// One per lane: numbers of neighbouring channels.
struct ChannelPerLane {
  std::int64_t channel;
  template <class T, class Lanes>
  Vec<T> of(const T* values, Lanes lanes) const {
    return get<T>(values + channel, lanes);
  }
};

// An image tensor [N, C, ...] in row-major or channels-last memory, walked by channel.
struct ChannelWalk {
  std::int64_t batch, channels, length = 1;
  bool interleaved;

  explicit ChannelWalk(const Tensor& t)
      : batch(t.size(0)),
        channels(t.size(1)),
        interleaved(t.is_channels_last() && !t.is_contiguous()) {
    for (std::int64_t d = 2; d < t.dim(); ++d) length *= t.size(d);
  }
  std::int64_t per_channel() const { return batch * length; }
  tn_memory_format format() const { return interleaved ? TN_CHANNELS_LAST : TN_CONTIGUOUS; }

  // Splits the channels over threads: f(first, end).
  template <class F>
  void split(F&& f) const {
    const std::int64_t grain =
        std::max<std::int64_t>(1, kGrain / std::max<std::int64_t>(1, per_channel()));
    parallel_for(channels, grain, interleaved ? 16 : 1, f);
  }

  // Calls f(offset, lanes, channel) for the elements of the channels [first, end), by vectors.
  template <class T, class F>
  void elements(std::int64_t first, std::int64_t end, F f) const {
    if (interleaved) {
      for (std::int64_t r = 0; r < batch * length; ++r)
        by_vector<T>(end - first, [&](std::int64_t i, auto lanes) {
          f(r * channels + first + i, lanes, ChannelPerLane{first + i});
        });
      return;
    }
    for (std::int64_t n = 0; n < batch; ++n)
      for (std::int64_t c = first; c < end; ++c)
        by_vector<T>(length, [&](std::int64_t i, auto lanes) {
          f((n * channels + c) * length + i, lanes, OneChannel{c});
        });
  }

  // total[c] = the sum of f(offset, lanes, channel) over channel c, for the channels [first, end).
  // f leaves lanes that hold no number zero. Short sums are made in T and added in double.
  template <class T, class F>
  void sums(std::int64_t first, std::int64_t end, double* total, F f) const {
    std::fill(total + first, total + end, 0.0);
    if (!interleaved) {
      for (std::int64_t n = 0; n < batch; ++n)
        for (std::int64_t c = first; c < end; ++c)
          total[c] += static_cast<double>(sum_row<T>(length, [&](std::int64_t i, auto lanes) {
            return f((n * channels + c) * length + i, lanes, OneChannel{c});
          }));
      return;
    }
    constexpr std::int64_t rows_at_once = 256;
    for (std::int64_t start = 0; start < batch * length; start += rows_at_once) {
      const std::int64_t stop = std::min(start + rows_at_once, batch * length);
      by_vector<T>(end - first, [&](std::int64_t i, auto lanes) {
        Vec<T> sum(0);
        for (std::int64_t r = start; r < stop; ++r)
          sum = sum + f(r * channels + first + i, lanes, ChannelPerLane{first + i});
        alignas(kVectorBytes) T numbers[Vec<T>::lanes];
        store(sum, numbers);
        const std::int64_t used =
            std::min<std::int64_t>(static_cast<std::int64_t>(Vec<T>::lanes), end - first - i);
        for (std::int64_t l = 0; l < used; ++l)
          total[first + i + l] += static_cast<double>(numbers[l]);
      });
    }
  }
};

// The tensor in the walk's memory format, itself where it is in it already.
inline Tensor in_format(const Tensor& t, tn_memory_format format) {
  tn_tensor* out = nullptr;
  check(api->tensor_contiguous(t.get(), format, &out));
  return Tensor::own(out);
}

}  // namespace tn::cpu
