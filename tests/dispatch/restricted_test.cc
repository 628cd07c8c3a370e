// Tensors that not every kernel may see (rules 6, 11 and 18 of the hard cases).
#include "fixture.h"

namespace tn::test {
namespace {

struct Restricted : Dispatch {
  Tensor wrapped(const Tensor& t) { return op("fake.wrap").call<Tensor>(t); }
  Tensor opened(const Tensor& t) { return op("fake.unwrap").call<Tensor>(t); }
  std::pair<Tensor, Tensor> forward(const Tensor& x) {
    auto [y, workspace] = op("fake.forward").call<std::tuple<Tensor, Tensor>>(x);
    return {y, workspace};
  }
};

TEST_F(Restricted, rule_11_a_kernel_never_sees_a_layout_that_its_caps_do_not_list) {
  Tensor x = wrapped(f32({2}));
  EXPECT_EQ(x.get()->layout, TN_OPAQUE);
  const tn_value args[] = {to_value(x), to_value(x)};
  struct Call {
    const char* name;
    uint32_t nargs, nrets;
  };
  // Element-wise, a reduction, structured with one and two results, direct for any device, and a
  // decomposition into them.
  for (const Call& one : {Call{"fake.axpy", 2, 1},
                          {"fake.sum", 1, 1},
                          {"fake.double_plan", 1, 1},
                          {"fake.forward", 1, 2},
                          {"fake.anywhere", 2, 1},
                          {"fake.quadruple", 1, 1}}) {
    tn_value rets[2] = {};
    const std::string text =
        error_of([&] { check(api->call(op(one.name).get(), args, one.nargs, rets, one.nrets)); },
                 TN_NOT_IMPLEMENTED);
    EXPECT_NE(text.find("f32[2]@fakehost opaque"), std::string::npos) << text;
    EXPECT_EQ(rets[0].tag, TN_TAG_NONE) << one.name;
  }
  error_of([&] { check(api->tensor_copy(x.get(), x.get())); }, TN_NOT_IMPLEMENTED);
  EXPECT_EQ(control().kernel_calls, 0);
  EXPECT_EQ(control().copies, 0);
}

TEST_F(Restricted, rule_11_a_kernel_that_lists_the_layout_makes_its_own_results) {
  Tensor y = op("fake.negate").call<Tensor>(wrapped(f32({2}, 1)));
  EXPECT_STREQ(control().trail, "kernel kernel") << "the opaque one, and the strided one inside it";
  EXPECT_EQ(y.get()->layout, TN_OPAQUE);
  EXPECT_EQ(opened(y).to_vector<float>(), (std::vector<float>{-1, -2}));
  EXPECT_EQ(op("fake.negate").call<Tensor>(f32({1}, 3)).item<float>(), -3)
      << "and no strided tensor goes to it";
}

TEST_F(Restricted, rule_11_only_the_functional_form_exists_without_strides) {
  Tensor x = wrapped(f32({2})), plain = f32({2});
  error_of([&] { form("fake.negate", TN_INPLACE).call_inplace(x); }, TN_NOT_IMPLEMENTED);
  error_of([&] { form("fake.negate", TN_OUT).call_out(plain, x); }, TN_NOT_IMPLEMENTED);
  error_of([&] { form("fake.negate", TN_OUT).call_out(x, plain); }, TN_NOT_IMPLEMENTED);
  EXPECT_EQ(control().kernel_calls, 0);
}

TEST_F(Restricted, rule_11_layers_run_as_ever_and_the_layout_counts_below_them) {
  Tensor x = wrapped(f32({2}));
  api->tensor_set_layers(x.get(), api->layer_bit("fake_outer"), 1);
  op("fake.negate").call<Tensor>(x);
  EXPECT_STREQ(control().trail, "outer kernel kernel");
  api->tensor_set_layers(x.get(), ~uint64_t{0}, 0);
  error_of([&] { op("fake.double_plan").call<Tensor>(x); }, TN_NOT_IMPLEMENTED);
  tn_thread_state state, previous;
  api->thread_state_get(&state);
  state.level = 0;
  state.exclude = ~uint64_t{0};
  api->thread_state_set(&state, &previous);
  error_of([&] { op("fake.double_plan").call<Tensor>(x); }, TN_NOT_IMPLEMENTED);
  api->thread_state_set(&previous, nullptr);
}

TEST_F(Restricted, rule_11_a_copy_of_the_metadata_keeps_the_layout) {
  Tensor x = wrapped(f32({1}));
  tn_tensor* shallow = nullptr;
  check(api->tensor_shallow(x.get(), &shallow));
  Tensor y = Tensor::own(shallow), z = f32({3});
  EXPECT_EQ(y.get()->layout, TN_OPAQUE);
  EXPECT_FALSE(y.get()->flags & TN_TENSOR_CONTIGUOUS);
  error_of([&] { op("fake.double_plan").call<Tensor>(y); }, TN_NOT_IMPLEMENTED);
  check(api->tensor_set_data(z.get(), x.get()));
  error_of([&] { op("fake.double_plan").call<Tensor>(z); }, TN_NOT_IMPLEMENTED);
  check(api->tensor_set_data(z.get(), f32({1}, 4).get()));
  EXPECT_EQ(op("fake.double_plan").call<Tensor>(z).item<float>(), 8);
}

TEST_F(Restricted, rule_11_plans_run_over_strided_tensors_alone) {
  const void* table = nullptr;
  check(api->get_interface("fake.refusals", 1, &table));
  const std::string text = static_cast<const FakeRefusals*>(table)->plan_over_layout;
  EXPECT_NE(text.find("over which there are no plans"), std::string::npos) << text;
}

TEST_F(Restricted, rule_11_explain_says_who_may_see_the_tensor) {
  Tensor x = wrapped(f32({1}));
  tn_value arg = to_value(x), text{};
  check(api->explain(op("fake.negate").get(), &arg, 1, 0, &text));
  const std::string story = text.u.str;
  api->value_drop(&text);
  EXPECT_NE(story.find("opaque on fakehost: chosen"), std::string::npos) << story;
  EXPECT_NE(story.find("it may not see these tensors"), std::string::npos) << story;
  EXPECT_NE(story.find("fake on fakehost: passed over"), std::string::npos) << story;
  EXPECT_NE(story.find("layers    none"), std::string::npos) << story;
}

TEST_F(Restricted, rule_6_a_tensor_without_storage_is_legal_and_nothing_reaches_into_it) {
  tn_meta meta{};
  meta.device = host();
  meta.dtype = TN_F32;
  meta.layout = TN_OPAQUE;
  meta.ndim = 1;
  meta.sizes[0] = 1;
  tn_tensor* raw = nullptr;
  check(api->tensor_empty(&meta, &raw));
  Tensor x = Tensor::own(raw);
  EXPECT_EQ(x.sizes(), (Ints{1}));
  EXPECT_EQ(x.numel(), 1);
  EXPECT_EQ(x.get()->dl.data, nullptr);
  EXPECT_EQ(api->storage_nbytes(x.get()->storage), 0u);
  EXPECT_EQ(x.describe(), "f32[1]@fakehost opaque");
  const int64_t size = 1;
  void* managed = nullptr;
  float number = 0;
  tn_value value{};
  error_of([&] { check(api->tensor_item(raw, &value)); }, TN_NOT_IMPLEMENTED);
  error_of([&] { check(api->tensor_read(raw, &number, sizeof number)); }, TN_NOT_IMPLEMENTED);
  error_of([&] { check(api->tensor_write(raw, &number, sizeof number)); }, TN_NOT_IMPLEMENTED);
  error_of([&] { check(api->tensor_resize(raw, 1, &size)); }, TN_NOT_IMPLEMENTED);
  error_of([&] { check(api->tensor_restride(raw, 1, &size, &size, 0)); }, TN_NOT_IMPLEMENTED);
  error_of([&] { check(api->tensor_to_dlpack(raw, &managed)); }, TN_NOT_IMPLEMENTED);
  error_of([&] { view(x, {1}, {1}); }, TN_INVALID_ARGUMENT);
  error_of([&] { x.to(Device("fakedev")); }, TN_NOT_IMPLEMENTED);
  error_of([&] { x.to(TN_F64); }, TN_NOT_IMPLEMENTED);
  meta.sizes[0] = -1;
  error_of([&] { check(api->tensor_empty(&meta, &raw)); }, TN_INVALID_ARGUMENT);
  meta.sizes[0] = 1;
  meta.layout = 32;
  error_of([&] { check(api->tensor_empty(&meta, &raw)); }, TN_INVALID_ARGUMENT);
  meta.layout = TN_OPAQUE;
  error_of([&] { check(api->tensor_from_memory(&meta, &number, 4, nullptr, nullptr, &raw)); },
           TN_INVALID_ARGUMENT);
}

TEST_F(Restricted, rule_6_a_wrapper_that_reaches_a_device_is_an_error_that_names_it) {
  const std::string text = error_of(
      [&] {
        op("fake.double_plan").call<Tensor>(wrapped(f32({2, 3})));
      },
      TN_NOT_IMPLEMENTED);
  EXPECT_NE(text.find("self is f32[2,3]@fakehost opaque, and no kernel on fakehost takes that "
                      "layout"),
            std::string::npos)
      << text;
}

TEST_F(Restricted, rule_18_what_a_provider_defined_goes_back_to_it) {
  Tensor x = f32({2}, 1);
  auto [y, first] = forward(x);
  EXPECT_STREQ(control().last_provider, "first");
  EXPECT_EQ(y.to_vector<float>(), x.to_vector<float>());
  control().decline = true;
  auto [z, second] = forward(x);
  EXPECT_STREQ(control().last_provider, "second");
  EXPECT_EQ(z.dtype(), TN_F32) << "it was given wider tensors";
  EXPECT_EQ(z.to_vector<float>(), x.to_vector<float>());
  // Of two providers that could, the first in order would run; the workspace decides.
  for (auto& [workspace, provider] : {std::pair{second, "second"}, {first, "first"}}) {
    EXPECT_EQ(op("fake.backward").call<Tensor>(x, workspace).to_vector<float>(),
              x.to_vector<float>());
    EXPECT_STREQ(control().last_provider, provider);
  }
}

TEST_F(Restricted, rule_18_without_a_kernel_of_that_provider_it_is_an_error_that_names_it) {
  Tensor x = f32({2});
  Tensor first = forward(x).second;
  control().decline = true;
  Tensor second = forward(x).second;
  EXPECT_EQ(op("fake.backward_of_first").call<Tensor>(x, first).sizes(), x.sizes());
  control().kernel_calls = 0;
  const std::string text =
      error_of([&] { op("fake.backward_of_first").call<Tensor>(x, second); }, TN_NOT_IMPLEMENTED);
  EXPECT_NE(text.find("contents of workspace, f32[1]@fakehost, are known to provider second"),
            std::string::npos)
      << text;
  error_of([&] { op("fake.double_plan").call<Tensor>(first); }, TN_NOT_IMPLEMENTED);
  error_of([&] { op("fake.axpy").call<Tensor>(x, first); }, TN_NOT_IMPLEMENTED);
  error_of([&] { first.to(Device("fakedev")); }, TN_NOT_IMPLEMENTED);
  EXPECT_EQ(control().kernel_calls, 0);
}

TEST_F(Restricted, rule_18_copies_of_the_metadata_and_views_carry_the_provider) {
  control().decline = true;
  Tensor x = f32({2}), workspace = forward(x).second;
  tn_tensor* raw = nullptr;
  check(api->tensor_shallow(workspace.get(), &raw));
  for (const Tensor& t : {Tensor::own(raw), view(workspace, {1}, {1})}) {
    op("fake.backward").call<Tensor>(x, t);
    EXPECT_STREQ(control().last_provider, "second");
  }
}

TEST_F(Restricted, rule_18_a_given_output_cannot_stand_for_what_a_provider_makes) {
  Tensor x = f32({2}), y = f32({2}), workspace = f32({1});
  tn_value arg = to_value(x), rets[] = {to_value(y), to_value(workspace)};
  const std::string text =
      error_of([&] { check(api->call(form("fake.forward", TN_OUT).get(), &arg, 1, rets, 2)); },
               TN_NOT_IMPLEMENTED);
  EXPECT_NE(text.find("result 2"), std::string::npos) << text;
  EXPECT_EQ(control().kernel_calls, 0);
}

TEST_F(Restricted, rule_18_a_kernel_that_fails_leaves_no_workspace_behind) {
  control().fail_late = true;
  for (bool widened : {false, true}) {
    control().decline = widened;
    error_of([&] { forward(f32({2})); }, TN_RUNTIME_ERROR);
  }
}

}  // namespace
}  // namespace tn::test
