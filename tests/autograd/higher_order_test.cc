// Gradients of gradients.
#include "support.h"

namespace test {
Tensor derivative(const Tensor& y, const Tensor& x) {
  return tn::grad({y}, {x}, {}, TN_BACKWARD_CREATE_GRAPH)[0];
}

TEST(HigherOrder, powers) {
  const Tensor x = leaf({2});
  const Tensor y = mul(mul(x, x), mul(x, x));
  const Tensor first = derivative(y, x), second = derivative(first, x),
               third = derivative(second, x);
  EXPECT_THAT(values(first), ElementsAre(32));
  EXPECT_THAT(values(second), ElementsAre(48));
  EXPECT_THAT(values(third), ElementsAre(48));
}

TEST(HigherOrder, rule_1_formulas_are_recorded_at_whatever_level_backward_was_called) {
  const Tensor x = leaf({2});
  const Tensor y = mul(mul(x, x), x);
  tn_thread_state state, previous;
  tn::api->thread_state_get(&state);
  state.level = 0;  // as inside a device's kernel
  tn::api->thread_state_set(&state, &previous);
  const Tensor first = derivative(y, x);
  tn::api->thread_state_set(&previous, nullptr);
  EXPECT_TRUE(first.requires_grad());
  EXPECT_THAT(values(derivative(first, x)), ElementsAre(12));
}

TEST(HigherOrder, a_saved_result_is_connected_to_its_node) {
  const Tensor x = leaf({0.5});
  const Tensor first = derivative(exp(mul(x, 2)), x), second = derivative(first, x);
  EXPECT_NEAR(values(second)[0], 4 * std::exp(1.0), 1e-12);
}

TEST(HigherOrder, through_views_and_in_place_operators) {
  const auto first = [](const Tensor& x) {
    Tensor y = mul(x, x);
    mul_(slice(y, 0, 1, 3), slice(x, 0, 1, 3));
    return derivative(sum(y), x);
  };
  const Tensor x = leaf({2, 3, 5, 7});
  const Tensor g = first(x);
  EXPECT_THAT(values(g), ElementsAre(4, 27, 75, 14));
  sum(g).backward();
  EXPECT_THAT(values(x.grad()), ElementsAre(2, 18, 30, 2));
}

TEST(HigherOrder, through_an_in_place_operator_that_reads_its_result) {
  const Tensor x = leaf({0.1, 0.2, 0.3});
  Tensor y = mul(x, 1);
  exp_(select(y, 0, 1));
  const Tensor g = derivative(sum(mul(y, y)), x);
  EXPECT_NEAR(values(g)[1], 2 * std::exp(0.4), 1e-12);
  sum(g).backward();
  EXPECT_THAT(values(x.grad()), Pointwise(DoubleNear(1e-12), Values{2, 4 * std::exp(0.4), 2}));
}

TEST(HigherOrder, through_broadcasting) {
  const Tensor x = leaf({3}), row = tensor({1, 2, 3});
  const Tensor g = derivative(sum(mul(mul(x, x), mul(x, row))), x);
  EXPECT_THAT(values(g), ElementsAre(3 * 9 * 6));
  g.backward();
  EXPECT_THAT(values(x.grad()), ElementsAre(6 * 3 * 6));
}

TEST(HigherOrder, gradients_in_leaves_carry_history_on_request) {
  const Tensor x = leaf({2});
  mul(mul(x, x), x).backward({}, TN_BACKWARD_CREATE_GRAPH);
  const Tensor g = x.grad();
  EXPECT_TRUE(g.requires_grad());
  EXPECT_THAT(values(tn::grad({g}, {x})[0]), ElementsAre(12));
  x.backward(tensor({1}));
  Tensor(x).set_grad({});  // the gradient holds a graph that leads to x
}

TEST(HigherOrder, without_the_request_gradients_are_constants) {
  const Tensor x = leaf({2});
  const Tensor y = mul(x, x);
  EXPECT_FALSE(tn::grad({y}, {x})[0].requires_grad());
}

}  // namespace test
