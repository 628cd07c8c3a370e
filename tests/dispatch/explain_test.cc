// What tn_explain says is what the call does.
#include "fixture.h"

namespace tn::test {
namespace {

using Explain = Dispatch;

template <class... Args>
std::string explained(const char* name, const Args&... args) {
  const tn_value in[] = {to_value(args)...};
  tn_value text{};
  check(api->explain(op(name).get(), in, sizeof...(Args), 0, &text));
  const std::string story(text.u.str, text.len);
  api->value_drop(&text);
  return story;
}

bool has(const std::string& story, const std::string& part) {
  return story.find(part) != std::string::npos;
}

TEST_F(Explain, a_kernel_is_passed_over_for_its_dtypes) {
  const std::string story = explained("fake.double_plan", arange<double>({2}, TN_F64));
  EXPECT_TRUE(has(story, "it takes no f64")) << story;
  EXPECT_TRUE(has(story, "kernel of provider second")) << story;
  EXPECT_EQ(control().kernel_calls, 0) << "nothing runs";
}

TEST_F(Explain, conversions_are_those_of_the_call) {
  Tensor x = f32({2, 3});
  EXPECT_TRUE(has(explained("fake.double_plan", transposed(x)), "self: made contiguous"));
  control().decline = true;
  const std::string story = explained("fake.double_plan", x);
  EXPECT_TRUE(has(story, "it declines this call")) << story;
  EXPECT_TRUE(has(story, "self: f32 to f64")) << story;
  op("fake.double_plan").call<Tensor>(x);
  EXPECT_STREQ(control().last_provider, "second");
}

TEST_F(Explain, a_call_that_fails_is_explained_too) {
  Tensor x = f32({2});
  const std::string mixed = explained("fake.axpy", x, x.to(Device("fakedev")));
  EXPECT_TRUE(has(mixed, "all tensors must be on one device")) << mixed;
  Tensor there = x.to(Device("fakedev"));
  const std::string lacking = explained("fake.axpy", there, there);
  EXPECT_TRUE(has(lacking, "an error: no kernel takes this call")) << lacking;
}

TEST_F(Explain, a_device_without_data_only_infers) {
  Tensor m = f32({2}).to(Device("fakemeta"));
  EXPECT_TRUE(has(explained("fake.axpy", m, m), "stops after inferring"));
}

TEST_F(Explain, arguments_that_do_not_fit_the_schema_are_an_error) {
  const tn_value text = to_value(3);
  tn_value out{};
  tn_status status = api->explain(op("fake.double_plan").get(), &text, 1, 1, &out);
  ASSERT_NE(status, nullptr);
  EXPECT_EQ(api->status_code(status), TN_TYPE_ERROR);
  api->status_release(status);
}

TEST_F(Explain, providers_of_a_device_in_their_order) {
  tn_value names{};
  check(api->op_providers(op("fake.double_plan").get(), Device("fakehost").type, &names));
  EXPECT_STREQ(names.u.str, "fake, second");
  api->value_drop(&names);
  check(api->op_providers(op("fake.axpy").get(), Device("fakedev").type, &names));
  EXPECT_STREQ(names.u.str, "");
  api->value_drop(&names);
}

}  // namespace
}  // namespace tn::test
