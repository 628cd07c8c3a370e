// Iteration plans: broadcasting, order and merging of dimensions, reductions.
#include "fixture.h"

namespace tn::test {
namespace {

using Plan = Dispatch;

std::vector<int64_t> shape() {
  return {control().plan.shape, control().plan.shape + control().plan.ndim};
}
std::vector<int64_t> strides(int operand) {
  const int64_t* s = control().plan.strides[operand];
  return {s, s + control().plan.ndim};
}

TEST_F(Plan, contiguous_operands_become_one_dimension) {
  op("fake.axpy").call<Tensor>(f32({2, 3, 4}), f32({2, 3, 4}));
  EXPECT_EQ(shape(), (std::vector<int64_t>{24}));
  EXPECT_EQ(control().plan.flags, TN_PLAN_CONTIGUOUS | TN_PLAN_SAME_DTYPE);
}

TEST_F(Plan, operands_transposed_alike_become_one_dimension_and_keep_their_order) {
  Tensor x = f32({2, 3}), y = f32({2, 3}, 10);
  Tensor z = op("fake.axpy").call<Tensor>(transposed(x), transposed(y));
  EXPECT_EQ(shape(), (std::vector<int64_t>{6}));
  EXPECT_EQ(z.strides(), (Ints{1, 3}));
  EXPECT_EQ(z.to_vector<float>(), (std::vector<float>{10, 19, 13, 22, 16, 25}));
}

TEST_F(Plan, a_broadcast_dimension_has_stride_zero) {
  Tensor z = op("fake.axpy").call<Tensor>(f32({2, 3}), f32({3}, 1));
  EXPECT_EQ(shape(), (std::vector<int64_t>{3, 2}));
  EXPECT_EQ(strides(2), (std::vector<int64_t>{4, 0}));
  EXPECT_EQ(z.to_vector<float>(), (std::vector<float>{1, 4, 7, 7, 10, 13}));
}

TEST_F(Plan, a_number_is_an_operand_of_stride_zero_and_keeps_the_plan_contiguous) {
  Tensor z = op("fake.axpy").call<Tensor>(f32({2, 3}), Operand(5));
  EXPECT_EQ(control().plan.noperands, 3);
  EXPECT_TRUE(control().plan.flags & TN_PLAN_CONTIGUOUS);
  EXPECT_EQ(strides(2), (std::vector<int64_t>{0}));
  EXPECT_EQ(z.to_vector<float>(), (std::vector<float>{5, 7, 9, 11, 13, 15}));
}

TEST_F(Plan, the_output_decides_the_order_of_dimensions) {
  Tensor x = f32({2, 3}), z = f32({3, 2});
  Tensor out = transposed(z);
  form("fake.axpy", TN_OUT).call_out(out, x, x);
  EXPECT_EQ(strides(0)[0], 4);
  EXPECT_EQ(out.to_vector<float>(), (std::vector<float>{0, 3, 6, 9, 12, 15}));
}

TEST_F(Plan, an_empty_call_runs_no_kernel) {
  Tensor z = op("fake.axpy").call<Tensor>(f32({0, 3}), f32({1, 3}));
  EXPECT_EQ(z.sizes(), (Ints{0, 3}));
  EXPECT_EQ(control().kernel_calls, 0);
}

TEST_F(Plan, sizes_that_do_not_broadcast_are_an_error_that_names_both) {
  const std::string text = error_of(
      [] {
        op("fake.axpy").call<Tensor>(f32({2, 3}), f32({2, 4}));
      },
      TN_INVALID_ARGUMENT);
  EXPECT_NE(text.find("[2,3]"), std::string::npos);
  EXPECT_NE(text.find("[2,4]"), std::string::npos);
}

TEST_F(Plan, zero_dim_operands_have_no_loop) {
  Tensor z = op("fake.axpy").call<Tensor>(f32({}, 3), f32({}, 4));
  EXPECT_EQ(z.dim(), 0);
  EXPECT_EQ(z.item<float>(), 10);
}

TEST_F(Plan, reduction_of_the_inner_dimension) {
  Tensor y = op("fake.sum").call<Tensor>(f32({2, 3}), Ints{1}, false);
  EXPECT_EQ(control().plan.reduced, 1u);
  EXPECT_EQ(control().plan.reduced_numel, 3);
  EXPECT_EQ(y.to_vector<float>(), (std::vector<float>{3, 12}));
}

TEST_F(Plan, reduction_of_the_outer_dimension_keeps_it_with_size_one) {
  Tensor y = op("fake.sum").call<Tensor>(f32({2, 3}), Ints{0}, true);
  EXPECT_EQ(control().plan.reduced, 2u);
  EXPECT_EQ(y.sizes(), (Ints{1, 3}));
  EXPECT_EQ(y.to_vector<float>(), (std::vector<float>{3, 5, 7}));
}

TEST_F(Plan, reduction_of_everything_merges_all_dimensions) {
  Tensor y = op("fake.sum").call<Tensor>(f32({2, 3, 4}));
  EXPECT_EQ(shape(), (std::vector<int64_t>{24}));
  EXPECT_EQ(y.dim(), 0);
  EXPECT_EQ(y.item<float>(), 276);
}

TEST_F(Plan, reduction_of_separate_dimensions_of_a_transposed_tensor) {
  Tensor base = f32({2, 3, 4});
  Tensor x = view(base, {4, 3, 2}, {1, 4, 12});
  Tensor y = op("fake.sum").call<Tensor>(x, Ints{0, 2}, false);
  EXPECT_EQ(y.to_vector<float>(), (std::vector<float>{60, 92, 124}));
}

TEST_F(Plan, reduction_over_nothing_gives_the_identity) {
  EXPECT_EQ(op("fake.sum").call<Tensor>(f32({0, 2}), Ints{0}, false).sizes(), (Ints{2}));
}

TEST_F(Plan, a_reduced_dimension_out_of_range_or_named_twice_is_an_error) {
  error_of([] { op("fake.sum").call<Tensor>(f32({2, 3}), Ints{2}, false); }, TN_INDEX_ERROR);
  error_of(
      [] {
        op("fake.sum").call<Tensor>(f32({2, 3}), Ints{1, -1}, false);
      },
      TN_INVALID_ARGUMENT);
}

TEST_F(Plan, sixty_four_dimensions_are_possible) {
  Tensor base = f32({2});
  std::vector<int64_t> sizes(64, 1), strides(64, 1);
  sizes[63] = 2;
  Tensor x = view(base, sizes, strides);
  Tensor z = op("fake.axpy").call<Tensor>(x, x);
  EXPECT_EQ(z.dim(), 64);
  EXPECT_EQ(z.to_vector<float>(), (std::vector<float>{0, 3}));
  EXPECT_EQ(op("fake.sum").call<Tensor>(x, Ints{63}, true).dim(), 64);
}

}  // namespace
}  // namespace tn::test
