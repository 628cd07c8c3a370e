// copy_: any dtype and strides to any other.
#include <tenon/ops/fill.h>

#include <algorithm>
#include <cstring>

#include "convert.h"
#include "element.h"
#include "kernels.h"
#include "parallel.h"
#include "stream.h"
#include "transpose.h"

namespace tn::cpu {
namespace {

struct Side {
  char* data;
  tn_dtype dtype;
  int64_t size;
  const int64_t* strides;
};
Side side(const tn_plan_operand& o) {
  return {static_cast<char*>(o.data), static_cast<tn_dtype>(o.dtype), o.element_size, o.strides};
}

void copy_dense(const Side& to, const Side& from, int64_t numel) {
  if (to.dtype == from.dtype) {
    if (to.data == from.data) return;
    const int64_t n = numel * to.size;
    if (n < kStreamBytes) {
      std::memcpy(to.data, from.data, static_cast<size_t>(n));
      return;
    }
    return parallel_for(n, kStreamBytes / 16, kVectorBytes, [&](int64_t begin, int64_t end) {
      stream_bytes(to.data + begin, from.data + begin, end - begin);
      _mm_sfence();
    });
  }
  const ConvertFn convert = convert_function(to.dtype, from.dtype);
  parallel_for(numel, kGrain, kVectorBytes, [&](int64_t begin, int64_t end) {
    convert(to.data + begin * to.size, to.size, from.data + begin * from.size, from.size,
            end - begin);
  });
}

// The dimension along which the source is dense while the target is dense along the first; 0: none.
int transposed_dim(const tn_plan& plan, const Side& to, const Side& from) {
  if (plan.ndim < 2 || to.strides[0] != to.size || from.strides[0] == from.size ||
      plan.shape[0] < 8)
    return 0;
  for (int d = 1; d < plan.ndim; ++d)
    if (from.strides[d] == from.size && plan.shape[d] >= 8) return d;
  return 0;
}

// Calls f(to, from) for every index of the dimensions that are neither 0 nor `skipped`.
struct Outer {
  const tn_plan& plan;
  const Side &to, &from;
  int skipped;
  int64_t count() const {
    int64_t n = 1;
    for (int d = 1; d < plan.ndim; ++d)
      if (d != skipped) n *= plan.shape[d];
    return n;
  }
  void locate(int64_t index, char** t, const char** f) const {
    *t = to.data;
    *f = from.data;
    for (int d = 1; d < plan.ndim; ++d) {
      if (d == skipped) continue;
      const int64_t at = index % plan.shape[d];
      index /= plan.shape[d];
      *t += at * to.strides[d];
      *f += at * from.strides[d];
    }
  }
};

void copy_plan(const tn_plan& plan) {
  const Side to = side(plan.operands[0]), from = side(plan.operands[plan.noperands - 1]);
  if (plan.numel == 0) return;
  const bool dense = plan.ndim == 0 ||
                     (plan.ndim == 1 && to.strides[0] == to.size && from.strides[0] == from.size);
  if (dense) return copy_dense(to, from, plan.numel);
  const ConvertFn convert = convert_function(to.dtype, from.dtype);
  if (const int d = transposed_dim(plan, to, from)) {
    const Outer outer{plan, to, from, d};
    const Transpose planes{plan.shape[0],
                           plan.shape[d],
                           to.strides[d],
                           from.strides[0],
                           to.size,
                           from.size,
                           convert,
                           to.dtype == from.dtype,
                           plan.numel * to.size >= kStreamBytes};
    const int64_t bands = planes.bands();
    return parallel_for(outer.count() * bands, std::max<int64_t>(1, kGrain / planes.band_size()),
                        [&](int64_t begin, int64_t end) {
                          for (int64_t i = begin; i < end; ++i) {
                            char* t;
                            const char* f;
                            outer.locate(i / bands, &t, &f);
                            planes.run(t, f, i % bands);
                          }
                        });
  }
  const Outer outer{plan, to, from, 0};
  const int64_t length = plan.shape[0];
  if (outer.count() == 1) {
    return parallel_for(length, kGrain, kVectorBytes, [&](int64_t begin, int64_t end) {
      convert(to.data + begin * to.strides[0], to.strides[0], from.data + begin * from.strides[0],
              from.strides[0], end - begin);
    });
  }
  parallel_for(outer.count(), std::max<int64_t>(1, kGrain / length),
               [&](int64_t begin, int64_t end) {
                 for (int64_t row = begin; row < end; ++row) {
                   char* t;
                   const char* f;
                   outer.locate(row, &t, &f);
                   convert(t, to.strides[0], f, from.strides[0], length);
                 }
               });
}

tn_status copy_kernel(tn_frame* frame, void*, const tn_value*, uint32_t, tn_value*,
                      uint32_t) noexcept {
  copy_plan(*frame->plan);
  return nullptr;
}

}  // namespace

void register_copy(tn_plugin* plugin) {
  tn_kernel_desc desc = TN_INIT(tn_kernel_desc);
  desc.op = "copy_";
  desc.device = "cpu";
  desc.fn = copy_kernel;
  desc.caps = TN_INIT(tn_caps);
  desc.caps.flags = TN_CAP_PLAN | TN_CAP_ALIAS_SAFE | TN_CAP_DETERMINISTIC;
  desc.caps.dtypes = ops::Copy::dtypes;
  check(api->register_kernel(plugin, &desc));
}

}  // namespace tn::cpu
