// Operators that write: what they record, and what they refuse.
#include "support.h"

namespace test {
TEST(InPlace, gives_the_tensor_a_new_history) {
  const Tensor x = leaf({1, 2}), w = leaf({3, 4});
  Tensor y = mul(x, 2);
  mul_(y, w);
  EXPECT_EQ(grad_fn(y), "mul");
  sum(y).backward();
  EXPECT_THAT(values(x.grad()), ElementsAre(6, 8));
  EXPECT_THAT(values(w.grad()), ElementsAre(2, 4));
}

TEST(InPlace, a_constant_gains_a_history) {
  Tensor y = tensor({1, 2});
  const Tensor w = leaf({3, 4});
  mul_(y, w);
  EXPECT_TRUE(y.requires_grad());
  sum(y).backward();
  EXPECT_THAT(values(w.grad()), ElementsAre(1, 2));
}

TEST(InPlace, rule_4_what_is_overwritten_and_read_by_the_formula_is_copied) {
  const Tensor w = leaf({3, 4});
  Tensor y = tensor({5, 6});
  mul_(y, w);
  add_(y, w);
  sum(y).backward();
  EXPECT_THAT(values(w.grad()), ElementsAre(6, 7));
}

TEST(InPlace, a_tensor_times_itself) {
  const Tensor x = leaf({3, 4});
  Tensor y = mul(x, 1);
  mul_(y, y);
  sum(y).backward();
  EXPECT_THAT(values(x.grad()), ElementsAre(6, 8));
}

TEST(InPlace, rule_4_formulas_that_read_the_result_get_it_saved_afterwards) {
  const Tensor x = leaf({0.5});
  Tensor y = mul(x, 2);
  exp_(y);
  y.backward();
  EXPECT_NEAR(values(x.grad())[0], 2 * std::exp(1.0), 1e-12);
}

TEST(InPlace, copying_takes_the_sources_history) {
  const Tensor x = leaf({1, 2}), w = leaf({3, 4});
  Tensor y = mul(x, 2);
  copy_(y, w);
  sum(mul(y, y)).backward();
  EXPECT_THAT(values(w.grad()), ElementsAre(6, 8));
  EXPECT_THAT(values(x.grad()), ElementsAre(0, 0));
}

TEST(InPlace, a_view_that_takes_other_memory_is_a_view_no_more) {
  const Tensor base = tensor({1, 2}), w = leaf({3, 4});
  Tensor y = view(base, {2});
  write("set_", "source_Tensor", y, w);
  EXPECT_FALSE(base.requires_grad());
  EXPECT_TRUE(y.requires_grad());
  EXPECT_THAT(values(y), ElementsAre(3, 4));
}

TEST(InPlace, a_view_without_gradients_takes_none_from_what_is_copied_into_it) {
  const Tensor base = call("to", "dtype", tensor({1, 2}), TN_I64), w = leaf({3, 4});
  copy_(view(base, {2}), w);
  EXPECT_FALSE(base.requires_grad());
}

TEST(InPlace, a_leaf_that_requires_gradients_is_refused_and_unchanged) {
  const Tensor x = leaf({1, 2});
  const uint64_t version = x.version();
  EXPECT_THAT(error_of([&] {
                mul_(x, tensor({3, 4}));
              }),
              HasSubstr("a leaf Variable that requires grad"));
  EXPECT_THAT(values(x), ElementsAre(1, 2));
  EXPECT_EQ(x.version(), version);
  {
    const tn::NoGrad off;
    mul_(x, tensor({3, 4}));
  }
  EXPECT_THAT(values(x), ElementsAre(3, 8));
  EXPECT_TRUE(tn::autograd().is_leaf(x.get()));
}

TEST(InPlace, a_view_of_a_leaf_is_refused) {
  const Tensor x = leaf({1, 2});
  EXPECT_THAT(error_of([&] {
                mul_(view(x, {2, 1}), tensor({3, 4}, {2, 1}));
              }),
              HasSubstr("a view of a leaf Variable that requires grad"));
}

TEST(InPlace, rule_4_a_failed_call_changes_no_history) {
  const Tensor x = leaf({1, 2});
  Tensor y = mul(x, 2);
  EXPECT_THAT(error_of([&] { mul_(y, tensor({1, 2, 3})); }), HasSubstr("mul"));
  sum(y).backward();
  EXPECT_THAT(values(x.grad()), ElementsAre(2, 2));
}

TEST(InPlace, out_arguments_are_refused_where_something_requires_gradients) {
  const Tensor x = leaf({1, 2}), out = tensor({0, 0}), other = tensor({3, 4});
  const tn::Operator op("mul", "out");
  EXPECT_THAT(error_of([&] { op.call_out(out, x, other); }),
              HasSubstr("out=... arguments don't support automatic"));
  EXPECT_THAT(error_of([&] { op.call_out(x, out, other); }),
              HasSubstr("out=... arguments don't support automatic"));
  const tn::NoGrad off;
  op.call_out(out, x, other);
  EXPECT_THAT(values(out), ElementsAre(3, 8));
}

TEST(InPlace, another_shape_of_the_tensor_itself) {
  const Tensor x = leaf({1, 2, 3, 4, 5, 6}, {2, 3});
  Tensor y = mul(x, 2);
  write("transpose_", "", y, int64_t{0}, int64_t{1});
  sum(mul(y, tensor({1, 2, 3, 4, 5, 6}, {3, 2}))).backward();
  EXPECT_THAT(values(x.grad()), ElementsAre(2, 6, 10, 4, 8, 12));
}

}  // namespace test
