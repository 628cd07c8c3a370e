// index_select, index_add, gather, scatter and scatter_add.
//
// Each first checks every index, so that a bad one leaves the output as it was. Then all are one
// loop nest over the index tensor or over slices; threads share it so that what lands on one
// element of the output is always done by one thread, in order: results do not depend on their
// number.
#include <cstring>
#include <type_traits>

#include <tenon/ops/shape.h>
#include <tenon/sdk/entry.h>

#include "element_types.h"
#include "kernels.h"
#include "number.h"
#include "stream.h"
#include "walk.h"

namespace tn::cpu {
namespace {

template <class F>
void with_index(DType dtype, F&& f) {
  if (dtype == TN_I32)
    f(int32_t());
  else
    f(int64_t());
}

// Error: an index outside [0, limit).
void check_indices(const Tensor& index, int64_t limit, int64_t dim, const Tensor& target) {
  with_index(index.dtype(), [&](auto type) {
    using I = decltype(type);
    Walk<1> walk(index.sizes());
    walk.operand(0, index.strides());
    const I* data = index.data<I>();
    walk.lines([&](int64_t count, auto at, auto step) {
      // One comparison for both ends; the loop has no exit, so that it is vectorised.
      bool bad = false;
      for (int64_t i = 0; i < count; ++i)
        bad |= static_cast<uint64_t>(static_cast<int64_t>(data[at[0] + i * step[0]])) >=
               static_cast<uint64_t>(limit);
      for (int64_t i = 0; bad && i < count; ++i) {
        const int64_t value = data[at[0] + i * step[0]];
        if (value < 0 || value >= limit)
          fail(TN_INDEX_ERROR, "index %lld is out of range for dimension %lld of size %lld of %s",
               static_cast<long long>(value), static_cast<long long>(dim),
               static_cast<long long>(limit), target.describe().c_str());
      }
    });
  });
}

// Error: what is read lies in the memory that is written. Only in place can that be.
void require_apart(const Tensor& out, const Tensor& input, const char* name) {
  if (out.get()->storage != input.get()->storage || out.numel() == 0 || input.numel() == 0) return;
  auto end = [](const Tensor& t) {
    int64_t last = 0;
    for (int64_t d = 0; d < t.dim(); ++d) last += (t.size(d) - 1) * t.stride(d);
    return t.data<char>() + (last + 1) * api->dtype_size(t.dtype());
  };
  if (out.data<char>() < end(input) && input.data<char>() < end(out))
    fail(TN_RUNTIME_ERROR, "%s is %s and shares memory with self, which is written; clone it first",
         name, input.describe().c_str());
}

int64_t extent(const Tensor& t, int64_t d) {
  return t.dim() == 0 ? 1 : t.size(d);
}
int64_t step_of(const Tensor& t, int64_t d) {
  return t.dim() == 0 ? 0 : t.stride(d);
}

// Strides of `t` in which dimension d does not move: what an index moves along it comes on top.
std::vector<int64_t> without(const Tensor& t, int64_t d) {
  std::vector<int64_t> strides = t.strides().vector();
  if (!strides.empty()) strides[static_cast<size_t>(d)] = 0;
  return strides;
}

// ---- one index for each element -----------------------------------------------------------------

void gather(const Tensor& self, int64_t dim, const Tensor& index, bool, Out out) {
  const int64_t d = ops::wrap_dim(dim, self.dim());
  check_indices(index, extent(self, d), d, self);
  Walk<3> walk(index.sizes());
  walk.operand(0, out->strides());
  walk.operand(1, index.strides());
  walk.operand(2, without(self, d));
  const int64_t along = step_of(self, d);
  with_index(index.dtype(), [&](auto index_type) {
    with_size(self.dtype(), [&](auto type) {
      using I = decltype(index_type);
      using T = decltype(type);
      T* to = out->data<T>();
      const I* indices = index.data<I>();
      const T* from = self.data<T>();
      walk.parallel_lines(-1, [=](int64_t count, auto at, auto step) {
        for (int64_t i = 0; i < count; ++i)
          to[at[0] + i * step[0]] =
              from[at[2] + i * step[2] + indices[at[1] + i * step[1]] * along];
      });
    });
  });
}

// Calls combine(element of out, element of src) for each index. `src` may be a single number, with
// no strides.
template <class T, class Combine>
void scatter_with(int64_t dim, const Tensor& index, const T* src, Ints src_strides,
                  const Tensor& out, Combine combine) {
  const int64_t d = ops::wrap_dim(dim, out.dim());
  check_indices(index, extent(out, d), d, out);
  require_apart(out, index, "index");
  Walk<3> walk(index.sizes());
  walk.operand(0, without(out, d));
  walk.operand(1, index.strides());
  walk.operand(2, src_strides);
  const int64_t along = step_of(out, d);
  with_index(index.dtype(), [&](auto index_type) {
    using I = decltype(index_type);
    T* to = out.data<T>();
    const I* indices = index.data<I>();
    walk.parallel_lines(static_cast<int>(d), [=](int64_t count, auto at, auto step) {
      for (int64_t i = 0; i < count; ++i)
        combine(to[at[0] + i * step[0] + indices[at[1] + i * step[1]] * along],
                src[at[2] + i * step[2]]);
    });
  });
}

constexpr auto assign = [](auto& to, const auto& from) { to = from; };

template <class T>
T sum(T a, T b) {
  if constexpr (std::is_same_v<T, bool>)
    return a || b;
  else if constexpr (std::is_integral_v<T>)  // wraps, as elsewhere
    return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  else if constexpr (sizeof(T) == 2)
    return T(static_cast<float>(a) + static_cast<float>(b));
  else
    return a + b;
}
constexpr auto accumulate = [](auto& to, const auto& from) { to = sum(to, from); };

void scatter(const Tensor&, int64_t dim, const Tensor& index, const Tensor& src, Out out) {
  require_apart(*out, src, "src");
  with_size(out->dtype(), [&](auto type) {
    scatter_with(dim, index, src.data<decltype(type)>(), src.strides(), *out, assign);
  });
}

void scatter_value(const Tensor&, int64_t dim, const Tensor& index, const Scalar& value, Out out) {
  alignas(16) char element[16];
  const tn_value number = value.value();
  store_number(element, out->dtype(), number);
  with_size(out->dtype(), [&](auto type) {
    scatter_with(dim, index, reinterpret_cast<const decltype(type)*>(element), {}, *out, assign);
  });
}

void scatter_add(const Tensor&, int64_t dim, const Tensor& index, const Tensor& src, Out out) {
  require_apart(*out, src, "src");
  with_number(out->dtype(), [&](auto type) {
    scatter_with(dim, index, src.data<decltype(type)>(), src.strides(), *out, accumulate);
  });
}

// ---- one index for each slice -------------------------------------------------------------------

std::vector<int64_t> index_vector(const Tensor& index) {
  std::vector<int64_t> out(static_cast<size_t>(index.numel()));
  with_index(index.dtype(), [&](auto type) {
    const auto* data = index.data<decltype(type)>();
    const int64_t step = index.dim() == 0 ? 0 : index.stride(0);
    for (size_t i = 0; i < out.size(); ++i) out[i] = data[static_cast<int64_t>(i) * step];
  });
  return out;
}

// The part of a row-major tensor inside one index of d.
int64_t inner_size(const Tensor& t, int64_t d) {
  int64_t n = 1;
  for (int64_t k = d + 1; k < t.dim(); ++k) n *= t.size(k);
  return n;
}

// Bytes from which on a slice repays being asked for ahead.
constexpr size_t kLongSlice = 256;

// Row-major to row-major: in each block of `n` slices of `inner` elements, the named ones. Slices
// of one element are copied as such, longer ones as bytes.
void select_rows(const char* from, int64_t n, const std::vector<int64_t>& rows, int64_t inner,
                 const Tensor& out) {
  const int64_t count = static_cast<int64_t>(rows.size());
  const size_t bytes = static_cast<size_t>(inner) * api->dtype_size(out.dtype());
  const int64_t grain = std::max<int64_t>(kGrain * 4 / static_cast<int64_t>(bytes), 1);
  auto each_slice = [&](auto copy) {
    parallel_for(out.numel() / inner, grain, [&](int64_t begin, int64_t end) {
      int64_t block = begin / count * n, k = begin % count;
      for (int64_t i = begin; i < end; ++i) {
        copy(i, block + rows[static_cast<size_t>(k)]);
        if (++k == count) k = 0, block += n;
      }
    });
  };
  char* const to = out.data<char>();
  if (bytes >= kLongSlice) {
    const int64_t length = static_cast<int64_t>(bytes), total = out.numel() / inner;
    parallel_for(total, grain, [&](int64_t begin, int64_t end) {
      gather_rows(to, length, begin, end, total * length, [&](int64_t i) {
        return from + (i / count * n + rows[static_cast<size_t>(i % count)]) * length;
      });
    });
    return;
  }
  if (inner > 1) {
    each_slice([=](int64_t i, int64_t row) {
      std::memcpy(to + static_cast<size_t>(i) * bytes, from + static_cast<size_t>(row) * bytes,
                  bytes);
    });
    return;
  }
  with_size(out.dtype(), [&](auto type) {
    using T = decltype(type);
    each_slice([to = out.data<T>(), source = reinterpret_cast<const T*>(from)](
                   int64_t i, int64_t row) { to[i] = source[row]; });
  });
}

void index_select(const Tensor& self, int64_t dim, const Tensor& index, Out out) {
  const int64_t d = ops::wrap_dim(dim, self.dim());
  check_indices(index, extent(self, d), d, self);
  if (out->numel() == 0) return;
  const std::vector<int64_t> rows = index_vector(index);
  const int64_t count = static_cast<int64_t>(rows.size()), n = extent(self, d);
  if (self.is_contiguous() && out->is_contiguous()) {
    select_rows(self.data<char>(), n, rows, inner_size(self, d), *out);
    return;
  }
  // Any strides: the slices of both, one after another.
  Walk<2> walk(self.sizes());
  if (self.dim() > 0) walk.shape[d] = 1;
  walk.operand(0, out->strides());
  walk.operand(1, self.strides());
  with_size(self.dtype(), [&](auto type) {
    using T = decltype(type);
    for (int64_t i = 0; i < count; ++i) {
      T* to = out->data<T>() + i * step_of(*out, d);
      const T* from = self.data<T>() + rows[static_cast<size_t>(i)] * step_of(self, d);
      walk.parallel_lines(-1, [=](int64_t length, auto at, auto step) {
        for (int64_t k = 0; k < length; ++k) to[at[0] + k * step[0]] = from[at[1] + k * step[1]];
      });
    }
  });
}

template <class T>
T product(T a, const Scalar& alpha) {
  if constexpr (std::is_same_v<T, bool>)
    return a && alpha.real() != 0;
  else if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(alpha.integer()));
  else if constexpr (sizeof(T) == 2)
    return T(static_cast<float>(a) * static_cast<float>(alpha.real()));
  else if constexpr (std::is_floating_point_v<T>)
    return a * static_cast<T>(alpha.real());
  else
    return a * static_cast<T>(alpha.complex());
}

void index_add(const Tensor&, int64_t dim, const Tensor& index, const Tensor& source,
               const Scalar& alpha, Out out) {
  const int64_t d = ops::wrap_dim(dim, out->dim());
  check_indices(index, extent(*out, d), d, *out);
  require_apart(*out, index, "index");
  require_apart(*out, source, "source");
  const std::vector<int64_t> rows = index_vector(index);
  const bool scaled = alpha.is_complex() || alpha.real() != 1;
  Walk<2> walk(source.sizes());
  if (out->dim() > 0) walk.shape[d] = 1;
  walk.operand(0, out->strides());
  walk.operand(1, source.strides());
  with_number(out->dtype(), [&](auto type) {
    using T = decltype(type);
    for (size_t i = 0; i < rows.size(); ++i) {
      T* to = out->data<T>() + rows[i] * step_of(*out, d);
      const T* from = source.data<T>() + static_cast<int64_t>(i) * step_of(source, d);
      walk.parallel_lines(-1, [&, to, from](int64_t length, auto at, auto step) {
        for (int64_t k = 0; k < length; ++k) {
          T& element = to[at[0] + k * step[0]];
          const T added = from[at[1] + k * step[1]];
          element = sum(element, scaled ? product(added, alpha) : added);
        }
      });
    }
  });
}

}  // namespace

void register_index(tn_plugin* plugin) {
  tn_caps caps = TN_INIT(tn_caps);
  caps.flags = TN_CAP_DETERMINISTIC;
  register_kernel<gather>(plugin, "gather", "cpu", caps);
  register_kernel<scatter>(plugin, "scatter.src", "cpu", caps);
  register_kernel<scatter_value>(plugin, "scatter.value", "cpu", caps);
  register_kernel<scatter_add>(plugin, "scatter_add", "cpu", caps);
  register_kernel<index_select>(plugin, "index_select", "cpu", caps);
  register_kernel<index_add>(plugin, "index_add", "cpu", caps);
}

}  // namespace tn::cpu
