// Which kernel runs, on which device, and what the core does so that it can.
#include "fixture.h"

namespace tn::test {
namespace {

using Provider = Dispatch;

TEST_F(Provider, rule_16_the_first_that_takes_the_dtype_runs_and_none_sees_wider_tensors) {
  op("fake.double_plan").call<Tensor>(f32({2}));
  EXPECT_STREQ(control().last_provider, "fake");
  op("fake.double_plan").call<Tensor>(arange<double>({2}, TN_F64));
  EXPECT_STREQ(control().last_provider, "second");
  error_of([] { op("fake.increment").call<Tensor>(arange<double>({2}, TN_F64)); },
           TN_NOT_IMPLEMENTED);
}

TEST_F(Provider, rule_17_a_provider_that_declines_hands_over_and_the_next_gets_wider_arguments) {
  control().decline = true;
  Tensor y = op("fake.double_plan").call<Tensor>(f32({2}, 1));
  EXPECT_STREQ(control().last_provider, "second");
  EXPECT_EQ(y.dtype(), TN_F32) << "the result has the dtype that was asked for";
  EXPECT_EQ(y.to_vector<float>(), (std::vector<float>{2, 4}));
}

TEST_F(Provider, rule_17_declined_and_out_of_memory_are_there_without_memory) {
  api->memory_fail(1, 1);
  const tn_status declined = api->status_declined(), memory = api->status_out_of_memory();
  api->memory_fail(0, 0);
  EXPECT_EQ(api->status_code(declined), TN_DECLINED);
  EXPECT_EQ(api->status_code(memory), TN_OUT_OF_MEMORY);
  api->status_release(declined);
  api->status_release(memory);
  EXPECT_EQ(api->status_declined(), declined) << "one for all";
  EXPECT_EQ(api->status_out_of_memory(), memory);
}

TEST_F(Provider, a_deterministic_thread_sees_no_kernel_that_may_answer_differently) {
  op("fake.hasty").call<Tensor>(f32({2}));
  EXPECT_STREQ(control().last_provider, "quick");
  tn_thread_state before;
  api->thread_state_get(&before);
  tn_thread_state strict = before;
  strict.flags |= TN_THREAD_DETERMINISTIC;
  api->thread_state_set(&strict, nullptr);
  op("fake.hasty").call<Tensor>(f32({2}));
  EXPECT_STREQ(control().last_provider, "steady");
  // Where the row itself is deterministic, each of its kernels is.
  op("fake.double_plan").call<Tensor>(f32({2}));
  EXPECT_STREQ(control().last_provider, "fake");
  EXPECT_EQ(op("fake.axpy").call<Tensor>(f32({2}), f32({2})).to_vector<float>(),
            (std::vector<float>{0, 3}));
  api->thread_state_set(&before, nullptr);
}

TEST_F(Provider, a_call_that_runs_on_the_host_fills_the_outputs_given_on_its_device) {
  check(api->config_set("fallback", "\"host\""));
  const Device there("fakedev");
  const Tensor x = f32({2}, 1).to(there);
  Tensor out = f32({0}).to(there);
  form("fake.increment", TN_OUT).call_out(out, x);
  EXPECT_EQ(out.device(), there);
  EXPECT_EQ(out.to_vector<float>(), (std::vector<float>{2, 3}));
  Tensor integers = arange<int64_t>({2}, TN_I64).to(there);
  error_of([&] { form("fake.increment", TN_OUT).call_out(integers, x); }, TN_TYPE_ERROR);
  EXPECT_EQ(integers.to_vector<int64_t>(), (std::vector<int64_t>{0, 1}));
  check(api->config_set("fallback", "\"error\""));
}

TEST_F(Provider, rule_16_arguments_are_made_contiguous_for_a_kernel_that_asks) {
  Tensor x = f32({2, 3});
  Tensor y = op("fake.double_plan").call<Tensor>(transposed(x));
  EXPECT_EQ(y.to_vector<float>(), (std::vector<float>{0, 6, 2, 8, 4, 10}));
}

TEST_F(Provider, rule_16_all_providers_are_asked_before_anything_is_converted) {
  Tensor x = f32({2, 3});
  op("fake.choosy").call<Tensor>(x);
  EXPECT_STREQ(control().last_provider, "packed");
  op("fake.choosy").call<Tensor>(transposed(x));
  EXPECT_STREQ(control().last_provider, "strided") << "rather than the first, with a copy";
}

TEST_F(Provider, rule_16_every_argument_of_many_is_widened_and_made_contiguous) {
  Tensor base = f32({2, 3});
  Tensor x = transposed(base);
  std::vector<tn_value> args(20, to_value(x));
  tn_value out{};
  check(api->call(op("fake.many").get(), args.data(), 20, &out, 1));
  Tensor y = Tensor::own(out.u.tensor);
  EXPECT_EQ(y.to_vector<float>(), (std::vector<float>{0, 6, 2, 8, 4, 10}));
}

TEST_F(Provider, rule_16_integers_never_widen_to_floats) {
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

TEST_F(Provider, rule_14_tensors_on_two_devices_are_an_error_that_names_both) {
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

TEST_F(Provider, without_memory_the_error_says_for_what_and_what_there_is) {
  control().device_limit = 4000;
  const int64_t size = 1 << 20;
  const auto message = [&](Device device) {
    return error_of([&] { op("fake.sized").call<Tensor>(Ints(&size, 1), device); },
                    TN_OUT_OF_MEMORY);
  };
  EXPECT_EQ(message(Device("fakedev")),
            "in fake::sized([1048576], fakedev:0):\n"
            "  no memory for 4194304 bytes (4.0 MiB) on fakedev; 1.0 KiB of 3.0 KiB are free:\n"
            "  fakeMalloc says 2");
  EXPECT_EQ(message(Device("fakedev:1")),
            "in fake::sized([1048576], fakedev:1):\n"
            "  no memory for 4194304 bytes (4.0 MiB) on fakedev:1; 1.0 KiB of 3.0 KiB are free:\n"
            "  out of memory");
  EXPECT_EQ(control().device_live, 0);
}

TEST_F(Provider, without_memory_on_the_host_the_error_says_what_is_live) {
  const Tensor x = f32({1024});
  const int64_t size = int64_t{1} << 60;
  const std::string text =
      error_of([&] { op("fake.sized").call<Tensor>(Ints(&size, 1), host()); }, TN_OUT_OF_MEMORY);
  EXPECT_NE(text.find("no memory for 4611686018427387904 bytes (4.0 EiB) on fakehost; "),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(" are live, "), std::string::npos) << text;
}

TEST_F(Provider, rule_14_strided_tensors_of_other_dtypes_cross_devices) {
  Tensor base = f32({2, 3});
  Tensor y = transposed(base).to(Device("fakedev"), TN_F64).to(host());
  EXPECT_EQ(y.to_vector<double>(), (std::vector<double>{0, 3, 1, 4, 2, 5}));
}

TEST_F(Provider, an_operator_nobody_declares_is_an_error_with_a_suggestion) {
  const std::string text = error_of([] { Operator("fake.axpi").get(); }, TN_NOT_FOUND);
  EXPECT_NE(text.find("axpy"), std::string::npos) << text;
}

TEST_F(Provider, rule_14_a_zero_dim_host_tensor_joins_any_device) {
  Tensor x = f32({2}).to(Device("fakemeta")), number = f32({}, 3);
  EXPECT_EQ(op("fake.axpy").call<Tensor>(x, number).device(), Device("fakemeta"));
  error_of([&] { op("fake.axpy").call<Tensor>(x, f32({1})); }, TN_RUNTIME_ERROR);
}

TEST_F(Provider, rule_14_the_device_argument_or_the_threads_default_decides_for_a_factory) {
  const int64_t size = 2;
  Tensor x = op("fake.sized").call<Tensor>(Ints(&size, 1), Device("fakedev"));
  EXPECT_EQ(x.device(), Device("fakedev"));
  EXPECT_STREQ(control().last_provider, "fakedev");
  EXPECT_EQ(op("fake.sized").call<Tensor>(Ints(&size, 1)).device(), host());
  tn_thread_state state, previous;
  api->thread_state_get(&state);
  state.default_device = Device("fakedev:1");
  api->thread_state_set(&state, &previous);
  EXPECT_EQ(op("fake.sized").call<Tensor>(Ints(&size, 1)).device(), Device("fakedev:1"));
  api->thread_state_set(&previous, nullptr);
}

TEST_F(Provider, rule_14_an_index_is_copied_to_the_first_tensors_device_before_the_kernel) {
  Tensor x = f32({4}, 10).to(Device("fakedev")), index = arange<int64_t>({1}, TN_I64, 3);
  EXPECT_EQ(op("fake.pick").call<Tensor>(x, index).to(host()).item<float>(), 13);
  EXPECT_STREQ(control().last_provider, "fakedev");
  EXPECT_EQ(op("fake.pick").call<Tensor>(x.to(host()), index.to(Device("fakedev"))).item<float>(),
            13);
  EXPECT_STREQ(control().last_provider, "fakehost");
}

TEST_F(Provider, rule_14_a_row_may_leave_its_tensors_anywhere) {
  Tensor x = f32({1}), y = x.to(Device("fakedev"));
  control().transfers = 0;
  EXPECT_EQ(op("fake.anywhere").call<int64_t>(x, y), host().type);
  EXPECT_EQ(op("fake.anywhere").call<int64_t>(y, x), Device("fakedev").type);
  EXPECT_EQ(control().transfers, 0);
}

TEST_F(Provider, rule_15_the_core_copies_by_the_operator_bound_to_the_role) {
  Tensor x = f32({2, 2}), y = f32({2, 2});
  check(api->tensor_copy(x.get(), y.get()));
  EXPECT_EQ(control().copies, 1);
  x.to(TN_F64);
  EXPECT_EQ(control().copies, 2);
}

TEST_F(Provider,
       rule_16_an_output_that_is_an_input_goes_through_a_temporary_unless_the_kernel_bears_it) {
  Tensor x = f32({3}, 1);
  const uint64_t live = api->tensor_live_count();
  form("fake.double_plan", TN_OUT).call_out(x, x);
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{2, 4, 6}));
  EXPECT_EQ(control().copies, 1) << "from the temporary";
  EXPECT_EQ(api->tensor_live_count(), live);
}

TEST_F(Provider, rule_19_a_row_that_updates_itself_gets_an_output_that_holds_self) {
  Tensor x = f32({2}, 1), out = f32({0});
  EXPECT_EQ(op("fake.increment").call<Tensor>(x).to_vector<float>(), (std::vector<float>{2, 3}));
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{1, 2}))
      << "the functional form leaves self alone";
  form("fake.increment", TN_OUT).call_out(out, x);
  EXPECT_EQ(out.to_vector<float>(), (std::vector<float>{2, 3}));
  form("fake.increment", TN_INPLACE).call_inplace(x);
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{2, 3}));
}

TEST_F(Provider, rule_19_an_optional_result_is_absent_unless_infer_says_so) {
  auto [first, second] = op("fake.maybe").call<std::tuple<Tensor, Tensor>>(f32({2}), false);
  EXPECT_TRUE(first.defined());
  EXPECT_FALSE(second.defined());
  auto [again, both] = op("fake.maybe").call<std::tuple<Tensor, Tensor>>(f32({2}), true);
  EXPECT_EQ(both.to_vector<float>(), again.to_vector<float>());
}

TEST_F(Provider, rule_23_a_kernel_of_an_older_schema_gets_its_prefix_or_is_passed_over) {
  EXPECT_EQ(op("fake.grown").call<Tensor>(f32({1})).item<float>(), 1);
  EXPECT_STREQ(control().last_provider, "old");
  EXPECT_EQ(op("fake.grown").call<Tensor>(f32({1}), 1).item<float>(), 1);
  EXPECT_STREQ(control().last_provider, "old") << "the default, given";
  EXPECT_EQ(op("fake.grown").call<Tensor>(f32({1}), 5).item<float>(), 5);
  EXPECT_STREQ(control().last_provider, "new");
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
