// Matrix products: sgemm for large plain f32, the matmul primitive for the rest.
#include <algorithm>

#include "crossover.h"
#include "kernels.h"
#include "primitive.h"
#include "tenon/sdk/entry.h"

namespace onednn {
namespace {

using tn::Frame;
using tn::Out;
using tn::Scalar;
using tn::Tensor;

const tn_tensor* tensor_at(const tn_value* args, int i) {
  return args[i].tag == TN_TAG_TENSOR ? args[i].u.tensor : nullptr;
}

// One of the last two dimensions has stride 1 and the other steps over it, as BLAS and oneDNN want.
bool is_plain(const tn_tensor* t) {
  const int32_t n = t->dl.ndim;
  const int64_t *size = t->dl.shape + n - 2, *stride = t->dl.strides + n - 2;
  return (stride[1] == 1 && stride[0] >= std::max<int64_t>(size[1], 1)) ||
         (stride[0] == 1 && stride[1] >= std::max<int64_t>(size[0], 1));
}
bool are_fit(const tn_tensor* a, const tn_tensor* b, int32_t rank) {
  dnnl::memory::data_type type{};
  return a && b && a->dl.ndim == rank && b->dl.ndim == rank && a->dtype == b->dtype &&
         has_dtype(a->dtype, &type) && a->numel > 0 && b->numel > 0 && is_plain(a) && is_plain(b) &&
         !is_faster_elsewhere(a, b);
}

template <int32_t rank>
int32_t accepts_product(const tn_frame*, void*, const tn_value* args, uint32_t) {
  return are_fit(tensor_at(args, 0), tensor_at(args, 1), rank);
}

// A row of numbers added to every row of the product.
int32_t accepts_addmm(const tn_frame*, void*, const tn_value* args, uint32_t) {
  const tn_tensor *bias = tensor_at(args, 0), *a = tensor_at(args, 1), *b = tensor_at(args, 2);
  if (!are_fit(a, b, 2) || Scalar(args[3]).real() != 1 || Scalar(args[4]).real() != 1) return 0;
  const int32_t n = bias->dl.ndim;
  return bias->dtype == a->dtype && (n == 1 || (n == 2 && bias->dl.shape[0] == 1)) &&
         bias->dl.shape[n - 1] == b->dl.shape[1] &&
         (bias->dl.strides[n - 1] == 1 || bias->dl.shape[n - 1] == 1);
}

// Where oneDNN's BLAS beats its matmul primitive.
bool wants_sgemm(const tn_tensor* a, const tn_tensor* b, const tn_tensor* out) {
  constexpr int64_t least = 1024;
  return a->dtype == TN_F32 && a->dl.ndim == 2 && out->dl.shape[0] >= least &&
         out->dl.shape[1] >= least && a->dl.shape[1] >= least && b->dl.strides[1] == 1 &&
         out->dl.strides[1] == 1;
}
void sgemm(const tn_tensor* a, const tn_tensor* b, const tn_tensor* out) {
  const bool transposed = a->dl.strides[1] != 1;
  const dnnl_status_t status =
      dnnl_sgemm(transposed ? 'T' : 'N', 'N', out->dl.shape[0], out->dl.shape[1], a->dl.shape[1],
                 1.0f, static_cast<const float*>(a->dl.data), a->dl.strides[transposed ? 1 : 0],
                 static_cast<const float*>(b->dl.data), b->dl.strides[0], 0.0f,
                 static_cast<float*>(out->dl.data), out->dl.strides[0]);
  if (status != dnnl_success) throw dnnl::error(status, "sgemm failed");
}

void product(const Frame& frame, const tn_tensor* a, const tn_tensor* b, const tn_tensor* bias,
             const tn_tensor* out) {
  translated([&] {
    const int threads = prepare_threads();
    if (!bias && wants_sgemm(a, b, out)) return sgemm(a, b, out);
    Key key("matmul", threads);
    for (const tn_tensor* t : {a, b, out}) key.add(t);
    key.add(int64_t{bias != nullptr});
    const auto primitive = cached(key, [&] {
      const auto left = desc_of(a), right = desc_of(b), made = desc_of(out);
      dnnl::memory::desc row;
      if (bias)
        row = {{1, out->dl.shape[1]}, desc_of(bias).get_data_type(), dnnl::memory::format_tag::ab};
      const auto desc =
          bias ? dnnl::matmul::primitive_desc(engine(), left, right, row, made, user_scratchpad())
               : dnnl::matmul::primitive_desc(engine(), left, right, made, user_scratchpad());
      return std::make_shared<Primitive>(dnnl::matmul(desc), desc.scratchpad_desc(),
                                         Operands{{DNNL_ARG_SRC, left, left},
                                                  {DNNL_ARG_WEIGHTS, right, right},
                                                  {DNNL_ARG_BIAS, row, row}},
                                         Operands{{DNNL_ARG_DST, made, made}});
    });
    primitive->execute(frame, {a, b, bias, out});
  });
}

// A given output may lie on any strides, which no accepts function sees.
void into(const Frame& frame, const Tensor& a, const Tensor& b, const tn_tensor* bias,
          const Tensor& out) {
  if (out.numel() == 0) return;
  if (is_plain(out.get())) return product(frame, a.get(), b.get(), bias, out.get());
  tn_meta meta{};
  meta.device = out.device();
  meta.dtype = static_cast<uint16_t>(out.dtype());
  meta.ndim = static_cast<int32_t>(out.dim());
  std::copy(out.sizes().begin(), out.sizes().end(), meta.sizes);
  tn_tensor* plain = nullptr;
  tn::check(tn::api->tensor_empty(&meta, &plain));
  const Tensor owned = Tensor::own(plain);
  product(frame, a.get(), b.get(), bias, plain);
  tn::check(tn::api->tensor_copy(out.get(), plain));
}

void mm(const Tensor& self, const Tensor& mat2, Frame& frame, Out out) {
  into(frame, self, mat2, nullptr, *out);
}
void addmm(const Tensor& self, const Tensor& mat1, const Tensor& mat2, const Scalar&, const Scalar&,
           Frame& frame, Out out) {
  into(frame, mat1, mat2, self.get(), *out);
}

}  // namespace

void register_matmul(tn_plugin* plugin) {
  tn_caps caps = TN_INIT(tn_caps);
  caps.flags = TN_CAP_DETERMINISTIC;
  caps.dtypes = TN_DTYPE_BIT(TN_F32) | TN_DTYPE_BIT(TN_BF16);
  tn::register_kernel<mm>(plugin, "mm", "cpu", caps, accepts_product<2>);
  tn::register_kernel<mm>(plugin, "bmm", "cpu", caps, accepts_product<3>);
  tn::register_kernel<addmm>(plugin, "addmm", "cpu", caps, accepts_addmm);
}

}  // namespace onednn
