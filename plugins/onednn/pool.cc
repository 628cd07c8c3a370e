// Means over windows of a fixed size, and their gradient.
#include "tenon/ops/pool.h"

#include "kernels.h"
#include "primitive.h"
#include "tenon/sdk/entry.h"

namespace onednn {
namespace {

using dnnl::memory;
using tn::Frame;
using tn::Ints;
using tn::Out;
using tn::Tensor;
using tn::ops::PoolShape;

bool accepts_image(const tn_tensor* t) {
  memory::data_type type{};
  return t->dl.ndim == 4 && t->numel > 0 && has_dtype(t->dtype, &type) &&
         t->flags & TN_TENSOR_DENSE;
}
// oneDNN has neither ceil mode nor a divisor of one's own.
int32_t accepts_forward(const tn_frame*, void*, const tn_value* args, uint32_t) {
  return accepts_image(args[0].u.tensor) && !args[4].u.i && args[6].tag == TN_TAG_NONE;
}
int32_t accepts_backward(const tn_frame*, void*, const tn_value* args, uint32_t) {
  return accepts_image(args[0].u.tensor) && accepts_image(args[1].u.tensor) && !args[5].u.i &&
         args[7].tag == TN_TAG_NONE;
}

struct Setting {
  PoolShape s;
  bool include_padding;
  int threads;

  dnnl::algorithm algorithm() const {
    return include_padding ? dnnl::algorithm::pooling_avg_include_padding
                           : dnnl::algorithm::pooling_avg_exclude_padding;
  }
  static memory::dims pair(const int64_t* v) { return {v[0], v[1]}; }
  memory::dims padding_after() const {
    memory::dims after(2);
    for (size_t d = 0; d < 2; ++d)
      after[d] = (s.out[d] - 1) * s.stride[d] + s.kernel[d] - s.in[d] - s.padding[d];
    return after;
  }
  auto forward(const memory::desc& image, const memory::desc& out) const {
    return dnnl::pooling_forward::primitive_desc(
        engine(), dnnl::prop_kind::forward_training, algorithm(), image, out, pair(s.stride),
        pair(s.kernel), {0, 0}, pair(s.padding), padding_after(), user_scratchpad());
  }
  Key key(const char* kind, const tn_tensor* image, const tn_tensor* pooled) const {
    Key k(kind, threads);
    k.add(image);
    k.add(pooled);
    for (const int64_t* v : {s.kernel, s.stride, s.padding}) k.add(v, 2);
    k.add(int64_t{include_padding});
    return k;
  }
};

void avg_pool2d(const Tensor& self, Ints kernel_size, Ints stride, Ints padding, bool, bool include,
                std::optional<int64_t>, Frame& frame, Out out) {
  translated([&] {
    const Setting c{tn::ops::pool_shape(self, kernel_size, stride, padding, {1, 1}, false), include,
                    prepare_threads()};
    const auto primitive = cached(c.key("avg_pool2d", self.get(), out->get()), [&] {
      const auto image = desc_of(self.get()), pooled = desc_of(out->get());
      const auto desc = c.forward(image, pooled);
      return std::make_shared<Primitive>(dnnl::pooling_forward(desc), desc.scratchpad_desc(),
                                         Operands{{DNNL_ARG_SRC, image, image}},
                                         Operands{{DNNL_ARG_DST, pooled, pooled}});
    });
    primitive->execute(frame, {self.get(), out->get()});
  });
}

void avg_pool2d_backward(const Tensor& grad, const Tensor& self, Ints kernel_size, Ints stride,
                         Ints padding, bool, bool include, std::optional<int64_t>, Frame& frame,
                         Out out) {
  translated([&] {
    const Setting c{tn::ops::pool_shape(self, kernel_size, stride, padding, {1, 1}, false), include,
                    prepare_threads()};
    const auto primitive = cached(c.key("avg_pool2d_backward", out->get(), grad.get()), [&] {
      const auto image = desc_of(out->get()), pooled = desc_of(grad.get());
      const dnnl::pooling_backward::primitive_desc desc(
          engine(), c.algorithm(), image, pooled, Setting::pair(c.s.stride),
          Setting::pair(c.s.kernel), {0, 0}, Setting::pair(c.s.padding), c.padding_after(),
          c.forward(image, pooled), user_scratchpad());
      return std::make_shared<Primitive>(dnnl::pooling_backward(desc), desc.scratchpad_desc(),
                                         Operands{{DNNL_ARG_DIFF_DST, pooled, pooled}},
                                         Operands{{DNNL_ARG_DIFF_SRC, image, image}});
    });
    primitive->execute(frame, {grad.get(), out->get()});
  });
}

}  // namespace

void register_pool(tn_plugin* plugin) {
  tn_caps caps = TN_INIT(tn_caps);
  caps.flags = TN_CAP_DETERMINISTIC;
  caps.dtypes = TN_DTYPE_BIT(TN_F32) | TN_DTYPE_BIT(TN_BF16);
  tn::register_kernel<avg_pool2d>(plugin, "avg_pool2d", "cpu", caps, accepts_forward);
  tn::register_kernel<avg_pool2d_backward>(plugin, "avg_pool2d_backward", "cpu", caps,
                                           accepts_backward);
}

}  // namespace onednn
