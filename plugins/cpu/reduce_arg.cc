// argmax and argmin. Positions follow the tensor's own order of dimensions, which a plan does not
// keep, so the plan is not read: the tensor is seen as [outer, n, inner] in row-major order.
#include <tenon/ops/reduce.h>

#include <algorithm>
#include <string>

#include <tenon/sdk/entry.h>

#include "convert.h"
#include "element.h"
#include "kernels.h"
#include "parallel.h"
#include "reduce.h"

namespace tn::cpu {
namespace {

constexpr int64_t kBlock = 512;

// The first best of `best` and n dense numbers whose positions start at `base`. The value is found
// by vectors first; the numbers are looked at one by one only where it is new.
template <class Op, class T>
void best_of_run(const T* in, int64_t n, int64_t base, T& best, int64_t& position) {
  T candidate = in[0];
  detail::Fold<typename Op::extremum, T>::fold_run(&candidate, in, n);
  if (!Op::better(candidate, best) && base != 0) return;
  best = candidate;
  int64_t i = 0;
  while (!(in[i] == best || (in[i] != in[i] && best != best))) ++i;
  position = base + i;
}
// The same for whole columns. Written without branches, so that it becomes vectors.
template <class Op, class T>
void best_of_row(const T* in, int64_t n, int64_t row, T* best, int64_t* position) {
  for (int64_t c = 0; c < n; ++c) {
    const bool better = Op::better(in[c], best[c]);
    best[c] = better ? in[c] : best[c];
    position[c] = better ? row : position[c];
  }
}

struct Geometry {
  int64_t outer = 1, n = 1, inner = 1;
};

template <class Op, class T>
void find(const char* data, tn_dtype dtype, const Geometry& g, int64_t* out) {
  const ConvertFn read = convert_function(dtype_of<T>(), dtype);
  const int64_t size = api->dtype_size(dtype);
  const auto load = [&](int64_t at, int64_t n, T* block) {
    read(block, sizeof(T), data + at * size, size, n);
  };
  if (g.inner == 1) {
    parallel_for(g.outer, std::max<int64_t>(1, kGrain / g.n), [&](int64_t begin, int64_t end) {
      T block[kBlock];
      for (int64_t o = begin; o < end; ++o) {
        T best{};
        int64_t position = 0;
        for (int64_t i = 0; i < g.n; i += kBlock) {
          const int64_t n = std::min(kBlock, g.n - i);
          load(o * g.n + i, n, block);
          best_of_run<Op>(block, n, i, best, position);
        }
        out[o] = position;
      }
    });
    return;
  }
  const int64_t tiles = (g.inner + kBlock - 1) / kBlock;
  parallel_for(g.outer * tiles, std::max<int64_t>(1, kGrain / (g.n * std::min(kBlock, g.inner))),
               [&](int64_t begin, int64_t end) {
                 T block[kBlock], best[kBlock];
                 int64_t position[kBlock];
                 for (int64_t t = begin; t < end; ++t) {
                   const int64_t o = t / tiles, c = t % tiles * kBlock,
                                 width = std::min(kBlock, g.inner - c);
                   load(o * g.n * g.inner + c, width, best);
                   std::fill_n(position, width, 0);
                   for (int64_t i = 1; i < g.n; ++i) {
                     load((o * g.n + i) * g.inner + c, width, block);
                     best_of_row<Op>(block, width, i, best, position);
                   }
                   std::copy_n(position, width, out + o * g.inner + c);
                 }
               });
}

template <class Op>
void run_typed(const Tensor& self, const Geometry& g, int64_t* out) {
  const auto with = [&]<class T>(T*) { find<Op, T>(self.data<char>(), self.dtype(), g, out); };
  switch (arithmetic_dtype(self.dtype())) {
    case TN_U8:
      return with(static_cast<uint8_t*>(nullptr));
    case TN_I8:
      return with(static_cast<int8_t*>(nullptr));
    case TN_I16:
      return with(static_cast<int16_t*>(nullptr));
    case TN_I32:
      return with(static_cast<int32_t*>(nullptr));
    case TN_I64:
      return with(static_cast<int64_t*>(nullptr));
    case TN_F64:
      return with(static_cast<double*>(nullptr));
    default:
      return with(static_cast<float*>(nullptr));
  }
}

Tensor row_major(const Tensor& t) {
  tn_tensor* out = nullptr;
  check(api->tensor_contiguous(t.get(), TN_CONTIGUOUS, &out));
  return Tensor::own(out);
}

// The output itself, or where the caller's lies otherwise or is of another dtype, one to copy from.
Tensor row_major_positions(const Tensor& out) {
  if (out.dtype() == TN_I64 && out.is_contiguous()) return Tensor::share(out.get());
  tn_meta meta{};
  meta.device = out.device();
  meta.dtype = TN_I64;
  meta.layout = TN_STRIDED;
  meta.memory_format = TN_CONTIGUOUS;
  meta.ndim = static_cast<int32_t>(out.dim());
  std::copy(out.sizes().begin(), out.sizes().end(), meta.sizes);
  tn_tensor* made = nullptr;
  check(api->tensor_empty(&meta, &made));
  return Tensor::own(made);
}

template <class Op>
void run(const Tensor& input, std::optional<int64_t> dim, bool, Out out) {
  const Tensor self = row_major(input);
  Geometry g;
  const int64_t ndim = self.dim();
  const int64_t at = dim ? (*dim < 0 ? *dim + ndim : *dim) : -1;
  for (int64_t d = 0; d < ndim; ++d)
    (at < 0 || d == at ? g.n : d < at ? g.outer : g.inner) *= self.sizes()[static_cast<size_t>(d)];
  if (g.outer * g.inner == 0) return;
  const Tensor result = row_major_positions(*out);
  run_typed<Op>(self, g, result.data<int64_t>());
  if (result.get() != out->get()) check(api->tensor_copy(out->get(), result.get()));
}

template <class Op>
void register_one(tn_plugin* plugin) {
  const std::string name = ops::detail::full_name(Op::schema);
  tn_caps caps = TN_INIT(tn_caps);
  caps.flags = TN_CAP_PLAN | TN_CAP_DETERMINISTIC;
  caps.dtypes = Op::dtypes;
  tn::register_kernel<run<Op>>(plugin, name.c_str(), "cpu", caps);
}

}  // namespace

void register_arg_reductions(tn_plugin* plugin) {
  register_one<ops::Argmax>(plugin);
  register_one<ops::Argmin>(plugin);
}

}  // namespace tn::cpu
