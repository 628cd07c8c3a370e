// Leaves: which tensors may require gradients, and how gradients gather in them.
#include "support.h"

namespace test {

TEST(Leaf, requires_grad_is_off_until_asked_for) {
  Tensor x = tensor({1, 2});
  EXPECT_FALSE(x.requires_grad());
  x.requires_grad_();
  EXPECT_TRUE(x.requires_grad());
  EXPECT_TRUE(tn::autograd().is_leaf(x.get()));
  EXPECT_EQ(grad_fn(x), "");
  x.requires_grad_(false);
  EXPECT_FALSE(x.requires_grad());
  EXPECT_EQ(x.get()->layers, 0u);
}

TEST(Leaf, integers_cannot_require_gradients) {
  Tensor x = call("_to_copy", "", tensor({1, 2}), TN_I64);
  EXPECT_THAT(error_of([&] { x.requires_grad_(); }), HasSubstr("floating point"));
  EXPECT_FALSE(x.requires_grad());
}

TEST(Leaf, a_result_cannot_stop_requiring_gradients) {
  Tensor y = mul(leaf({1, 2}), 2);
  EXPECT_THAT(error_of([&] { y.requires_grad_(false); }), HasSubstr("detach"));
  EXPECT_NO_THROW(y.requires_grad_());
  EXPECT_EQ(grad_fn(y), "mul");
}

TEST(Leaf, gradients_of_two_passes_add_up) {
  const Tensor x = leaf({1, 2});
  for (int pass = 1; pass <= 3; ++pass) {
    sum(mul(x, x)).backward();
    EXPECT_THAT(values(x.grad()), ElementsAre(2 * pass, 4 * pass));
  }
}

TEST(Leaf, a_gradient_that_the_caller_holds_is_not_taken_over) {
  const Tensor x = leaf({1, 2});
  const Tensor seed = tensor({5, 7});
  x.backward(seed);
  x.backward(seed);
  EXPECT_THAT(values(x.grad()), ElementsAre(10, 14));
  EXPECT_THAT(values(seed), ElementsAre(5, 7));
}

TEST(Leaf, two_leaves_that_get_one_gradient_do_not_share_it) {
  const Tensor x = leaf({1, 2}), y = leaf({3, 4});
  add(x, y).backward(tensor({1, 1}));
  sum(x).backward();
  EXPECT_THAT(values(x.grad()), ElementsAre(2, 2));
  EXPECT_THAT(values(y.grad()), ElementsAre(1, 1));
}

TEST(Leaf, set_grad_checks_the_shape) {
  Tensor x = leaf({1, 2});
  EXPECT_THAT(error_of([&] {
                x.set_grad(tensor({1, 2, 3}));
              }),
              HasSubstr("shape, dtype and device"));
  x.set_grad(tensor({8, 9}));
  EXPECT_THAT(values(x.grad()), ElementsAre(8, 9));
  x.set_grad({});
  EXPECT_FALSE(x.grad().defined());
}

TEST(Leaf, only_one_element_needs_no_gradient_to_start_from) {
  const Tensor x = leaf({1, 2});
  EXPECT_THAT(error_of([&] { mul(x, 2).backward(); }),
              HasSubstr("implicitly created only for scalar outputs"));
  EXPECT_THAT(error_of([&] {
                mul(x, 2).backward(tensor({1, 2, 3}));
              }),
              HasSubstr("Mismatch in shape"));
  EXPECT_FALSE(x.grad().defined());
}

TEST(Leaf, backward_of_something_without_gradients_is_an_error) {
  EXPECT_THAT(error_of([] { sum(tensor({1})).backward(); }), HasSubstr("does not require grad"));
}

TEST(Leaf, an_inference_tensor_cannot_require_gradients) {
  Tensor x;
  {
    const tn::InferenceMode mode;
    x = mul(tensor({1, 2}), 2);
  }
  EXPECT_THAT(error_of([&] { x.requires_grad_(); }), HasSubstr("inference mode"));
}

TEST(Leaf, a_leaf_lives_as_long_as_a_graph_leads_to_it) {
  const uint64_t before = tn::api->tensor_live_count();
  {
    Tensor y;
    {
      const Tensor x = leaf({1, 2});
      y = sum(mul(x, x));
    }
    y.backward();
  }
  EXPECT_EQ(tn::api->tensor_live_count(), before);
}

}  // namespace test
