// Extension slots: one value in the tensor itself, several in a table, and how many there can be.
#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "fixture.h"

namespace tn::test {
namespace {

class Slots : public Dispatch {};

// Values count how often they were destroyed.
const tn_slot_type kCounted = [] {
  tn_slot_type type = TN_INIT(tn_slot_type);
  type.name = "counted";
  type.destroy = [](void* value) { ++*static_cast<std::atomic<int64_t>*>(value); };
  return type;
}();

const tn_slot_type kUnaligned = [] {
  tn_slot_type type = TN_INIT(tn_slot_type);
  type.name = "unaligned";
  type.destroy = [](void*) {};
  return type;
}();
uint32_t unaligned_slot() {
  static const uint32_t slot = [] {
    uint32_t made = 0;
    check(api->slot_register(&kUnaligned, &made));
    return made;
  }();
  return slot;
}

// The process's slots: as many as the core gives, since they are never given back.
const std::vector<uint32_t>& all_slots() {
  static const std::vector<uint32_t> slots = [] {
    unaligned_slot();  // the first, before all are taken
    std::vector<uint32_t> made;
    for (uint32_t slot = 0;; made.push_back(slot)) {
      tn_status full = api->slot_register(&kCounted, &slot);
      if (!full) continue;
      EXPECT_EQ(api->status_code(full), TN_RUNTIME_ERROR);
      EXPECT_STREQ(api->status_message(full), "all 16 extension slots are taken");
      api->status_release(full);
      return made;
    }
  }();
  return slots;
}

TEST_F(Slots, each_holds_its_own_value_however_many_a_tensor_has) {
  const std::vector<uint32_t>& slots = all_slots();
  ASSERT_GE(slots.size(), 8u) << "of 16, less those of the fixture's plugins";
  // In either order, so that the one that stands alone at first is an early slot and a late one.
  for (const bool backwards : {false, true}) {
    std::vector<uint32_t> order = slots;
    if (backwards) std::reverse(order.begin(), order.end());
    std::vector<std::atomic<int64_t>> destroyed(16);
    {
      const Tensor t = f32({2});
      for (size_t i = 0; i < order.size(); ++i) {
        check(api->tensor_set_slot(t.get(), order[i], &destroyed[order[i]]));
        for (size_t k = 0; k < order.size(); ++k)
          EXPECT_EQ(api->tensor_slot(t.get(), order[k]), k <= i ? &destroyed[order[k]] : nullptr);
      }
    }
    for (const uint32_t slot : order) EXPECT_EQ(destroyed[slot], 1) << "slot " << slot;
  }
}

TEST_F(Slots, a_value_that_is_replaced_or_taken_away_is_destroyed) {
  for (const uint32_t slot : all_slots()) {
    std::atomic<int64_t> first{0}, second{0};
    const Tensor t = f32({2});
    check(api->tensor_set_slot(t.get(), slot, nullptr));
    EXPECT_EQ(api->tensor_slot(t.get(), slot), nullptr);
    check(api->tensor_set_slot(t.get(), slot, &first));
    check(api->tensor_set_slot(t.get(), slot, &second));
    EXPECT_EQ(first, 1);
    EXPECT_EQ(api->tensor_slot(t.get(), slot), &second);
    check(api->tensor_set_slot(t.get(), slot, nullptr));
    EXPECT_EQ(second, 1);
    EXPECT_EQ(api->tensor_slot(t.get(), slot), nullptr);
  }
}

// In the tensor itself as in a table.
TEST_F(Slots, a_value_need_not_be_aligned) {
  alignas(8) char bytes[8];
  const uint32_t slot = unaligned_slot();
  const Tensor t = f32({2});
  for (char& byte : bytes) {
    check(api->tensor_set_slot(t.get(), slot, &byte));
    EXPECT_EQ(api->tensor_slot(t.get(), slot), &byte);
  }
}

TEST_F(Slots, many_threads_may_store_their_first_values_at_once) {
  const std::vector<uint32_t>& slots = all_slots();
  for (int round = 0; round < 300; ++round) {
    std::vector<std::atomic<int64_t>> destroyed(16);
    {
      const Tensor t = f32({1});
      std::atomic<bool> go{false};
      std::vector<std::thread> threads;
      for (size_t i = 0; i < 4; ++i)
        threads.emplace_back([&, slot = slots[i]] {
          while (!go) std::this_thread::yield();
          check(api->tensor_set_slot(t.get(), slot, &destroyed[slot]));
          EXPECT_EQ(api->tensor_slot(t.get(), slot), &destroyed[slot]);
        });
      go = true;
      for (std::thread& thread : threads) thread.join();
      for (size_t i = 0; i < 4; ++i)
        EXPECT_EQ(api->tensor_slot(t.get(), slots[i]), &destroyed[slots[i]]);
    }
    for (size_t i = 0; i < 4; ++i) EXPECT_EQ(destroyed[slots[i]], 1);
  }
}

}  // namespace
}  // namespace tn::test
