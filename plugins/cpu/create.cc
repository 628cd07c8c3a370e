// arange, linspace and eye.
#include <tenon/ops/cast.h>
#include <tenon/sdk/entry.h>

#include "element_types.h"
#include "kernels.h"
#include "number.h"
#include "walk.h"

namespace tn::cpu {
namespace {

// Writes value(i) to element i of a vector.
template <class Value>
void fill_vector(const Tensor& out, Value value) {
  const int64_t step = out.stride(0);
  with_number(out.dtype(), [&](auto type) {
    using T = decltype(type);
    T* to = out.data<T>();
    parallel_for(out.numel(), kGrain, [=](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) to[i * step] = ops::cast<T>(value(i));
    });
  });
}

// Integers are exact; floats are computed in double and rounded once.
void arange(const Scalar& start, const Scalar&, const Scalar& step, std::optional<DType>,
            std::optional<Device>, Out out) {
  if (!start.is_floating() && !step.is_floating()) {
    // On unsigned numbers, where the step after the last element may wrap.
    const auto first = static_cast<uint64_t>(start.integer()),
               by = static_cast<uint64_t>(step.integer());
    fill_vector(*out, [=](int64_t i) {
      return static_cast<int64_t>(first + by * static_cast<uint64_t>(i));
    });
  } else {
    fill_vector(*out, [first = start.real(), by = step.real()](int64_t i) {
      return first + by * static_cast<double>(i);
    });
  }
}

// Counts from both ends to the middle, so that both are exact and the rounding is symmetric.
template <class Number>
auto between(Number start, Number end, int64_t steps) {
  const Number by = steps > 1 ? (end - start) / static_cast<double>(steps - 1) : Number(0);
  return [=](int64_t i) {
    return i < (steps + 1) / 2 ? start + by * static_cast<double>(i)
                               : end - by * static_cast<double>(steps - 1 - i);
  };
}

void linspace(const Scalar& start, const Scalar& end, int64_t steps, std::optional<DType>,
              std::optional<Device>, Out out) {
  if (!is_complex(out->dtype())) {
    fill_vector(*out, between(start.real(), end.real(), steps));
    return;
  }
  const auto value = between(start.complex(), end.complex(), steps);
  for (int64_t i = 0; i < steps; ++i) {
    const std::complex<double> z = value(i);
    if (out->dtype() == TN_C64)
      out->data<std::complex<float>>()[i * out->stride(0)] = std::complex<float>(z);
    else
      out->data<std::complex<double>>()[i * out->stride(0)] = z;
  }
}

void eye(int64_t n, int64_t m, std::optional<DType>, std::optional<Device>, Out out) {
  alignas(16) char element[16];
  store_number(element, out->dtype(), Scalar(1).value());
  with_size(out->dtype(), [&](auto type) {
    using T = decltype(type);
    T* to = out->data<T>();
    const T one = *reinterpret_cast<const T*>(element);
    const int64_t row = out->stride(0), column = out->stride(1);
    if (m == 0) return;  // however many rows of nothing there are
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < m; ++j) to[i * row + j * column] = T{};
      if (i < m) to[i * (row + column)] = one;
    }
  });
}

}  // namespace

void register_create(tn_plugin* plugin) {
  tn_caps caps = TN_INIT(tn_caps);
  caps.flags = TN_CAP_DETERMINISTIC;
  register_kernel<arange>(plugin, "arange.start_step", "cpu", caps);
  register_kernel<linspace>(plugin, "linspace", "cpu", caps);
  register_kernel<eye>(plugin, "eye.m", "cpu", caps);
}

}  // namespace tn::cpu
