// Functional, out and in-place forms; outputs checked before anything is written.
#include "fixture.h"

namespace tn::test {
namespace {

using Forms = Dispatch;

TEST_F(Forms, functional_makes_its_result) {
  Tensor x = f32({2, 3}), y = f32({2, 3}, 10);
  Tensor z = op("fake.axpy").call<Tensor>(x, y);
  EXPECT_EQ(z.to_vector<float>(), (std::vector<float>{10, 13, 16, 19, 22, 25}));
  EXPECT_EQ(x.version(), 1u) << "written once, by the test";
}

TEST_F(Forms, keyword_after_the_star_reaches_the_kernel) {
  Tensor z = op("fake.axpy").call<Tensor>(f32({2}, 1), f32({2}, 0), 0.5);
  EXPECT_EQ(z.to_vector<float>(), (std::vector<float>{0.5, 2}));
}

TEST_F(Forms, out_is_written_and_its_version_bumped) {
  Tensor x = f32({3}), y = f32({3}), z = f32({3});
  const uint64_t version = z.version();
  form("fake.axpy", TN_OUT).call_out(z, x, y);
  EXPECT_EQ(z.to_vector<float>(), (std::vector<float>{0, 3, 6}));
  EXPECT_EQ(z.version(), version + 1);
}

TEST_F(Forms, out_may_be_an_input) {
  Tensor x = f32({3}), y = f32({3}, 1);
  form("fake.axpy", TN_OUT).call_out(y, x, y);
  EXPECT_EQ(y.to_vector<float>(), (std::vector<float>{1, 4, 7}));
}

TEST_F(Forms, out_of_other_sizes_is_resized) {
  Tensor z = f32({0});
  form("fake.axpy", TN_OUT).call_out(z, f32({2, 2}), f32({2, 2}));
  EXPECT_EQ(z.sizes(), (Ints{2, 2}));
  EXPECT_EQ(z.to_vector<float>(), (std::vector<float>{0, 3, 6, 9}));
}

TEST_F(Forms, out_of_a_lower_category_is_refused_and_untouched) {
  Tensor z = arange<int32_t>({2}, TN_I32, 5);
  const std::string text =
      error_of([&] { form("fake.axpy", TN_OUT).call_out(z, f32({2}), f32({2})); }, TN_TYPE_ERROR);
  EXPECT_NE(text.find("f32"), std::string::npos);
  EXPECT_NE(text.find("i32"), std::string::npos);
  EXPECT_EQ(z.to_vector<int32_t>(), (std::vector<int32_t>{5, 6}));
}

TEST_F(Forms, out_of_a_wider_dtype_is_converted_into) {
  Tensor z = arange<double>({2}, TN_F64);
  form("fake.axpy", TN_OUT).call_out(z, f32({2}, 1), f32({2}, 0));
  EXPECT_EQ(z.to_vector<double>(), (std::vector<double>{2, 5}));
}

TEST_F(Forms, in_place_writes_the_first_argument) {
  Tensor x = f32({3}), y = f32({3}, 1);
  const uint64_t version = x.version();
  form("fake.axpy", TN_INPLACE).call_inplace(x, y);
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{1, 4, 7}));
  EXPECT_EQ(x.version(), version + 1);
}

TEST_F(Forms, rule_9_in_place_through_a_view_bumps_the_root_version) {
  Tensor base = f32({4});
  Tensor half = view(base, {2}, {1}, 2);
  const uint64_t version = base.version();
  form("fake.axpy", TN_INPLACE).call_inplace(half, f32({2}));
  EXPECT_EQ(base.version(), version + 1);
  EXPECT_EQ(base.to_vector<float>(), (std::vector<float>{0, 1, 4, 7}));
}

TEST_F(Forms, in_place_may_not_grow) {
  Tensor x = f32({1, 3});
  const std::string text = error_of(
      [&] {
        form("fake.axpy", TN_INPLACE).call_inplace(x, f32({2, 3}));
      },
      TN_INVALID_ARGUMENT);
  EXPECT_NE(text.find("[1,3]"), std::string::npos);
  EXPECT_NE(text.find("[2,3]"), std::string::npos);
}

TEST_F(Forms, an_expanded_output_is_refused) {
  Tensor base = f32({1, 3});
  Tensor wide = view(base, {2, 3}, {0, 1});
  error_of(
      [&] {
        form("fake.axpy", TN_INPLACE).call_inplace(wide, f32({2, 3}));
      },
      TN_RUNTIME_ERROR);
  EXPECT_EQ(base.to_vector<float>(), (std::vector<float>{0, 1, 2}));
}

TEST_F(Forms, a_partial_overlap_is_refused) {
  Tensor base = f32({4});
  Tensor front = view(base, {3}, {1}, 0), back = view(base, {3}, {1}, 1);
  error_of([&] { form("fake.axpy", TN_INPLACE).call_inplace(front, back); }, TN_RUNTIME_ERROR);
  EXPECT_EQ(base.to_vector<float>(), (std::vector<float>{0, 1, 2, 3}));
}

TEST_F(Forms, an_output_over_an_input_of_another_dtype_is_refused) {
  Tensor x = f32({4}), y = f32({4}, 1);
  const int64_t sizes[] = {4}, strides[] = {1};
  tn_tensor* bytes = nullptr;  // the same address, elements of another size
  check(api->tensor_view(x.get(), 1, sizes, strides, 0, TN_BOOL, 0, &bytes));
  const Tensor z = Tensor::own(bytes);
  const std::string text =
      error_of([&] { form("fake.less", TN_OUT).call_out(z, x, y); }, TN_RUNTIME_ERROR);
  EXPECT_NE(text.find("share part of their memory"), std::string::npos) << text;
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{0, 1, 2, 3}));
}

TEST_F(Forms, structured_out_that_is_an_input_goes_through_a_temporary) {
  Tensor x = f32({3}, 1);
  form("fake.double_plan", TN_OUT).call_out(x, x);
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{2, 4, 6}));
}

TEST_F(Forms, structured_out_of_another_order_is_filled_in_its_order) {
  Tensor x = f32({2, 3}), base = f32({3, 2});
  Tensor z = transposed(base);
  form("fake.double_plan", TN_OUT).call_out(z, x);
  EXPECT_EQ(z.to_vector<float>(), (std::vector<float>{0, 2, 4, 6, 8, 10}));
}

TEST_F(Forms, composite_has_out_and_in_place_forms_too) {
  Tensor x = f32({2}, 1), z = f32({0});
  form("fake.quadruple", TN_OUT).call_out(z, x);
  EXPECT_EQ(z.to_vector<float>(), (std::vector<float>{4, 8}));
  form("fake.quadruple", TN_INPLACE).call_inplace(x);
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{4, 8}));
}

TEST_F(Forms, no_output_of_a_composite_is_written_where_another_is_refused) {
  const Tensor x = f32({2}, 1), first = f32({2}), second = arange<int64_t>({2}, TN_I64);
  const tn_value arg = to_value(x);
  tn_value rets[2] = {to_value(first), to_value(second)};
  const Operator twice = form("fake.quadruple_twice", TN_OUT);
  error_of([&] { check(api->call(twice.get(), &arg, 1, rets, 2)); }, TN_TYPE_ERROR);
  EXPECT_EQ(first.to_vector<float>(), (std::vector<float>{0, 1}));
  const Tensor fitting = f32({2});
  rets[1] = to_value(fitting);
  check(api->call(twice.get(), &arg, 1, rets, 2));
  EXPECT_EQ(first.to_vector<float>(), (std::vector<float>{4, 8}));
  EXPECT_EQ(fitting.to_vector<float>(), (std::vector<float>{4, 8}));
}

TEST_F(Forms, a_form_that_the_row_lacks_is_an_error_that_names_it) {
  const std::string text = error_of([] { form("fake.nowhere", TN_OUT); }, TN_NOT_IMPLEMENTED);
  EXPECT_NE(text.find("out form"), std::string::npos);
}

TEST_F(Forms, a_failing_kernel_leaves_no_result_behind) {
  control().fail_kernel = true;
  const std::string text =
      error_of([] { op("fake.axpy").call<Tensor>(f32({2}), f32({2})); }, TN_RUNTIME_ERROR);
  EXPECT_NE(text.find("told to fail"), std::string::npos);
  EXPECT_NE(text.find("f32[2]@fakehost"), std::string::npos) << text;
}

TEST_F(Forms, every_failing_allocation_is_a_clean_error) {
  Tensor x = f32({64, 64}), y = f32({64, 64});
  op("fake.axpy").call<Tensor>(x, y);  // what is made once is made
  for (uint64_t nth = 1;; ++nth) {
    ASSERT_LT(nth, 100u);
    api->memory_fail(nth, 0);
    tn_value args[2] = {to_value(x), to_value(y)}, out{};
    tn_status status = api->call(op("fake.axpy").get(), args, 2, &out, 1);
    api->memory_fail(0, 0);
    if (!status) {
      api->value_drop(&out);
      EXPECT_GT(nth, 1u) << "no allocation was made to fail";
      break;
    }
    EXPECT_EQ(api->status_code(status), TN_OUT_OF_MEMORY);
    api->status_release(status);
  }
}

}  // namespace
}  // namespace tn::test
