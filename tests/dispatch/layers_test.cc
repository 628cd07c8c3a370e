// Layers: order, level of nested calls, transparent decompositions, transforms (rules 1, 2, 3, 5
// and 6 of the hard cases).
#include "fixture.h"

namespace tn::test {
namespace {

uint64_t bit(const char* name) {
  return api->layer_bit(name);
}

struct Layers : Dispatch {
  Tensor layered(uint64_t layers) {
    Tensor t = f32({2}, 1);
    api->tensor_set_layers(t.get(), layers, 1);
    return t;
  }
  std::string trail() { return control().trail; }
};

TEST_F(Layers, before_puts_a_layer_on_the_higher_bit) {
  EXPECT_GT(bit("fake_outer"), bit("fake_inner"));
}

TEST_F(Layers, a_tensor_without_bits_calls_no_layer) {
  op("fake.double_plan").call<Tensor>(f32({2}));
  EXPECT_EQ(trail(), "kernel");
}

TEST_F(Layers, bits_of_any_argument_are_visited_once_from_high_to_low) {
  op("fake.axpy")
      .call<Tensor>(layered(bit("fake_inner")), layered(bit("fake_outer") | bit("fake_inner")));
  EXPECT_EQ(trail(), "outer inner kernel");
}

TEST_F(Layers, the_thread_switches_layers_on_and_off) {
  Tensor x = layered(bit("fake_inner"));
  tn_thread_state state, previous;
  api->thread_state_get(&state);
  state.include = bit("fake_outer");
  state.exclude = bit("fake_inner");
  api->thread_state_set(&state, &previous);
  op("fake.double_plan").call<Tensor>(x);
  api->thread_state_set(&previous, nullptr);
  EXPECT_EQ(trail(), "outer kernel");
}

TEST_F(Layers, rule_2_next_may_be_called_several_times) {
  control().next_repeats = 3;
  Tensor y = op("fake.double_plan").call<Tensor>(layered(bit("fake_outer") | bit("fake_inner")));
  EXPECT_EQ(trail(), "outer inner kernel inner kernel inner kernel");
  EXPECT_EQ(y.to_vector<float>(), (std::vector<float>{2, 4}));
}

TEST_F(Layers, rule_2_next_takes_arrays_of_the_layers_own_and_keeps_the_layers_below) {
  control().outer_unwraps = true;
  Tensor x = layered(bit("fake_outer") | bit("fake_inner"));
  EXPECT_EQ(op("fake.double_plan").call<Tensor>(x).to_vector<float>(), (std::vector<float>{2, 4}));
  EXPECT_EQ(trail(), "outer inner kernel") << "although what it was handed carries no bit";
}

TEST_F(Layers, rule_2_redispatch_finds_the_layers_below_anew) {
  control().outer_unwraps = control().outer_redispatches = true;
  Tensor x = layered(bit("fake_outer") | bit("fake_inner"));
  EXPECT_EQ(op("fake.double_plan").call<Tensor>(x).to_vector<float>(), (std::vector<float>{2, 4}));
  EXPECT_EQ(trail(), "outer kernel");
}

TEST_F(Layers, rule_1_calls_inside_a_layer_start_below_it) {
  control().inner_calls_nested = true;
  op("fake.axpy").call<Tensor>(layered(bit("fake_outer") | bit("fake_inner")), f32({2}));
  EXPECT_EQ(trail(), "outer inner kernel back kernel");
}

TEST_F(Layers, rule_1_a_transparent_decomposition_runs_above_all_layers) {
  op("fake.quadruple").call<Tensor>(layered(bit("fake_inner")));
  // Its first call sees the layer; the second's argument carries no bit.
  EXPECT_EQ(trail(), "decomposition inner kernel kernel");
}

TEST_F(Layers, rule_1_a_row_with_a_derivative_is_one_node_and_decomposes_below) {
  op("fake.quadruple_recorded").call<Tensor>(layered(bit("fake_inner")));
  EXPECT_EQ(trail(), "inner decomposition kernel kernel");
}

TEST_F(Layers, rule_1_a_kernel_for_a_transparent_row_is_for_calls_without_layers) {
  EXPECT_EQ(op("fake.composed").call<Tensor>(f32({1}, 1)).item<float>(), 4);
  EXPECT_EQ(trail(), "kernel") << "the provider's";
  control().trail[0] = '\0';
  op("fake.composed").call<Tensor>(layered(bit("fake_inner")));
  EXPECT_EQ(trail(), "decomposition inner kernel kernel");
}

TEST_F(Layers, rule_1_a_kernel_that_brings_a_derivative_serves_its_device_below_the_layers) {
  Tensor x = layered(bit("fake_inner")), there = f32({2}).to(Device("fakemeta"));
  op("fake.composed_recorded").call<Tensor>(x);
  EXPECT_EQ(trail(), "inner kernel") << "one node";
  control().trail[0] = '\0';
  api->tensor_set_layers(there.get(), bit("fake_inner"), 1);
  op("fake.composed_recorded").call<Tensor>(there);
  EXPECT_EQ(trail(), "decomposition inner") << "elsewhere it stays transparent";
}

TEST_F(Layers, rule_5_facts_go_by_operator_name_device_and_version) {
  const tn_op* row = op("fake.composed_recorded").get();
  const int32_t here = host().type, there = Device("fakedev").type;
  const void* general = api->op_attribute(row, "fake.fact", here, 1);
  const void* special = api->op_attribute(row, "fake.fact", there, 1);
  const void* newer = api->op_attribute(row, "fake.fact", there, 2);
  EXPECT_TRUE(general && special && newer);
  EXPECT_NE(general, special);
  EXPECT_NE(general, newer);
  EXPECT_EQ(api->op_attribute(row, "fake.fact", here, 3), nullptr);
  EXPECT_EQ(api->op_attribute(op("fake.axpy").get(), "fake.fact", here, 1), nullptr);
}

TEST_F(Layers, rule_6_transforms_run_first_and_start_the_call_afresh) {
  Tensor x = layered(bit("fake_outer"));
  tn_thread_state state, previous, after;
  api->thread_state_get(&state);
  state.include = bit("transforms");
  api->thread_state_set(&state, &previous);
  control().transform_levels = 2;
  Tensor y = op("fake.double_plan").call<Tensor>(x);
  api->thread_state_get(&after);
  api->thread_state_set(&previous, nullptr);
  EXPECT_EQ(y.to_vector<float>(), (std::vector<float>{2, 4}));
  EXPECT_EQ(trail(), "transforms transforms outer kernel");
  EXPECT_EQ(after.include, bit("transforms"));
  EXPECT_EQ(after.exclude, previous.exclude) << "the other state lasts as long as its call";
  EXPECT_EQ(bit("transforms"), uint64_t{1} << 63);
}

TEST_F(Layers, rule_3_a_tracked_view_has_its_roots_layers) {
  Tensor base = f32({4});
  Tensor part = view(base, {2}, {1});
  api->tensor_set_layers(base.get(), bit("fake_outer"), 1);
  op("fake.double_plan").call<Tensor>(part);
  EXPECT_EQ(trail(), "outer kernel") << "views are tracked from the start";
  control().trail[0] = '\0';
  api->tensor_set_flags(part.get(), TN_TENSOR_TRACKED, 0);
  op("fake.double_plan").call<Tensor>(part);
  EXPECT_EQ(trail(), "kernel");
}

TEST_F(Layers, the_level_is_restored_after_a_failure) {
  control().fail_kernel = true;
  error_of([&] { op("fake.double_plan").call<Tensor>(layered(bit("fake_outer"))); },
           TN_RUNTIME_ERROR);
  control() = FakeControl{};
  op("fake.double_plan").call<Tensor>(layered(bit("fake_outer") | bit("fake_inner")));
  EXPECT_EQ(trail(), "outer inner kernel");
}

TEST_F(Layers, in_place_without_room_for_results_still_shows_the_written_tensor_to_layers) {
  Tensor x = layered(bit("fake_outer"));
  form("fake.axpy", TN_INPLACE).call_inplace(x, f32({2}));
  EXPECT_EQ(control().layer_calls[0], 1);
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{2, 5}));
}

}  // namespace
}  // namespace tn::test
