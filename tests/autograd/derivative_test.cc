// Operators whose derivative is missing or wrong: never silence.
#include "support.h"

namespace test {

TEST(Derivative, rule_5_a_missing_one_is_an_error_in_backward_that_names_the_operator) {
  const Tensor x = leaf({1, 2});
  const Tensor y = call("test_opaque", "", x);
  EXPECT_TRUE(y.requires_grad());
  EXPECT_THAT(error_of([&] { sum(y).backward(); }), HasSubstr("test_opaque has no derivative"));
}

TEST(Derivative, a_missing_one_does_not_matter_without_gradients) {
  EXPECT_THAT(values(call("test_opaque", "", tensor({1, 2}))), ElementsAre(1, 2));
  const Tensor x = leaf({1, 2});
  const tn::NoGrad off;
  EXPECT_FALSE(call("test_opaque", "", x).requires_grad());
}

TEST(Derivative, an_argument_without_formula_is_named) {
  const Tensor x = leaf({1, 2}), w = leaf({3});
  sum(call("test_partial", "", x, detach(w))).backward();
  EXPECT_THAT(values(x.grad()), ElementsAre(1, 1));
  EXPECT_THAT(error_of([&] { sum(call("test_partial", "", x, w)).backward(); }),
              HasSubstr("'weight'"));
}

TEST(Derivative, a_gradient_that_does_not_fit_is_an_error_that_names_both) {
  const Tensor x = leaf({1, 2});
  const std::string message = error_of([&] {
    sum(call("test_wrong_shape", "", x, tensor({1, 2, 3}))).backward();
  });
  EXPECT_THAT(message, HasSubstr("test_wrong_shape"));
  EXPECT_THAT(message, HasSubstr("'self'"));
  EXPECT_THAT(message, HasSubstr("f64[3]"));
  EXPECT_THAT(message, HasSubstr("f64[2]"));
}

TEST(Derivative, formulas_for_real_numbers_refuse_complex_tensors) {
  const Tensor z = tensor({1, 2}).to(TN_C128).requires_grad_(), w = tensor({3});
  const std::string message = error_of([&] { call("test_partial", "", z, w); });
  EXPECT_THAT(message, HasSubstr("test_partial"));
  EXPECT_THAT(message, HasSubstr("c128[2]"));
  EXPECT_THAT(message, HasSubstr("real tensors only"));
  const tn::NoGrad off;
  EXPECT_FALSE(call("test_partial", "", z, w).requires_grad());
}

TEST(Derivative, rule_5_results_said_to_be_constant_carry_none) {
  const Tensor x = leaf({1, 2});
  EXPECT_FALSE(call("test_constant", "", x).requires_grad());
  EXPECT_FALSE(call("lt", "Tensor", x, tensor({1.5})).requires_grad());
}

TEST(Derivative, a_number_in_a_tensors_place_is_read_as_one) {
  const Tensor x = leaf({1, 2});
  sum(mul(x, 2.5)).backward();
  EXPECT_THAT(values(x.grad()), ElementsAre(2.5, 2.5));
}

}  // namespace test
