#include "runtime.h"

#include <omp.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <memory>

namespace onednn {
namespace {

std::atomic<bool> forked{false};

}  // namespace

const dnnl::engine& engine() {
  static const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  return cpu;
}

dnnl::stream& stream() {
  // Heap memory behind a pointer: thread-local storage of plugins is scarce. One per thread, small,
  // kept.
  thread_local std::unique_ptr<dnnl::stream> own;
  if (!own) own = std::make_unique<dnnl::stream>(engine());
  return *own;
}

int prepare_threads() {
  static const int installed = pthread_atfork(nullptr, nullptr, [] { forked = true; });
  const bool serial = installed != 0 || forked.load(std::memory_order_relaxed) || omp_in_parallel();
  const int count = serial ? 1 : std::max(1, tn::api->num_threads());
  if (omp_get_max_threads() != count) omp_set_num_threads(count);
  return count;
}

bool has_dtype(int dtype, dnnl::memory::data_type* out) {
  if (dtype == TN_F32) return *out = dnnl::memory::data_type::f32, true;
  // Without AVX-512, bf16 is emulated and slower than converting.
  static const bool bf16 = [] {
    const auto isa = static_cast<unsigned>(dnnl::get_effective_cpu_isa());
    const auto wanted = static_cast<unsigned>(dnnl::cpu_isa::avx512_core);
    return (isa & wanted) == wanted;
  }();
  if (dtype == TN_BF16 && bf16) return *out = dnnl::memory::data_type::bf16, true;
  return false;
}

dnnl::memory::desc desc_of(const tn_tensor* t) {
  dnnl::memory::data_type type{};
  has_dtype(t->dtype, &type);
  return {dnnl::memory::dims(t->dl.shape, t->dl.shape + t->dl.ndim), type,
          dnnl::memory::dims(t->dl.strides, t->dl.strides + t->dl.ndim)};
}

}  // namespace onednn
