// Values of gradients through the engine: paths that meet, broadcasting, dtypes, lists, several
// results.
#include "support.h"

namespace test {

TEST(Backward, product_rule) {
  const Tensor x = leaf({1, 2, 3}), y = leaf({4, 5, 6});
  sum(mul(x, y)).backward();
  EXPECT_THAT(values(x.grad()), ElementsAre(4, 5, 6));
  EXPECT_THAT(values(y.grad()), ElementsAre(1, 2, 3));
}

TEST(Backward, paths_that_meet_add_up) {
  const Tensor x = leaf({2});
  const Tensor a = mul(x, x), b = mul(a, x), c = add(a, b);
  add(c, add(c, x)).backward();
  EXPECT_THAT(values(x.grad()), ElementsAre(2 * (2 * 2.0 + 3 * 4.0) + 1));
}

TEST(Backward, broadcast_gradients_are_summed_to_the_arguments_size) {
  const Tensor x = leaf({1, 2, 3, 4, 5, 6}, {2, 3}), row = leaf({1, 2, 3}),
               column = leaf({10, 20}, {2, 1}), scalar = leaf({7}, {});
  sum(mul(mul(mul(x, row), column), scalar)).backward();
  EXPECT_THAT(values(row.grad()),
              ElementsAre(7 * (10 * 1 + 20 * 4), 7 * (10 * 2 + 20 * 5), 7 * (10 * 3 + 20 * 6)));
  EXPECT_THAT(values(column.grad()), ElementsAre(7 * (1 + 4 + 9), 7 * (4 + 10 + 18)));
  EXPECT_THAT(values(scalar.grad()), ElementsAre(10 * 14 + 20 * 32));
  EXPECT_EQ(column.grad().sizes(), (Ints{2, 1}));
  EXPECT_EQ(scalar.grad().dim(), 0);
}

TEST(Backward, gradients_have_their_arguments_dtype) {
  const Tensor x = tensor({1, 2}, {2}, TN_F32).requires_grad_();
  const Tensor y = leaf({3, 4});
  sum(mul(x, y)).backward();
  EXPECT_EQ(x.grad().dtype(), TN_F32);
  EXPECT_EQ(y.grad().dtype(), TN_F64);
  EXPECT_THAT(values(x.grad()), ElementsAre(3, 4));
  EXPECT_THAT(values(y.grad()), ElementsAre(1, 2));
}

TEST(Backward, empty_tensors_have_empty_gradients) {
  const Tensor x = leaf({}, {0, 3});
  sum(mul(x, x)).backward();
  EXPECT_EQ(x.grad().sizes(), (Ints{0, 3}));
}

TEST(Backward, lists_of_tensors_each_get_their_part) {
  const Tensor x = leaf({1, 2}), y = tensor({3}), z = leaf({4, 5, 6});
  const Tensor joined = call("cat", "", tn::Tensors{x, y, z}, int64_t{0});
  sum(mul(joined, joined)).backward();
  EXPECT_THAT(values(x.grad()), ElementsAre(2, 4));
  EXPECT_THAT(values(z.grad()), ElementsAre(8, 10, 12));
  EXPECT_FALSE(y.grad().defined());
}

TEST(Backward, a_result_without_gradient_is_null_to_the_formula) {
  const Tensor x = leaf({1, 2});
  tn::Operator pair("test_pair", "");
  auto [a, b] = pair.call<std::tuple<Tensor, Tensor>>(x);
  sum(mul(b, 3)).backward();
  EXPECT_THAT(values(x.grad()), ElementsAre(3, 3));
  auto [c, d] = pair.call<std::tuple<Tensor, Tensor>>(x);
  sum(add(mul(c, 2), mul(d, 5))).backward();
  EXPECT_THAT(values(x.grad()), ElementsAre(10, 10));
}

TEST(Backward, several_outputs_start_together) {
  const Tensor x = leaf({2});
  const Tensor a = mul(x, x), b = mul(a, 3);
  tn_tensor* outputs[] = {b.get(), a.get()};
  tn::check(tn::autograd().backward(outputs, nullptr, 2, 0));
  EXPECT_THAT(values(x.grad()), ElementsAre(3 * 4 + 4));
}

TEST(Backward, nothing_is_recorded_under_no_grad) {
  const Tensor x = leaf({1, 2});
  const tn::NoGrad off;
  const Tensor y = mul(x, x);
  EXPECT_FALSE(y.requires_grad());
  EXPECT_EQ(y.get()->layers, 0u);
  const tn::EnableGrad on;
  EXPECT_TRUE(mul(x, x).requires_grad());
}

TEST(Backward, detached_tensors_are_constants) {
  const Tensor x = leaf({3});
  mul(x, detach(x)).backward();
  EXPECT_THAT(values(x.grad()), ElementsAre(3));
}

TEST(Backward, rule_4_what_failed_is_not_recorded) {
  const Tensor x = leaf({1, 2});
  const uint64_t before = tn::api->tensor_live_count();
  EXPECT_THAT(error_of([&] { mul(x, tensor({1, 2, 3})); }), HasSubstr("mul"));
  EXPECT_THAT(error_of([&] { call("test_fails", "", x); }), HasSubstr("as asked"));
  EXPECT_EQ(tn::api->tensor_live_count(), before);
}

TEST(Backward, agrees_with_central_differences) {
  expect_differences([](const Tensor& x) { return mul(exp(mul(x, x)), add(x, tensor({0.5}))); },
                     {0.1, -0.4, 0.7}, {3});
}

}  // namespace test
