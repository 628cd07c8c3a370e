// What the machine can do, measured without Tenon: the limits that rows are compared with.
//
// Arithmetic and memory are measured on all cores by the loops that a compiler cannot shorten;
// calls on one.
#include <dlfcn.h>
#include <immintrin.h>
#include <omp.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <stdexcept>

#include "row.h"

namespace {

// ---- arithmetic
// ----------------------------------------------------------------------------------

// Chains of dependent operations, enough of them to fill the pipelines of both ports.
constexpr int kChains = 12;
constexpr int64_t kRounds = 400'000;

__attribute__((target("avx512f"))) void fma_avx512() {
  __m512 sums[kChains];
  for (auto& sum : sums) sum = _mm512_set1_ps(1);
  const __m512 factor = _mm512_set1_ps(0.999F), term = _mm512_set1_ps(0.001F);
  for (int64_t i = 0; i < kRounds; ++i) {
#pragma GCC unroll 12
    for (auto& sum : sums) sum = _mm512_fmadd_ps(sum, factor, term);
  }
  for (auto& sum : sums) benchmark::DoNotOptimize(sum);
}

__attribute__((target("avx2,fma"))) void fma_avx2() {
  __m256 sums[kChains];
  for (auto& sum : sums) sum = _mm256_set1_ps(1);
  const __m256 factor = _mm256_set1_ps(0.999F), term = _mm256_set1_ps(0.001F);
  for (int64_t i = 0; i < kRounds; ++i) {
#pragma GCC unroll 12
    for (auto& sum : sums) sum = _mm256_fmadd_ps(sum, factor, term);
  }
  for (auto& sum : sums) benchmark::DoNotOptimize(sum);
}

__attribute__((target("avx512f,avx512bf16"))) void dot_bf16() {
  __m512 sums[kChains];
  for (auto& sum : sums) sum = _mm512_set1_ps(0);
  const __m512bh pairs = _mm512_cvtne2ps_pbh(_mm512_set1_ps(0.5F), _mm512_set1_ps(0.25F));
  for (int64_t i = 0; i < kRounds; ++i) {
#pragma GCC unroll 12
    for (auto& sum : sums) sum = _mm512_dpbf16_ps(sum, pairs, pairs);
  }
  for (auto& sum : sums) benchmark::DoNotOptimize(sum);
}

void compute(const char* name, void (*loop)(), int64_t flops_each) {
  const double flops = static_cast<double>(kRounds) * kChains * static_cast<double>(flops_each);
  bench::row(
      name,
      [loop] {
        return [loop] {
#pragma omp parallel
          loop();
        };
      },
      flops * omp_get_max_threads());
}

// ---- memory
// --------------------------------------------------------------------------------------

// Floats on huge pages, as large buffers of a well-tuned program are.
class Buffer {
 public:
  explicit Buffer(int64_t count) : bytes_(static_cast<size_t>(count) * sizeof(float)) {
    void* memory = nullptr;
    if (posix_memalign(&memory, size_t{2} << 20, bytes_) != 0)
      throw std::runtime_error("no memory for the buffers");
    madvise(memory, bytes_, MADV_HUGEPAGE);
    data_.reset(static_cast<float*>(memory));
#pragma omp parallel for
    for (int64_t i = 0; i < count; ++i) data_[i] = 1;
  }
  float* data() const {
    return data_.get();
  }

 private:
  struct Free {
    void operator()(float* memory) const { std::free(memory); }
  };
  size_t bytes_;
  std::unique_ptr<float[], Free> data_;
};

// Each works on `count` floats, a multiple of 32, at 64-byte boundaries.
using Loop = void (*)(float* out, const float* a, const float* b, int64_t count);

__attribute__((target("avx2"))) void read(float*, const float* a, const float*, int64_t count) {
  __m256 sums[4] = {};
  for (int64_t i = 0; i < count; i += 32) {
#pragma GCC unroll 4
    for (int64_t j = 0; j < 4; ++j) sums[j] = _mm256_add_ps(sums[j], _mm256_load_ps(a + i + 8 * j));
  }
  for (auto& sum : sums) benchmark::DoNotOptimize(sum);
}

template <bool non_temporal>
__attribute__((target("avx2"))) void store(float* out, __m256 value) {
  if constexpr (non_temporal)
    _mm256_stream_ps(out, value);
  else
    _mm256_store_ps(out, value);
}

template <bool non_temporal>
__attribute__((target("avx2"))) void copy(float* out, const float* a, const float*, int64_t count) {
  for (int64_t i = 0; i < count; i += 8) store<non_temporal>(out + i, _mm256_load_ps(a + i));
  _mm_sfence();
}

__attribute__((target("avx2"))) void add(float* out, const float* a, const float* b,
                                         int64_t count) {
  for (int64_t i = 0; i < count; i += 8)
    store<true>(out + i, _mm256_add_ps(_mm256_load_ps(a + i), _mm256_load_ps(b + i)));
  _mm_sfence();
}

void memory(const char* name, Loop loop, int64_t count, int arrays) {
  bench::row(
      name,
      [loop, count] {
        const auto out = std::make_shared<Buffer>(count), a = std::make_shared<Buffer>(count),
                   b = std::make_shared<Buffer>(count);
        return [=] {
#pragma omp parallel
          {
            const int64_t units = count / 32;
            const int64_t begin = units * omp_get_thread_num() / omp_get_num_threads() * 32;
            const int64_t end = units * (omp_get_thread_num() + 1) / omp_get_num_threads() * 32;
            loop(out->data() + begin, a->data() + begin, b->data() + begin, end - begin);
          }
        };
      },
      static_cast<double>(count) * sizeof(float) * arrays);
}

// ---- calls
// ---------------------------------------------------------------------------------------

// A function of another library, reached through a pointer.
using Function = int (*)(int);

// The least that an operator call does: one call into the library, one from there into the plugin
// with the kernel, and with `allocates` a tensor and its memory made and freed.
void call(const char* name, bool allocates) {
  bench::row(name, [allocates] {
    const auto function = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, "abs"));
    if (!function) throw std::runtime_error(dlerror());
    return [function, allocates] {
      for (int times = 0; times < 2; ++times) {
        void* block = allocates ? std::malloc(64) : nullptr;
        benchmark::DoNotOptimize(block);
        benchmark::DoNotOptimize(function(times));
        std::free(block);
      }
    };
  });
}

}  // namespace

int main(int argc, char** argv) {
  const bool avx512 = __builtin_cpu_supports("avx512f");
  compute("fma_f32", avx512 ? fma_avx512 : fma_avx2, avx512 ? 32 : 16);
  if (__builtin_cpu_supports("avx512bf16")) compute("fma_bf16", dot_bf16, 64);

  constexpr int64_t kLarge = 16 << 20, kCached = 4 << 20;
  memory("read", read, kLarge, 1);
  memory("copy", copy<false>, kLarge, 2);
  memory("copy_non_temporal", copy<true>, kLarge, 2);
  memory("add_non_temporal", add, kLarge, 3);
  memory("copy_16mib", copy<false>, kCached, 2);

  call("call", false);
  call("call_allocating", true);
  return bench::run(argc, argv);
}
