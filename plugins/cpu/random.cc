// uniform_, normal_ and bernoulli_: which word makes which element is told in tenon/ops/random.h.
#include <tenon/ops/random.h>

#include <algorithm>
#include <string>

#include <tenon/sdk/entry.h>

#include "convert.h"
#include "element.h"
#include "kernels.h"
#include "parallel.h"
#include "philox.h"
#include "vector.h"

namespace tn::cpu {
namespace {

// [0, 1) in steps of 2^-bits.
inline float unit(uint32_t word, int bits) {
  return static_cast<float>(static_cast<int32_t>(word >> (32 - bits))) *
         (1.0f / static_cast<float>(uint32_t{1} << bits));
}
inline double unit(uint32_t high, uint32_t low) {
  return static_cast<double>((uint64_t{high} << 21) ^ (low >> 11)) * 0x1p-53;
}

// As many digits as the dtype has, so that the numbers are evenly spread and rounding never
// gives 1.
int digits(DType dtype) {
  return dtype == TN_BF16 ? 8 : dtype == TN_F16 ? 11 : 24;
}

struct UniformNumbers {
  double from, range, to;
  int bits;
  void make(const uint32_t* words, float* out, int n) const {
    const float base = static_cast<float>(from), scale = static_cast<float>(range),
                limit = static_cast<float>(to);
    for (int i = 0; i < n; ++i) {
      const float x = base + unit(words[i], bits) * scale;
      out[i] = x < limit ? x : base;
    }
  }
  void make(const uint32_t* words, double* out, int n) const {
    for (int i = 0; i < n; ++i) {
      const double x = from + unit(words[2 * i], words[2 * i + 1]) * range;
      out[i] = x < to ? x : from;
    }
  }
};

// Two numbers from two: radius and angle.
struct NormalNumbers {
  double mean, deviation;
  template <class T>
  void pairs(const T* radius_source, const T* angle_source, T* out, int n) const {
    using V = Vec<T>;
    constexpr int width = static_cast<int>(V::lanes);
    alignas(kVectorBytes) T first[kPhiloxWords / 2], second[kPhiloxWords / 2];
    for (int i = 0; i < n / 2; i += width) {
      const V radius = sqrt(log(load<V>(radius_source + i)) * V(-2)) * V(deviation);
      const V angle = load<V>(angle_source + i) * V(6.283185307179586476925);
      store(radius * cos(angle) + V(mean), first + i);
      store(radius * sin(angle) + V(mean), second + i);
    }
    for (int i = 0; i < n / 2; ++i) {
      out[2 * i] = first[i];
      out[2 * i + 1] = second[i];
    }
  }
  void make(const uint32_t* words, float* out, int n) const {
    alignas(kVectorBytes) float u[kPhiloxWords / 2], v[kPhiloxWords / 2];
    for (int i = 0; i < n / 2; ++i) {
      u[i] = 1.0f - unit(words[2 * i], 24);  // (0, 1]: the logarithm stays finite
      v[i] = unit(words[2 * i + 1], 24);
    }
    pairs(u, v, out, n);
  }
  void make(const uint32_t* words, double* out, int n) const {
    alignas(kVectorBytes) double u[kPhiloxWords / 2] = {}, v[kPhiloxWords / 2] = {};
    for (int i = 0; i < n / 2; ++i) {
      u[i] = 1.0 - unit(words[4 * i], words[4 * i + 1]);
      v[i] = unit(words[4 * i + 2], words[4 * i + 3]);
    }
    pairs(u, v, out, n);
  }
};

struct BernoulliNumbers {
  double p;
  void make(const uint32_t* words, float* out, int n) const {
    for (int i = 0; i < n; ++i) out[i] = static_cast<double>(words[i]) * 0x1p-32 < p ? 1.0f : 0.0f;
  }
};

// Where element i of a tensor, in row-major order, lies; for writing runs of them.
class Target {
 public:
  explicit Target(const Tensor& t)
      : data_(t.data<char>()),
        size_(api->dtype_size(t.dtype())),
        dtype_(t.dtype()),
        sizes_(t.sizes()),
        strides_(t.strides()) {
    if (!t.is_contiguous()) row_ = sizes_[sizes_.size() - 1];
  }
  template <class T>
  void write(int64_t index, const T* numbers, int64_t n) const {
    const ConvertFn convert = convert_function(dtype_, dtype_of<T>());
    while (n > 0) {
      const int64_t count = row_ ? std::min(n, row_ - index % row_) : n;
      const int64_t stride = row_ ? strides_[strides_.size() - 1] * size_ : size_;
      convert(data_ + offset(index), stride, numbers, sizeof(T), count);
      index += count;
      numbers += count;
      n -= count;
    }
  }

 private:
  int64_t offset(int64_t index) const {
    if (!row_) return index * size_;
    int64_t offset = 0;
    for (size_t d = sizes_.size(); d-- > 0; index /= sizes_[d])
      offset += index % sizes_[d] * strides_[d];
    return offset * size_;
  }
  char* data_;
  int64_t size_;
  DType dtype_;
  Ints sizes_, strides_;
  int64_t row_ = 0;  // length of the last dimension; 0: contiguous
};

template <class T, class Numbers>
void fill(const Tensor& self, const tn_philox& state, const Numbers& numbers) {
  constexpr int per_batch = kPhiloxWords / (sizeof(T) == 8 ? 2 : 1);
  const Target target(self);
  parallel_for(self.numel(), kGrain / 4, per_batch, [&](int64_t begin, int64_t end) {
    alignas(kVectorBytes) uint32_t words[kPhiloxWords];
    alignas(kVectorBytes) T batch[kPhiloxWords];
    for (int64_t i = begin; i < end; i += per_batch) {
      philox(state.seed, state.offset + static_cast<uint64_t>(i / per_batch * kPhiloxBlocks),
             words);
      numbers.make(words, batch, per_batch);
      target.write(i, batch, std::min<int64_t>(per_batch, end - i));
    }
  });
}

template <class Numbers>
void fill(Frame& frame, const Tensor& self, tn_object* generator, const Numbers& numbers) {
  if (self.numel() == 0) return;
  const int64_t per_block = self.dtype() == TN_F64 ? 2 : 4;
  tn_philox state{};
  check(api->generator_reserve(generator, frame.raw->device,
                               static_cast<uint64_t>((self.numel() + per_block - 1) / per_block),
                               &state));
  if constexpr (requires(double* d) { numbers.make(nullptr, d, 0); })
    if (self.dtype() == TN_F64) return fill<double>(self, state, numbers);
  fill<float>(self, state, numbers);
}

void uniform(Frame& frame, const Tensor&, double from, double to, tn_object* generator, Out out) {
  fill(frame, *out, generator, UniformNumbers{from, to - from, to, digits(out->dtype())});
}
void normal(Frame& frame, const Tensor&, double mean, double deviation, tn_object* generator,
            Out out) {
  fill(frame, *out, generator, NormalNumbers{mean, deviation});
}
void bernoulli(Frame& frame, const Tensor&, double p, tn_object* generator, Out out) {
  fill(frame, *out, generator, BernoulliNumbers{p});
}

template <class Op, auto Fn>
void register_one(tn_plugin* plugin) {
  const std::string name = ops::detail::full_name(Op::schema);
  tn_caps caps = TN_INIT(tn_caps);
  // The plan is not read: it sorts dimensions by strides, and numbers follow the row-major order.
  caps.flags = TN_CAP_PLAN | TN_CAP_ALIAS_SAFE | TN_CAP_DETERMINISTIC;
  caps.dtypes = Op::dtypes;
  tn::register_kernel<Fn>(plugin, name.c_str(), "cpu", caps);
}

}  // namespace

void register_random(tn_plugin* plugin) {
  register_one<ops::Uniform, uniform>(plugin);
  register_one<ops::Normal, normal>(plugin);
  register_one<ops::Bernoulli, bernoulli>(plugin);
}

}  // namespace tn::cpu
