// Gradients with respect to chosen tensors, without touching leaves.
#include "support.h"

namespace test {

TEST(GradOf, leaves_keep_their_grad) {
  const Tensor x = leaf({1, 2}), y = leaf({3, 4});
  const auto grads = tn::grad({sum(mul(x, y))}, {y, x});
  EXPECT_THAT(values(grads[0]), ElementsAre(1, 2));
  EXPECT_THAT(values(grads[1]), ElementsAre(3, 4));
  EXPECT_FALSE(x.grad().defined());
  EXPECT_FALSE(y.grad().defined());
}

TEST(GradOf, results_in_the_middle_are_inputs_too) {
  const Tensor x = leaf({2});
  const Tensor y = mul(x, x), z = mul(y, y);
  EXPECT_THAT(values(tn::grad({z}, {y})[0]), ElementsAre(8));
}

TEST(GradOf, an_output_is_its_own_input) {
  const Tensor y = mul(leaf({2}), 3);
  EXPECT_THAT(values(tn::grad({y}, {y})[0]), ElementsAre(1));
}

TEST(GradOf, only_nodes_on_the_way_run) {
  const Tensor x = leaf({2}), w = leaf({3});
  const Tensor y = add(mul(x, 5), call("test_opaque", "", w));
  EXPECT_THAT(values(tn::grad({y}, {x}, {}, TN_BACKWARD_RETAIN_GRAPH)[0]), ElementsAre(5));
  EXPECT_THAT(error_of([&] { tn::grad({y}, {w}); }), HasSubstr("test_opaque"));
}

TEST(GradOf, an_unused_input_is_an_error_that_names_its_index) {
  const Tensor x = leaf({2}), unused = leaf({3});
  const std::string message = error_of([&] { tn::grad({mul(x, x)}, {x, unused}); });
  EXPECT_THAT(message, HasSubstr("input 1"));
  EXPECT_THAT(message, HasSubstr("allow_unused"));
  const auto grads = tn::grad({mul(x, x)}, {x, unused}, {}, TN_BACKWARD_ALLOW_UNUSED);
  EXPECT_THAT(values(grads[0]), ElementsAre(4));
  EXPECT_FALSE(grads[1].defined());
}

TEST(GradOf, an_input_without_gradients_is_an_error) {
  EXPECT_THAT(error_of([] { tn::grad({leaf({2})}, {tensor({1})}); }),
              HasSubstr("does not require grad: input 0"));
}

TEST(GradOf, given_gradients_weigh_the_outputs) {
  const Tensor x = leaf({1, 2});
  EXPECT_THAT(values(tn::grad({mul(x, x)}, {x}, {tensor({10, 100})})[0]), ElementsAre(20, 400));
}

}  // namespace test
