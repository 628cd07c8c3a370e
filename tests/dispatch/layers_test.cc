// Layers: order, level of nested calls, transparent decompositions (rules 1, 2 and 3 of the hard
// cases).
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
