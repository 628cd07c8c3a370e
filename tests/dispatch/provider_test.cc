// Which kernel runs, on which device, and what the core does so that it can.
#include "fixture.h"

namespace tn::test {
namespace {

using Provider = Dispatch;

TEST_F(Provider, the_first_that_takes_the_dtype_runs) {
  op("fake.double_plan").call<Tensor>(f32({2}));
  EXPECT_STREQ(control().last_provider, "fake");
  op("fake.double_plan").call<Tensor>(arange<double>({2}, TN_F64));
  EXPECT_STREQ(control().last_provider, "second");
}

TEST_F(Provider, one_that_declines_hands_over_to_the_next_with_wider_arguments) {
  control().decline = true;
  Tensor y = op("fake.double_plan").call<Tensor>(f32({2}, 1));
  EXPECT_STREQ(control().last_provider, "second");
  EXPECT_EQ(y.dtype(), TN_F32) << "the result has the dtype that was asked for";
  EXPECT_EQ(y.to_vector<float>(), (std::vector<float>{2, 4}));
}

TEST_F(Provider, arguments_are_made_contiguous_for_a_kernel_that_asks) {
  Tensor x = f32({2, 3});
  Tensor y = op("fake.double_plan").call<Tensor>(transposed(x));
  EXPECT_EQ(y.to_vector<float>(), (std::vector<float>{0, 6, 2, 8, 4, 10}));
}

TEST_F(Provider, integers_never_widen_to_floats) {
  error_of([] { op("fake.double_plan").call<Tensor>(arange<int32_t>({2}, TN_I32)); },
           TN_NOT_IMPLEMENTED);
}

TEST_F(Provider, a_device_without_data_stops_after_inferring) {
  Tensor x = f32({2, 3});
  Tensor m = x.to(Device("fakemeta"));
  Tensor y = op("fake.axpy").call<Tensor>(m, m);
  EXPECT_EQ(y.sizes(), (Ints{2, 3}));
  EXPECT_EQ(control().kernel_calls, 0);
  EXPECT_EQ(y.get()->dl.data, nullptr);
}

TEST_F(Provider, data_cannot_be_copied_out_of_a_device_without_any) {
  Tensor m = f32({2}).to(Device("fakemeta"));
  const std::string text = error_of([&] { m.to(host()); }, TN_NOT_IMPLEMENTED);
  EXPECT_NE(text.find("fakemeta"), std::string::npos);
}

TEST_F(Provider, tensors_on_two_devices_are_an_error_that_names_both) {
  Tensor x = f32({2}), y = f32({2}).to(Device("fakedev"));
  const std::string text = error_of([&] { op("fake.axpy").call<Tensor>(x, y); }, TN_RUNTIME_ERROR);
  EXPECT_NE(text.find("fakehost"), std::string::npos);
  EXPECT_NE(text.find("fakedev"), std::string::npos);
  EXPECT_NE(text.find("x is"), std::string::npos) << text;
}

TEST_F(Provider, indices_of_one_type_are_two_devices) {
  Tensor x = f32({2}).to(Device("fakedev:0")), y = f32({2}).to(Device("fakedev:1"));
  error_of([&] { op("fake.axpy").call<Tensor>(x, y); }, TN_RUNTIME_ERROR);
  error_of([] { Device("fakedev:2"); }, TN_INDEX_ERROR);
}

TEST_F(Provider, without_a_kernel_the_error_says_which_devices_have_one) {
  Tensor x = f32({2}).to(Device("fakedev"));
  const std::string text =
      error_of([&] { op("fake.axpy").call<Tensor>(x, x); }, TN_NOT_IMPLEMENTED);
  EXPECT_NE(text.find("fakehost"), std::string::npos) << text;
}

TEST_F(Provider, memory_of_a_device_goes_back_to_it) {
  {
    Tensor x = f32({1000}).to(Device("fakedev"));
    EXPECT_EQ(control().device_live, 1);
    EXPECT_EQ(x.to(host()).to_vector<float>()[999], 999);
  }
  EXPECT_EQ(control().device_live, 0);
}

TEST_F(Provider, strided_tensors_of_other_dtypes_cross_devices) {
  Tensor base = f32({2, 3});
  Tensor y = transposed(base).to(Device("fakedev"), TN_F64).to(host());
  EXPECT_EQ(y.to_vector<double>(), (std::vector<double>{0, 3, 1, 4, 2, 5}));
}

TEST_F(Provider, an_operator_nobody_declares_is_an_error_with_a_suggestion) {
  const std::string text = error_of([] { Operator("fake.axpi"); }, TN_NOT_FOUND);
  EXPECT_NE(text.find("axpy"), std::string::npos) << text;
}

TEST_F(Provider, explain_names_layers_provider_and_outcome) {
  Tensor x = f32({2});
  tn_value args[2] = {to_value(x), to_value(x)}, text{};
  check(api->explain(op("fake.axpy").get(), args, 2, 0, &text));
  const std::string story = text.u.str;
  api->value_drop(&text);
  EXPECT_NE(story.find("fake on fakehost: chosen, computes in f32"), std::string::npos) << story;
}

}  // namespace
}  // namespace tn::test
