// What surrounds calls, without memory: values, text, names, configuration, threads.
#include <cerrno>
#include <future>
#include <system_error>
#include <thread>

#include "scenario.h"

namespace faults {
namespace {

using testing::HasSubstr;

// A scenario whose result is one value, dropped after `check`.
void expect_clean_value(const std::function<void(tn_value*)>& run,
                        const std::function<void(const tn_value&)>& check) {
  tn_value out{};
  expect_clean_faults({.run = [&]() -> Results {
                         run(&out);
                         return {};
                       },
                       .check =
                           [&](const Results&) {
                             check(out);
                             tn::api->value_drop(&out);
                           }});
}
void expect_text(const std::function<void(tn_value*)>& run, const std::string& part) {
  expect_clean_value(run, [&](const tn_value& text) { EXPECT_THAT(text.u.str, HasSubstr(part)); });
}

TEST(FaultsInValues, copies_of_lists_and_text) {
  const std::vector<Tensor> list = {tn::ones({2}), tn::zeros({3})};
  expect_clean_value(
      [&](tn_value* out) {
        const tn_value in = tn::to_value(tn::Tensors(list));
        tn::check(tn::api->value_copy(&in, out));
      },
      [&](const tn_value& copy) {
        ASSERT_EQ(copy.len, 2u);
        EXPECT_EQ(copy.u.tensors[1], list[1].get());
      });
  const std::string text(100, 'x');
  expect_text(
      [&](tn_value* out) {
        const tn_value in = tn::to_value(text.c_str());
        tn::check(tn::api->value_copy(&in, out));
      },
      text);
}

TEST(FaultsInValues, slots_of_tensors) {
  static const tn_slot_type type = {sizeof type, 0, "faults", [](void*) {}, nullptr};
  uint32_t slot = 0;
  tn::check(tn::api->slot_register(&type, &slot));
  int value = 0;
  expect_clean_faults(
      {.run =
           [&] {
             const Tensor x = tn::ones({2});
             tn::check(tn::api->tensor_set_slot(x.get(), slot, &value));
             return Results{x};
           },
       .check =
           [&](const Results& r) { EXPECT_EQ(tn::api->tensor_slot(r[0].get(), slot), &value); }});
}

TEST(FaultsInText, doctor_and_explain) {
  expect_text([](tn_value* out) { tn::check(tn::api->doctor(0, out)); }, "autograd");
  const Tensor x = tn::ones({2, 3});
  const tn::Operator add("add", "Tensor");
  expect_text(
      [&](tn_value* out) {
        const tn_value args[] = {tn::to_value(x), tn::to_value(1.5)};
        tn::check(tn::api->explain(add.get(), args, 2, 1, out));
      },
      "add");
  expect_text(
      [&](tn_value* out) { tn::check(tn::api->op_providers(add.get(), x.device().type, out)); },
      "cpu");
}

TEST(FaultsInText, errors_and_what_is_added_to_them) {
  expect_clean_faults(
      {.run = []() -> Results {
         tn_status status =
             tn::api->status_make(TN_INDEX_ERROR, "faults", 7, "file", 1, "%0200d is outside", 0);
         status = tn::api->status_annotate(status, "%0200d", 1);
         status = tn::api->status_attach(
             status, tn::api->status_make(TN_IO_ERROR, nullptr, 0, "", 0, "%0200d", 2));
         // Its code stays, or all of it is the lack of memory.
         const tn_code code = tn::api->status_code(status);
         EXPECT_TRUE(code == TN_INDEX_ERROR || code == TN_OUT_OF_MEMORY);
         tn::api->status_release(status);
         if (code == TN_OUT_OF_MEMORY) throw std::bad_alloc();
         return {};
       },
       .check = [](const Results&) {}});
}

TEST(FaultsInNames, operators) {
  const tn_op* op = nullptr;
  expect_clean_faults(
      {.run = [&]() -> Results {
         tn::check(tn::api->resolve_op("max_pool2d_with_indices_backward", nullptr, 0, &op));
         tn::check(tn::api->op_form(op, TN_FUNCTIONAL, &op));
         return {};
       },
       .check = [&](const Results&) { EXPECT_EQ(tn::api->op_own_form(op), TN_FUNCTIONAL); }});
}

// The error is the one about the name or the one about memory.
void expect_not_found(const std::function<tn_status()>& ask) {
  expect_clean_faults({.run = [&]() -> Results {
                         tn_status status = ask();
                         if (tn::api->status_code(status) != TN_NOT_FOUND) tn::check(status);
                         tn::api->status_release(status);
                         return {};
                       },
                       .check = [](const Results&) {}});
}

TEST(FaultsInNames, that_do_not_exist) {
  expect_not_found([] {
    const tn_op* op = nullptr;
    return tn::api->resolve_op("sacter_add", nullptr, 0, &op);
  });
  expect_not_found([] {
    const void* table = nullptr;
    return tn::api->get_interface("tenon.autogard", 1, &table);
  });
  expect_not_found([] {
    const char *value = nullptr, *origin = nullptr;
    return tn::api->config_get("treads", &value, &origin);
  });
}

TEST(FaultsInNames, schemas) {
  tn_schema* schema = nullptr;
  const char* text =
      "faults::long(Tensor(a!) self, Tensor[] others, int[2] sizes=[1, 2], str mode='first', *, "
      "ScalarType? dtype=None) -> (Tensor(a!), Tensor[])";
  expect_clean_faults(
      {.run = [&]() -> Results {
         tn::check(tn::api->schema_parse(text, &schema));
         return {};
       },
       .check = [&](const Results&) { tn::api->schema_free(std::exchange(schema, nullptr)); }});
}

TEST(FaultsInConfiguration, setting_a_key) {
  const auto value = [] {
    const char *text = nullptr, *origin = nullptr;
    tn::check(tn::api->config_get("fallback", &text, &origin));
    return std::string(text);
  };
  expect_clean_faults({.run = []() -> Results {
                         tn::check(tn::api->config_set("fallback", "\"warn\""));
                         return {};
                       },
                       .check = [&](const Results&) { EXPECT_EQ(value(), "\"warn\""); },
                       .check_failed = [&] { EXPECT_EQ(value(), "\"error\""); },
                       .reset = [] { tn::check(tn::api->config_set("fallback", "\"error\"")); }});
}

TEST(FaultsInThreads, the_first_calls_of_a_thread) {
  const Tensor x = counting({2, 3});
  expect_clean_faults({.run =
                           [&] {
                             Results results;
                             tn_status status = nullptr;
                             try {
                               std::thread([&] {
                                 status = tn::guard([&] {
                                   const Tensor leaf = tn::ones({2, 3}, TN_F32).requires_grad_();
                                   (tn::sum(leaf * x) +
                                    tn::sum(tn::matmul(leaf, tn::transpose(x, 0, 1))))
                                       .backward();
                                   results = {leaf.grad()};
                                 });
                               }).join();
                             } catch (const std::system_error&) {
                               throw std::bad_alloc();  // no memory for a thread
                             }
                             tn::check(status);
                             return results;
                           },
                       .check = [](const Results& r) { EXPECT_EQ(numbers(r[0]).size(), 6u); },
                       .unchanged = {x}});
}

TEST(FaultsInThreads, an_exception_with_an_errno_is_a_status_with_it) {
  const auto expect = [](std::error_code error, tn_code code, const char* domain, uint32_t flags) {
    tn_status status = tn::guard([&] { throw std::system_error(error, "no thread"); });
    EXPECT_EQ(tn::api->status_code(status), code);
    EXPECT_STREQ(tn::api->status_domain(status), domain);
    EXPECT_EQ(tn::api->status_native_code(status), code == TN_INTERNAL ? 0 : error.value());
    EXPECT_EQ(tn::api->status_flags(status), flags);
    EXPECT_THAT(tn::api->status_message(status), HasSubstr("no thread"));
    tn::api->status_release(status);
  };
  expect({EAGAIN, std::generic_category()}, TN_IO_ERROR, "errno", TN_ERROR_RETRYABLE);
  expect({EMFILE, std::system_category()}, TN_IO_ERROR, "errno", TN_ERROR_RETRYABLE);
  expect({ENOENT, std::system_category()}, TN_IO_ERROR, "errno", 0);
  expect({ENOMEM, std::generic_category()}, TN_OUT_OF_MEMORY, "errno", TN_ERROR_RETRYABLE);
  expect(std::make_error_code(std::future_errc::no_state), TN_INTERNAL, "c++", 0);
}

TEST(FaultsInThreads, a_call_under_another_state) {
  const Tensor x = tn::ones({2}).requires_grad_();
  const tn::Operator exp("exp");
  expect_clean_faults({.run =
                           [&] {
                             tn_thread_state state;
                             tn::api->thread_state_get(&state);
                             state.flags |= TN_THREAD_NO_GRAD;
                             const tn_value arg = tn::to_value(x);
                             tn_value out{};
                             tn::check(tn::api->call_with(&state, exp.get(), &arg, 1, &out, 1));
                             return Results{Tensor::own(out.u.tensor)};
                           },
                       .check =
                           [](const Results& r) {
                             tn_thread_state state;
                             tn::api->thread_state_get(&state);
                             EXPECT_EQ(state.flags & TN_THREAD_NO_GRAD, 0u);
                             EXPECT_FALSE(r[0].requires_grad());
                           },
                       .unchanged = {x}});
}

}  // namespace
}  // namespace faults
