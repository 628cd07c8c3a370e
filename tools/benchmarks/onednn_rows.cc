// The same products and convolutions by oneDNN itself, with weights in the layout that it prefers:
// what a layer in front of it can reach at best.
#include <cstring>
#include <memory>
#include <stdexcept>
#include <unordered_map>
#include <vector>

#include <oneapi/dnnl/dnnl.h>
#include <oneapi/dnnl/dnnl.hpp>

#include "row.h"

namespace {

using dnnl::memory;
using Tag = memory::format_tag;
using Type = memory::data_type;

const dnnl::engine& engine() {
  static const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  return cpu;
}

// Every byte 0x3f: numbers near 0.75 in f32 and in bf16.
memory filled(const memory::desc& desc) {
  memory m(desc, engine());
  std::memset(m.get_data_handle(), 0x3f, desc.get_size());
  return m;
}

// Runs the primitive of `desc`, whose inputs and output are source, weights and destination.
template <class Primitive>
bench::Work work(const typename Primitive::primitive_desc& desc) {
  const auto stream = std::make_shared<dnnl::stream>(engine());
  const std::unordered_map<int, memory> arguments = {
      {DNNL_ARG_SRC, filled(desc.src_desc())},
      {DNNL_ARG_WEIGHTS, filled(desc.weights_desc())},
      {DNNL_ARG_DST, filled(desc.dst_desc())},
  };
  return [stream, arguments, primitive = Primitive(desc)] {
    primitive.execute(*stream, arguments);
    stream->wait();
  };
}

void packed(const char* name, int64_t m, int64_t n, int64_t k, Type type) {
  bench::row(name, [=] {
    return work<dnnl::matmul>(dnnl::matmul::primitive_desc(
        engine(), {{m, k}, type, Tag::ab}, {{k, n}, type, Tag::any}, {{m, n}, type, Tag::ab}));
  });
}

void sgemm(const char* name, int64_t size) {
  bench::row(name, [=] {
    const auto matrix = [=] {
      return std::make_shared<std::vector<float>>(static_cast<size_t>(size * size), 0.75F);
    };
    return [=, a = matrix(), b = matrix(), c = matrix()] {
      if (dnnl_sgemm('N', 'N', size, size, size, 1, a->data(), size, b->data(), size, 0, c->data(),
                     size) != dnnl_success)
        throw std::runtime_error("dnnl_sgemm failed");
    };
  });
}

// 3x3, padding 1, channels last, a batch of 8.
void conv(const char* name, int64_t channels, int64_t size, Type type) {
  bench::row(name, [=] {
    const memory::desc image({8, channels, size, size}, type, Tag::nhwc);
    return work<dnnl::convolution_forward>(dnnl::convolution_forward::primitive_desc(
        engine(), dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_auto, image,
        {{channels, channels, 3, 3}, type, Tag::any}, image, {1, 1}, {1, 1}, {1, 1}));
  });
}

}  // namespace

int main(int argc, char** argv) {
  // A name's part after the colon tells variants of one row apart.
  sgemm("gemm/f32_2048:sgemm", 2048);
  packed("gemm/f32_2048:packed", 2048, 2048, 2048, Type::f32);
  sgemm("gemm/f32_512:sgemm", 512);
  packed("gemm/f32_512:packed", 512, 512, 512, Type::f32);
  packed("gemm/bf16_2048:packed", 2048, 2048, 2048, Type::bf16);
  packed("gemm/linear_m1:packed", 1, 4096, 4096, Type::f32);
  packed("gemm/linear_m32:packed", 32, 4096, 4096, Type::f32);

  for (const char* name : {"conv/64x56_f32", "conv/64x56_f32_row_major"})
    conv(name, 64, 56, Type::f32);
  conv("conv/64x56_bf16", 64, 56, Type::bf16);
  for (const char* name : {"conv/256x14_f32", "conv/256x14_f32_row_major"})
    conv(name, 256, 14, Type::f32);
  conv("conv/256x14_bf16", 256, 14, Type::bf16);
  return bench::run(argc, argv);
}
