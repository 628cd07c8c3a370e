#include "runtime.h"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <new>

#include "tenon/sdk/fork.h"

namespace onednn {
namespace {

std::atomic<bool> forked{false};

// Without AVX-512, bf16 is emulated and slower than converting.
bool computes_bf16() {
  static const bool does = [] {
    const auto isa = static_cast<unsigned>(dnnl::get_effective_cpu_isa());
    const auto wanted = static_cast<unsigned>(dnnl::cpu_isa::avx512_core);
    return (isa & wanted) == wanted;
  }();
  return does;
}

}  // namespace

const dnnl::engine& engine() {
  static const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  return cpu;
}

dnnl::stream& stream() {
  // One per thread, small, kept. No thread_local: without memory for that of a library loaded at
  // run time, the dynamic loader ends the process.
  static const pthread_key_t key = [] {
    pthread_key_t made;
    const auto destroy = [](void* own) { delete static_cast<dnnl::stream*>(own); };
    if (pthread_key_create(&made, destroy) != 0)
      tn::fail(TN_RUNTIME_ERROR, "onednn finds no key for its streams of threads");
    return made;
  }();
  if (void* own = pthread_getspecific(key)) return *static_cast<dnnl::stream*>(own);
  auto made = std::make_unique<dnnl::stream>(engine());
  if (pthread_setspecific(key, made.get()) != 0) throw std::bad_alloc();
  return *made.release();
}

void prepare_forks(tn_plugin* plugin) {
  tn::call_in_children(plugin, [] { forked = true; });
  // Statics that calls would make, and a fork could fall into.
  engine();
  computes_bf16();
}

int prepare_threads() {
  const bool serial = forked.load(std::memory_order_relaxed) || omp_in_parallel();
  const int count = serial ? 1 : std::max(1, tn::api->num_threads());
  if (omp_get_max_threads() != count) omp_set_num_threads(count);
  return count;
}

bool has_dtype(int dtype, dnnl::memory::data_type* out) {
  if (dtype == TN_F32) return *out = dnnl::memory::data_type::f32, true;
  if (dtype == TN_BF16 && computes_bf16()) return *out = dnnl::memory::data_type::bf16, true;
  return false;
}

dnnl::memory::desc desc_of(const tn_tensor* t) {
  dnnl::memory::data_type type{};
  has_dtype(t->dtype, &type);
  return {dnnl::memory::dims(t->dl.shape, t->dl.shape + t->dl.ndim), type,
          dnnl::memory::dims(t->dl.strides, t->dl.strides + t->dl.ndim)};
}

}  // namespace onednn
