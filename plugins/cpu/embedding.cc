// Rows of a table by index, and the sum of gradients into the rows.
#include "tenon/ops/embedding.h"

#include <numeric>

#include "float_types.h"
#include "gemm.h"
#include "kernels.h"
#include "parallel.h"
#include "row.h"
#include "stream.h"
#include "tenon/sdk/entry.h"

namespace tn::cpu {
namespace {

// The indices as i64, checked to lie in [0, rows).
const int64_t* checked(Frame& frame, const Tensor& indices, int64_t rows) {
  const int64_t count = indices.numel();
  const int64_t* list = indices.dtype() == TN_I64 ? indices.data<int64_t>() : nullptr;
  if (!list) {
    int64_t* const copy = frame.scratch<int64_t>(static_cast<size_t>(count));
    std::copy(indices.data<int32_t>(), indices.data<int32_t>() + count, copy);
    list = copy;
  }
  for (int64_t i = 0; i < count; ++i)
    if (list[i] < 0 || list[i] >= rows)
      fail(TN_INDEX_ERROR, "indices must lie in [0, %lld), the table's rows; got %lld",
           static_cast<long long>(rows), static_cast<long long>(list[i]));
  return list;
}

void embedding(const Tensor& weight, const Tensor& indices, int64_t, bool, bool, Frame& frame,
               Out out) {
  const int64_t* const list = checked(frame, indices, weight.size(0));
  const int64_t bytes = weight.size(1) * static_cast<int64_t>(api->dtype_size(weight.dtype()));
  if (bytes == 0) return;
  const char* const from = weight.data<char>();
  char* const to = out->data<char>();
  parallel_for(indices.numel(), std::max<int64_t>(1, 4 * kGrain / bytes),
               [&](int64_t begin, int64_t end) {
                 gather_rows(to, bytes, begin, end, indices.numel() * bytes,
                             [&](int64_t i) { return from + list[i] * bytes; });
               });
}

// Each thread owns some rows of the table and adds what belongs to them in the order of the
// indices. A row has `width` numbers: complex ones count as two.
template <class E>
void add_rows(Frame& frame, const Tensor& grad, const int64_t* list, int64_t count, int64_t padding,
              bool by_frequency, const Tensor& out, int64_t width) {
  using T = Sum<E>;
  const int64_t rows = out.size(0);
  // Positions grouped by row: order[start[r]..start[r + 1]).
  int64_t* const start = frame.scratch<int64_t>(static_cast<size_t>(rows + 1));
  int64_t* const order = frame.scratch<int64_t>(static_cast<size_t>(count));
  std::fill(start, start + rows + 1, 0);
  for (int64_t i = 0; i < count; ++i) ++start[list[i] + 1];
  std::partial_sum(start, start + rows + 1, start);
  int64_t* const next = frame.scratch<int64_t>(static_cast<size_t>(rows));
  std::copy(start, start + rows, next);
  for (int64_t i = 0; i < count; ++i) order[next[list[i]]++] = i;

  parallel_for(rows, std::max<int64_t>(1, kGrain / std::max<int64_t>(1, width)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t r = begin; r < end; ++r) {
                   const int64_t first = start[r], last = r == padding ? first : start[r + 1];
                   const Vec<T> scale(
                       by_frequency && last > first ? T(1) / static_cast<T>(last - first) : T(1));
                   by_vector<T>(width, [&](int64_t j, auto n) {
                     Vec<T> sum(0);
                     for (int64_t i = first; i < last; ++i)
                       sum = sum + get<T>(grad.data<E>() + order[i] * width + j, n);
                     put(sum * scale, out.data<E>() + r * width + j, n);
                   });
                 }
               });
}

void embedding_dense_backward(const Tensor& grad, const Tensor& indices, int64_t num_weights,
                              int64_t padding_idx, bool scale_grad_by_freq, Frame& frame, Out out) {
  const int64_t* const list = checked(frame, indices, num_weights);
  if (out->numel() == 0) return;  // however many rows of nothing there are
  const DType dtype = grad.dtype();
  const DType part = dtype == TN_C64 ? TN_F32 : dtype == TN_C128 ? TN_F64 : dtype;
  with_float(part, [&](auto e) {
    add_rows<decltype(e)>(frame, grad, list, indices.numel(), padding_idx, scale_grad_by_freq, *out,
                          out->size(1) * (part == dtype ? 1 : 2));
  });
}

}  // namespace

void register_embedding(tn_plugin* plugin) {
  tn_caps caps = TN_INIT(tn_caps);
  caps.flags = TN_CAP_DETERMINISTIC | TN_CAP_CONTIGUOUS;
  register_kernel<embedding>(plugin, "embedding", "cpu", caps);
  caps.dtypes = kFloatDtypes | TN_DTYPE_BIT(TN_C64) | TN_DTYPE_BIT(TN_C128) | TN_DTYPE_BIT(TN_I64) |
                TN_DTYPE_BIT(TN_I32);  // the indices
  register_kernel<embedding_dense_backward>(plugin, "embedding_dense_backward", "cpu", caps);
}

}  // namespace tn::cpu
