// What results may be (rules 19 and 20 of the hard cases).
#include "fixture.h"

namespace tn::test {
namespace {

using Results = Dispatch;

TEST_F(Results, rule_19_sizes_that_depend_on_data_come_from_the_kernel) {
  Tensor x = f32({4}, -1);
  EXPECT_EQ(op("fake.positive").call<Tensor>(x).to_vector<float>(), (std::vector<float>{1, 2}));
  const std::string text = error_of(
      [&] { op("fake.positive").call<Tensor>(x.to(Device("fakemeta"))); }, TN_NOT_IMPLEMENTED);
  EXPECT_NE(text.find("fake::positive"), std::string::npos) << text;
}

TEST_F(Results, rule_19_only_decompositions_may_return_an_argument_itself) {
  const void* table = nullptr;
  check(api->get_interface("fake.refusals", 1, &table));
  const std::string text = static_cast<const FakeRefusals*>(table)->returned_argument;
  EXPECT_NE(text.find("fake::itself may return an argument itself"), std::string::npos) << text;
}

TEST_F(Results, rule_20_a_negative_size_never_reaches_a_kernel) {
  static_assert(std::is_same_v<tn::dim, int64_t>);
  const tn::dim sizes[] = {2, -3};
  for (const char* device : {"fakehost", "fakedev", "fakemeta"}) {
    const std::string text =
        error_of([&] { op("fake.sized").call<Tensor>(Ints(sizes, 2), Device(device)); },
                 TN_INVALID_ARGUMENT);
    EXPECT_NE(text.find("in fake::sized([2,-3]"), std::string::npos) << text;
    EXPECT_NE(text.find("negative size -3 in dimension 1 of [2,-3]"), std::string::npos) << text;
  }
  Tensor out = f32({2});
  error_of([&] { form("fake.sized", TN_OUT).call_out(out, Ints(sizes, 2)); }, TN_INVALID_ARGUMENT);
  EXPECT_EQ(out.sizes(), (Ints{2}));
  EXPECT_EQ(control().kernel_calls, 0);
}

TEST_F(Results, rule_20_no_tensor_has_a_negative_size) {
  Tensor x = f32({4});
  const int64_t negative[] = {-1}, one[] = {1};
  tn_meta meta{};
  meta.device = host();
  meta.dtype = TN_F32;
  meta.ndim = 1;
  meta.sizes[0] = -1;
  float memory = 0;
  tn_tensor* raw = nullptr;
  error_of([&] { check(api->tensor_empty(&meta, &raw)); }, TN_INVALID_ARGUMENT);
  error_of([&] { check(api->tensor_from_memory(&meta, &memory, 4, nullptr, nullptr, &raw)); },
           TN_INVALID_ARGUMENT);
  error_of([&] { view(x, {-1}, {1}); }, TN_INVALID_ARGUMENT);
  error_of([&] { check(api->tensor_resize(x.get(), 1, negative)); }, TN_INVALID_ARGUMENT);
  error_of([&] { check(api->tensor_restride(x.get(), 1, negative, one, 0)); }, TN_INVALID_ARGUMENT);
  EXPECT_EQ(x.sizes(), (Ints{4}));
}

}  // namespace
}  // namespace tn::test
