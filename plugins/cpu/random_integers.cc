// randint and randperm.
//
// Both take two 32-bit words of the Philox stream a number: element i of randint, in row-major
// order, is made from words 2i and 2i + 1.
#include <numeric>
#include <vector>

#include <tenon/ops/cast.h>
#include <tenon/sdk/entry.h>

#include "element_types.h"
#include "kernels.h"
#include "philox.h"
#include "walk.h"

namespace tn::cpu {
namespace {

constexpr int kPerBatch = kPhiloxWords / 2;

tn_philox reserve(const Frame& frame, tn_object* generator, int64_t numbers) {
  tn_philox state{};
  check(api->generator_reserve(generator, frame.raw->device,
                               static_cast<uint64_t>((numbers + 1) / 2), &state));
  return state;
}

// Calls f(i, word) with 64 random bits for each i in [begin, end); begin is a multiple of
// kPerBatch.
template <class F>
void each_word(const tn_philox& state, int64_t begin, int64_t end, F&& f) {
  uint32_t words[kPhiloxWords];
  for (int64_t i = begin; i < end; i += kPerBatch) {
    philox(state.seed, state.offset + static_cast<uint64_t>(i / 2), words);
    const int count = static_cast<int>(std::min<int64_t>(kPerBatch, end - i));
    for (int k = 0; k < count; ++k) f(i + k, uint64_t{words[2 * k]} << 32 | words[2 * k + 1]);
  }
}

// The upper half of the product of a random 64-bit word and `range`: uniform in [0, range) but for
// a bias below range / 2^64 (Lemire, 2019, without the rejection step, so that each element has its
// word).
uint64_t below(uint64_t range, uint64_t word) {
  return static_cast<uint64_t>(static_cast<unsigned __int128>(word) * range >> 64);
}

void randint(Frame& frame, int64_t low, int64_t high, Ints size, std::optional<DType>,
             std::optional<Device>, tn_object* generator, Out out) {
  if (out->numel() == 0) return;
  const uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  const tn_philox state = reserve(frame, generator, out->numel());
  with_number(out->dtype(), [&](auto type) {
    using T = decltype(type);
    auto number = [=](uint64_t word) {
      return ops::cast<T>(static_cast<int64_t>(static_cast<uint64_t>(low) + below(range, word)));
    };
    if (out->is_contiguous()) {
      T* to = out->data<T>();
      parallel_for(out->numel(), kGrain / 4, kPerBatch, [&](int64_t begin, int64_t end) {
        each_word(state, begin, end, [&](int64_t i, uint64_t word) { to[i] = number(word); });
      });
      return;
    }
    std::vector<T> numbers(static_cast<size_t>(out->numel()));
    each_word(state, 0, out->numel(),
              [&](int64_t i, uint64_t word) { numbers[static_cast<size_t>(i)] = number(word); });
    Walk<1> walk(size);
    walk.operand(0, out->strides());
    size_t next = 0;
    walk.lines([&](int64_t count, auto at, auto step) {
      for (int64_t i = 0; i < count; ++i) out->data<T>()[at[0] + i * step[0]] = numbers[next++];
    });
  });
}

// Fisher and Yates, from the end.
void randperm(Frame& frame, int64_t n, std::optional<DType>, std::optional<Device>,
              tn_object* generator, Out out) {
  if (n == 0) return;
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  each_word(reserve(frame, generator, n), 0, n - 1, [&](int64_t i, uint64_t word) {
    const size_t last = static_cast<size_t>(n - 1 - i);
    std::swap(order[last], order[below(last + 1, word)]);
  });
  with_number(out->dtype(), [&](auto type) {
    using T = decltype(type);
    for (int64_t i = 0; i < n; ++i)
      out->data<T>()[i * out->stride(0)] = ops::cast<T>(order[static_cast<size_t>(i)]);
  });
}

}  // namespace

void register_random_integers(tn_plugin* plugin) {
  tn_caps caps = TN_INIT(tn_caps);
  caps.flags = TN_CAP_DETERMINISTIC;
  register_kernel<randint>(plugin, "randint.low", "cpu", caps);
  register_kernel<randperm>(plugin, "randperm", "cpu", caps);
}

}  // namespace tn::cpu
