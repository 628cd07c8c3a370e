// Tensors themselves: life, views, versions, slots, random numbers (rules 8 to 10 and 21 of the
// hard cases).
#include <algorithm>
#include <atomic>
#include <random>
#include <thread>

#include "fixture.h"

namespace tn::test {
namespace {

using Memory = Dispatch;

TEST_F(Memory, rule_8_a_million_narrowings_keep_one_storage_and_no_chain) {
  Tensor x = f32({1 << 20});
  const uint64_t before = api->tensor_live_count();
  Tensor root = x;
  for (int64_t n = (1 << 20) - 1; n > 0; --n) x = view(x, {n}, {1}, x.storage_offset() + 1);
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{(1 << 20) - 1}));
  EXPECT_EQ(api->tensor_root(x.get()), root.get());
  EXPECT_EQ(api->tensor_live_count(), before + 1);
}

TEST_F(Memory, rule_8_a_view_of_a_view_has_the_root) {
  Tensor a = f32({4}), b = view(a, {3}, {1}, 1), c = view(b, {2}, {1}, 2);
  EXPECT_EQ(api->tensor_root(c.get()), a.get());
  tn_tensor* detached = nullptr;
  check(api->tensor_shallow(c.get(), &detached));
  EXPECT_EQ(api->tensor_root(detached), nullptr);
  EXPECT_EQ(api->tensor_version(detached), a.version());
  api->tensor_release(detached);
}

TEST_F(Memory, rule_8_a_view_records_what_as_strided_replays_and_how_it_was_made) {
  Tensor a = f32({4});
  tn_thread_state state, previous;
  api->thread_state_get(&state);
  state.flags |= TN_THREAD_NO_GRAD;
  api->thread_state_set(&state, &previous);
  Tensor b = view(a, {2}, {2}, 1);
  api->thread_state_set(&previous, nullptr);
  EXPECT_EQ(api->tensor_alias_flags(b.get()), TN_ALIAS_NO_GRAD);
  const int64_t size = 3, stride = 1;
  tn_tensor* raw = nullptr;
  check(api->tensor_view(a.get(), 1, &size, &stride, 1, TN_I32, TN_ALIAS_MULTI_OUTPUT, &raw));
  Tensor c = Tensor::own(raw);
  EXPECT_EQ(api->tensor_alias_flags(c.get()), TN_ALIAS_MULTI_OUTPUT);
  EXPECT_EQ(c.dtype(), TN_I32);
  EXPECT_EQ(c.strides(), (Ints{1}));
  EXPECT_EQ(c.storage_offset(), 1);
  EXPECT_EQ(api->tensor_alias_flags(view(c, {1}, {1}, 1).get()), TN_ALIAS_MULTI_OUTPUT)
      << "what a restricted view may do, its views may";
}

TEST_F(Memory, rule_9_views_and_detached_tensors_share_the_version) {
  Tensor a = f32({4}), b = view(a, {2}, {1});
  tn_tensor* raw = nullptr;
  check(api->tensor_shallow(a.get(), &raw));
  Tensor detached = Tensor::own(raw);
  const uint64_t version = a.version();
  for (const Tensor& written : {a, b, detached}) {
    form("fake.axpy", TN_INPLACE).call_inplace(written, f32({1}));
    EXPECT_EQ(a.version(), b.version());
    EXPECT_EQ(a.version(), detached.version());
  }
  EXPECT_EQ(a.version(), version + 3);
}

TEST_F(Memory, rule_9_set_data_starts_a_version_of_its_own) {
  Tensor a = f32({4}), b = f32({2}, 7);
  check(api->tensor_set_data(a.get(), b.get()));
  EXPECT_EQ(a.to_vector<float>(), (std::vector<float>{7, 8}));
  const uint64_t version = a.version();
  api->tensor_bump_version(b.get());
  EXPECT_EQ(a.version(), version);
}

TEST_F(Memory, sizes_beyond_63_bits_are_refused_also_beside_a_0) {
  constexpr int64_t kHuge = int64_t{1} << 40;
  tn_meta meta{};
  meta.dtype = TN_U8;
  meta.ndim = 3;
  tn_tensor* out = nullptr;
  for (const int at : {0, 1, 2}) {
    for (int64_t& size : meta.sizes) size = kHuge;
    meta.sizes[at] = 0;
    for (const uint16_t strided : {0, 1}) {
      meta.has_strides = strided;
      EXPECT_NE(error_of([&] { check(api->tensor_empty(&meta, &out)); }, TN_INVALID_ARGUMENT)
                    .find("63 bits"),
                std::string::npos);
    }
  }
  Tensor one = f32({1});
  error_of([&] { view(one, {kHuge, kHuge}, {0, 0}); }, TN_INVALID_ARGUMENT);
  EXPECT_EQ(view(one, {kHuge, 1 << 20}, {0, 0}).numel(), kHuge << 20);
}

TEST_F(Memory, rule_10_a_weak_reference_outlives_the_contents) {
  Tensor a = f32({4});
  tn_tensor* raw = a.get();
  api->tensor_weak_retain(raw);
  tn_tensor* locked = api->tensor_lock(raw);
  EXPECT_EQ(locked, raw);
  api->tensor_release(locked);
  a = Tensor();
  EXPECT_EQ(api->tensor_lock(raw), nullptr);
  api->tensor_weak_release(raw);
}

TEST_F(Memory, rule_10_a_tensor_locked_while_it_dies_is_kept_or_gone) {
  for (int round = 0; round < 300; ++round) {
    tn_tensor* raw = f32({4}, 3).release();
    api->tensor_weak_retain(raw);
    std::atomic<bool> go{false};
    std::thread last([&] {
      while (!go) std::this_thread::yield();
      api->tensor_release(raw);
    });
    go = true;
    if (tn_tensor* locked = api->tensor_lock(raw)) {
      EXPECT_EQ(Tensor::own(locked).to_vector<float>()[1], 4);
    }
    last.join();
    EXPECT_EQ(api->tensor_lock(raw), nullptr);
    api->tensor_weak_release(raw);
  }
}

// A slot that owns the next tensor of a chain.
const tn_slot_type kChain = [] {
  tn_slot_type type = TN_INIT(tn_slot_type);
  type.name = "chain";
  type.destroy = [](void* next) { api->tensor_release(static_cast<tn_tensor*>(next)); };
  return type;
}();

TEST_F(Memory, rule_8_a_chain_of_a_million_tensors_dies_without_recursion) {
  uint32_t slot = 0;
  check(api->slot_register(&kChain, &slot));
  Tensor head;
  for (int i = 0; i < 1000000; ++i) {
    Tensor next = f32({1});
    check(api->tensor_set_slot(next.get(), slot, head.release()));
    head = std::move(next);
  }
}

bool keep_it = false;
const tn_slot_type kKeeper = [] {
  tn_slot_type type = TN_INIT(tn_slot_type);
  type.name = "keeper";
  type.destroy = [](void*) {};
  type.resurrect = [](void*, tn_tensor* t) -> int32_t {
    if (!keep_it) return 0;
    api->tensor_retain(t);
    return 1;
  };
  return type;
}();

TEST_F(Memory, rule_10_a_slot_may_keep_a_tensor_that_would_die) {
  uint32_t slot = 0;
  check(api->slot_register(&kKeeper, &slot));
  Tensor a = f32({1}, 5);
  check(api->tensor_set_slot(a.get(), slot, &keep_it));
  tn_tensor* raw = a.get();
  keep_it = true;
  a = Tensor();
  EXPECT_EQ(Tensor::share(raw).item<float>(), 5);
  keep_it = false;
  api->tensor_release(raw);
}

TEST_F(Memory, rule_10_slots_never_travel_with_a_copy) {
  uint32_t slot = 0;
  check(api->slot_register(&kKeeper, &slot));
  Tensor a = f32({2});
  check(api->tensor_set_slot(a.get(), slot, &keep_it));
  tn_tensor* raw = nullptr;
  check(api->tensor_shallow(a.get(), &raw));
  const Tensor copy = Tensor::own(raw);
  EXPECT_EQ(api->tensor_slot(a.get(), slot), &keep_it);
  EXPECT_EQ(api->tensor_slot(copy.get(), slot), nullptr);
  EXPECT_EQ(api->tensor_slot(view(a, {2}, {1}).get(), slot), nullptr);
}

TEST_F(Memory, views_outside_the_storage_are_refused) {
  Tensor a = f32({4});
  error_of([&] { view(a, {5}, {1}); }, TN_INVALID_ARGUMENT);
  error_of([&] { view(a, {2}, {4}); }, TN_INVALID_ARGUMENT);
  error_of([&] { view(a, {1}, {1}, 4); }, TN_INVALID_ARGUMENT);
  error_of([&] { view(a, {1}, {1}, -1); }, TN_INVALID_ARGUMENT);
  error_of([&] { view(a, {2}, {-1}, 1); }, TN_INVALID_ARGUMENT);
  error_of([&] { view(a, {INT64_MAX, INT64_MAX}, {INT64_MAX, 1}); }, TN_INVALID_ARGUMENT);
  EXPECT_EQ(view(a, {0}, {1}, 4).numel(), 0) << "an empty view may stand at the end";
}

TEST_F(Memory, sizes_that_cannot_be_are_refused) {
  tn_meta meta{};
  meta.device = host();
  meta.dtype = TN_F32;
  meta.ndim = 2;
  meta.sizes[0] = INT64_MAX;
  meta.sizes[1] = 4;
  tn_tensor* t = nullptr;
  error_of([&] { check(api->tensor_empty(&meta, &t)); }, TN_INVALID_ARGUMENT);
  meta.sizes[0] = -1;
  error_of([&] { check(api->tensor_empty(&meta, &t)); }, TN_INVALID_ARGUMENT);
  meta.sizes[0] = 1;
  meta.dtype = 63;
  error_of([&] { check(api->tensor_empty(&meta, &t)); }, TN_TYPE_ERROR);
  meta.dtype = TN_F32;
  meta.sizes[0] = int64_t{1} << 58;
  meta.sizes[1] = 1;
  error_of([&] { check(api->tensor_empty(&meta, &t)); }, TN_OUT_OF_MEMORY);
}

TEST_F(Memory, layout_flags_follow_the_geometry) {
  Tensor a = f32({2, 3, 4, 5});
  EXPECT_TRUE(a.is_contiguous());
  EXPECT_FALSE(a.is_channels_last());
  tn_tensor* raw = nullptr;
  check(api->tensor_contiguous(a.get(), TN_CHANNELS_LAST, &raw));
  Tensor c = Tensor::own(raw);
  EXPECT_TRUE(c.is_channels_last());
  EXPECT_FALSE(c.is_contiguous());
  EXPECT_TRUE(c.get()->flags & TN_TENSOR_DENSE);
  EXPECT_EQ(c.strides(), (Ints{60, 1, 15, 3}));
  EXPECT_EQ(c.to_vector<float>(), a.to_vector<float>());
  EXPECT_FALSE(view(a, {2, 3}, {60, 1}).get()->flags & TN_TENSOR_DENSE);
}

TEST_F(Memory, foreign_memory_is_released_once_and_not_on_failure) {
  static int released;
  released = 0;
  float data[4] = {1, 2, 3, 4};
  tn_meta meta{};
  meta.device = host();
  meta.dtype = TN_F32;
  meta.ndim = 1;
  meta.sizes[0] = 5;
  tn_tensor* t = nullptr;
  auto release = [](void*) { ++released; };
  error_of([&] { check(api->tensor_from_memory(&meta, data, sizeof data, release, nullptr, &t)); },
           TN_INVALID_ARGUMENT);
  EXPECT_EQ(released, 0);
  meta.sizes[0] = 4;
  check(api->tensor_from_memory(&meta, data, sizeof data, release, nullptr, &t));
  {
    Tensor a = Tensor::own(t);
    Tensor b = view(a, {2}, {2}, 1);
    a = Tensor();
    EXPECT_EQ(b.to_vector<float>(), (std::vector<float>{2, 4}));
    EXPECT_EQ(released, 0);
  }
  EXPECT_EQ(released, 1);
}

TEST_F(Memory, resize_keeps_elements_and_refuses_shared_memory) {
  Tensor a = f32({2}, 1);
  const int64_t sizes[] = {2, 3};
  check(api->tensor_resize(a.get(), 2, sizes));
  EXPECT_EQ(a.sizes(), (Ints{2, 3}));
  EXPECT_EQ(a.to_vector<float>()[1], 2);
  Tensor b = view(a, {2}, {1});
  const int64_t larger[] = {100};
  error_of([&] { check(api->tensor_resize(b.get(), 1, larger)); }, TN_RUNTIME_ERROR);
}

// DLManagedTensorVersioned of dlpack.h.
struct Managed {
  uint32_t major = 1, minor = 0;
  void* context = nullptr;
  void (*deleter)(Managed*) = [](Managed* self) { ++*static_cast<int*>(self->context); };
  uint64_t flags = 0;
  tn_dltensor tensor{};
};

TEST_F(Memory, dlpack_without_memory_shape_alignment_or_device_stays_its_owners) {
  alignas(8) char memory[32] = {};
  int64_t sizes[] = {2, 3};
  int released = 0;
  Managed managed;
  managed.context = &released;
  managed.tensor = {memory, host(), 2, {2, 32, 1}, sizes, nullptr, 0};
  tn_tensor* raw = nullptr;
  const auto refused = [&](const char* why) {
    const std::string text =
        error_of([&] { check(api->tensor_from_dlpack(&managed, &raw)); }, TN_INVALID_ARGUMENT);
    EXPECT_NE(text.find(why), std::string::npos) << text;
  };
  for (const int32_t type : {0, TN_DEVICE_TYPE_FIRST}) {
    managed.tensor.device.type = type;
    refused("which DLPack has not");
  }
  managed.tensor.device = host();
  managed.tensor.byte_offset = 1;
  refused("not aligned to 4 bytes");
  managed.tensor.byte_offset = 8;
  managed.tensor.data = nullptr;
  refused("null");
  managed.tensor.shape = nullptr;
  refused("without a shape");
  EXPECT_EQ(released, 0);
  sizes[0] = 0;  // no elements need no memory
  managed.tensor.shape = sizes;
  check(api->tensor_from_dlpack(&managed, &raw));
  EXPECT_EQ(Tensor::own(raw).numel(), 0);
  EXPECT_EQ(released, 1);
}

TEST_F(Memory, memory_comes_back_whatever_the_order) {
  tn_memory_stats before = TN_INIT(tn_memory_stats), after = TN_INIT(tn_memory_stats);
  check(api->memory_get_stats(host().type, &before));
  std::vector<Tensor> all;
  for (int i = 0; i < 20000; ++i) all.push_back(f32({1 + i % 3000}));
  std::shuffle(all.begin(), all.end(), std::mt19937(7));
  all.clear();
  check(api->memory_get_stats(host().type, &after));
  EXPECT_EQ(after.live_bytes, before.live_bytes);
  EXPECT_EQ(after.live_blocks, before.live_blocks);
  EXPECT_EQ(after.allocations, before.allocations + 20000);
}

TEST_F(Memory, tensors_may_die_in_another_thread) {
  for (int round = 0; round < 20; ++round) {
    std::vector<Tensor> made;
    for (int i = 0; i < 500; ++i) made.push_back(f32({16}));
    std::thread([moved = std::move(made)]() mutable { moved.clear(); }).join();
  }
}

TEST_F(Memory, rule_10_one_tensor_is_retained_and_released_from_many_threads) {
  Tensor a = f32({8});
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&a] {
      for (int k = 0; k < 20000; ++k) {
        const Tensor copy = Tensor::share(a.get());
        ASSERT_TRUE(copy.defined());
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(api->tensor_use_count(a.get()), 1u);
}

TEST_F(Memory, rule_21_a_generator_hands_out_ranges_of_counters) {
  tn_object* g = nullptr;
  check(api->generator_create(host(), 42, &g));
  tn_philox first, second;
  check(api->generator_reserve(g, host(), 10, &first));
  check(api->generator_reserve(g, host(), 1, &second));
  EXPECT_EQ(first.seed, 42u);
  EXPECT_EQ(first.offset, 0u);
  EXPECT_EQ(second.offset, 10u);
  EXPECT_EQ(first.device_state, nullptr) << "read from the device only in captured graphs";
  error_of([&] { check(api->generator_reserve(g, Device("fakedev"), 1, &first)); },
           TN_RUNTIME_ERROR);
  api->object_release(g);
}

}  // namespace
}  // namespace tn::test
