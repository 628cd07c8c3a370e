// What a graph keeps: versions of saved tensors, and how long they live.
#include "support.h"

namespace test {

TEST(Saved, a_changed_argument_is_an_error_that_says_which_and_how_to_fix_it) {
  const Tensor x = leaf({1, 2}), c = tensor({3, 4});
  const Tensor y = sum(mul(x, c));
  const uint64_t version = c.version();
  add_(c, tensor({1, 1}));
  const std::string message = error_of([&] { y.backward(); });
  EXPECT_THAT(message, HasSubstr("mul"));
  EXPECT_THAT(message, HasSubstr("'other'"));
  EXPECT_THAT(message, HasSubstr("f64[2]"));
  EXPECT_THAT(message, HasSubstr("version " + std::to_string(version)));
  EXPECT_THAT(message, HasSubstr("version " + std::to_string(version + 1)));
  EXPECT_THAT(message, HasSubstr("Clone"));
  EXPECT_FALSE(x.grad().defined());
}

TEST(Saved, a_changed_result_is_an_error) {
  const Tensor x = leaf({1, 2});
  const Tensor y = exp(x);
  add_(y, tensor({1, 1}));
  EXPECT_THAT(error_of([&] { sum(y).backward(); }), HasSubstr("result"));
}

TEST(Saved, what_no_formula_reads_may_change) {
  const Tensor x = leaf({1, 2}), c = tensor({3, 4});
  const Tensor y = sum(add(x, c));
  mul_(c, c);
  y.backward();
  EXPECT_THAT(values(x.grad()), ElementsAre(1, 1));
}

TEST(Saved, an_argument_is_kept_only_for_gradients_that_are_wanted) {
  const Tensor x = leaf({1, 2});
  const Tensor c = tensor({3, 4});
  const Tensor y = mul(x, c);
  EXPECT_EQ(tn::api->storage_use_count(x.get()->storage), 1u);
  EXPECT_GT(tn::api->storage_use_count(c.get()->storage), 1u);
}

TEST(Saved, a_second_backward_says_what_to_pass) {
  const Tensor x = leaf({1, 2});
  const Tensor y = sum(mul(x, x));
  y.backward();
  EXPECT_THAT(error_of([&] { y.backward(); }), HasSubstr("retain_graph=True"));
  EXPECT_THAT(values(x.grad()), ElementsAre(2, 4));
}

TEST(Saved, a_retained_graph_runs_again) {
  const Tensor x = leaf({1, 2});
  const Tensor y = sum(mul(x, x));
  y.backward({}, TN_BACKWARD_RETAIN_GRAPH);
  y.backward();
  EXPECT_THAT(values(x.grad()), ElementsAre(4, 8));
}

TEST(Saved, memory_is_given_back_by_backward) {
  const Tensor x = leaf({1, 2}), c = tensor({3, 4});
  const Tensor y = sum(mul(x, c));
  y.backward();
  EXPECT_EQ(tn::api->storage_use_count(c.get()->storage), 1u);
}

TEST(Saved, rule_8_a_result_that_its_own_node_reads_makes_no_cycle) {
  const uint64_t before = tn::api->tensor_live_count();
  {
    const Tensor x = leaf({1, 2});
    Tensor y = exp(x);
    exp_(y);
    mul_(y, exp(y));
  }
  EXPECT_EQ(tn::api->tensor_live_count(), before);
}

TEST(Saved, an_inference_tensor_cannot_be_saved) {
  Tensor c;
  {
    const tn::InferenceMode mode;
    c = mul(tensor({1, 2}), 2);
  }
  const Tensor x = leaf({1, 2});
  EXPECT_THAT(error_of([&] { mul(x, c); }),
              HasSubstr("inference tensors cannot be saved for backward"));
  EXPECT_NO_THROW(add(x, c));
}

}  // namespace test
