#include "core/plan.h"

#include <cstring>

#include "core/dtype.h"
#include "core/number.h"
#include "core/tensor.h"

namespace tenon {
namespace {

// Order of two dimensions in a loop nest: negative when `a` belongs further inside. The first
// operand that tells them apart decides; a broadcast dimension does not tell.
int64_t compare_dims(const PlanBuffer& p, int a, int b) {
  for (int i = 0; i < p.noperands; ++i) {
    const int64_t sa = p.strides_[i][a], sb = p.strides_[i][b];
    if (sa == 0 || sb == 0 || sa == sb) continue;
    return sa - sb;
  }
  return 0;
}

void swap_dims(PlanBuffer& p, int a, int b) {
  auto swap = [](int64_t& x, int64_t& y) {
    const int64_t t = x;
    x = y;
    y = t;
  };
  swap(p.shape_[a], p.shape_[b]);
  for (int i = 0; i < p.noperands; ++i) swap(p.strides_[i][a], p.strides_[i][b]);
  const uint64_t bit_a = p.reduced >> a & 1, bit_b = p.reduced >> b & 1;
  p.reduced &= ~(uint64_t{1} << a | uint64_t{1} << b);
  p.reduced |= bit_a << b | bit_b << a;
}

void sort_dims(PlanBuffer& p) {
  for (int i = 1; i < p.ndim; ++i)
    for (int k = i; k > 0 && compare_dims(p, k, k - 1) < 0; --k) swap_dims(p, k, k - 1);
}

// Dimension `outer` continues where `inner` ends, for every operand.
bool mergeable(const PlanBuffer& p, int inner, int outer) {
  if ((p.reduced >> inner & 1) != (p.reduced >> outer & 1)) return false;
  for (int i = 0; i < p.noperands; ++i)
    if (p.strides_[i][outer] != p.shape_[inner] * p.strides_[i][inner]) return false;
  return true;
}

void merge_dims(PlanBuffer& p) {
  if (p.ndim < 2) return;
  int last = 0;
  for (int d = 1; d < p.ndim; ++d) {
    if (mergeable(p, last, d)) {
      p.shape_[last] *= p.shape_[d];
      continue;
    }
    ++last;
    if (last != d) {
      p.shape_[last] = p.shape_[d];
      for (int i = 0; i < p.noperands; ++i) p.strides_[i][last] = p.strides_[i][d];
      const uint64_t bit = p.reduced >> d & 1;
      p.reduced = (p.reduced & ~(uint64_t{1} << last)) | bit << last;
    }
  }
  p.ndim = last + 1;
  p.reduced &= p.ndim == 64 ? ~uint64_t{0} : (uint64_t{1} << p.ndim) - 1;
}

void finish(PlanBuffer& p) {
  uint32_t flags = TN_PLAN_SAME_DTYPE;
  bool dense = p.ndim <= 1;
  for (int i = 0; i < p.noperands; ++i) {
    tn_plan_operand& o = p.operands[i];
    o.strides = p.strides_[i];
    if (o.dtype != p.compute_dtype) flags &= ~TN_PLAN_SAME_DTYPE;
    if (p.ndim == 1 && o.strides[0] != 0 && o.strides[0] != o.element_size) dense = false;
    if (p.ndim == 1 && o.strides[0] == 0 && i < p.noutputs && p.shape_[0] != 1 && !p.reduced)
      dense = false;
  }
  p.flags = dense ? flags | TN_PLAN_CONTIGUOUS : flags;
  p.shape = p.shape_;
}

// All operands are dense in the same order, or numbers: one dimension, however many there were.
bool linear(PlanBuffer& p, const tn_tensor* const* tensors, int32_t ndim, const int64_t* sizes,
            int64_t numel) {
  const tn_tensor* first = tensors[0];
  if (!(first->flags & TN_TENSOR_DENSE)) return false;
  for (int i = 0; i < p.noperands; ++i) {
    const tn_tensor* t = tensors[i];
    if (!t || t == first) continue;
    if (t->dl.ndim != ndim ||
        std::memcmp(t->dl.shape, sizes, static_cast<size_t>(ndim) * sizeof(int64_t)) != 0)
      return false;
    const bool both = t->flags & first->flags & TN_TENSOR_CONTIGUOUS;
    if (!both && std::memcmp(t->dl.strides, first->dl.strides,
                             static_cast<size_t>(ndim) * sizeof(int64_t)) != 0)
      return false;
  }
  p.ndim = 1;
  p.shape_[0] = numel;
  for (int i = 0; i < p.noperands; ++i)
    p.strides_[i][0] = tensors[i] ? p.operands[i].element_size : 0;
  return true;
}

// A stride in bytes. Where there are no elements nothing steps by it, and it is 0: the tensor's may
// be beyond 63 bits.
int64_t in_bytes(int64_t stride, const tn_plan_operand& operand, int64_t numel) {
  return numel == 0 ? 0 : stride * operand.element_size;
}

}  // namespace

tn_status plan_add_number(PlanBuffer& p, const tn_value& number) {
  const int at = p.noperands++;
  tn_plan_operand& o = p.operands[at];
  o.data = p.numbers_[at];
  o.dtype = p.compute_dtype;
  o.flags = 0;
  o.element_size = dtype_size(p.compute_dtype);
  return number_store(number, static_cast<tn_dtype>(p.compute_dtype), o.data);
}

void plan_pointwise(PlanBuffer& p, const tn_tensor* const* tensors, int32_t ndim,
                    const int64_t* sizes) {
  int64_t numel = 1;
  for (int d = 0; d < ndim; ++d) numel *= sizes[d];
  p.numel = numel;
  if (!linear(p, tensors, ndim, sizes, numel)) {
    // Innermost first; dimensions of size 1 need no loop.
    p.ndim = 0;
    for (int d = ndim - 1; d >= 0; --d) {
      if (sizes[d] == 1) continue;
      const int at = p.ndim++;
      p.shape_[at] = sizes[d];
      for (int i = 0; i < p.noperands; ++i) {
        const tn_tensor* t = tensors[i];
        const int own = t ? d - (ndim - t->dl.ndim) : -1;
        p.strides_[i][at] = own < 0 || t->dl.shape[own] == 1
                                ? 0
                                : in_bytes(t->dl.strides[own], p.operands[i], numel);
      }
    }
    sort_dims(p);
    merge_dims(p);
  }
  finish(p);
}

void plan_reduction(PlanBuffer& p, const tn_tensor* input, const int64_t* const* output_strides,
                    uint64_t mask) {
  p.numel = input->numel;
  p.reduced_numel = 1;
  for (int d = input->dl.ndim - 1; d >= 0; --d) {
    const int64_t size = input->dl.shape[d];
    const bool reduced = mask >> d & 1;
    if (reduced) p.reduced_numel *= size;
    if (size == 1) continue;
    const int at = p.ndim++;
    p.shape_[at] = size;
    if (reduced) p.reduced |= uint64_t{1} << at;
    for (int i = 0; i < p.noutputs; ++i)
      p.strides_[i][at] = reduced ? 0 : output_strides[i][d] * p.operands[i].element_size;
    p.strides_[p.noutputs][at] = in_bytes(input->dl.strides[d], p.operands[p.noutputs], p.numel);
  }
  // The input's strides decide: a reduction reads far more than it writes.
  for (int i = 1; i < p.ndim; ++i)
    for (int k = i; k > 0 && p.strides_[p.noutputs][k] < p.strides_[p.noutputs][k - 1]; --k)
      swap_dims(p, k, k - 1);
  merge_dims(p);
  finish(p);
}

}  // namespace tenon
