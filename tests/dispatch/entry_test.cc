// A plugin's entry, and what loading does to calls (rules 7, 23 and 24 of the hard cases).
#include <dlfcn.h>

#include "fixture.h"

namespace tn::test {
namespace {

using Entry = Dispatch;

TEST_F(Entry, rule_7_a_running_call_keeps_the_kernels_that_it_began_with) {
  Tensor x = f32({1});
  control().load_late = true;
  EXPECT_EQ(op("fake.versioned").call<Tensor>(x).item<float>(), 1) << "loads the better kernel";
  EXPECT_EQ(op("fake.versioned").call<Tensor>(x).item<float>(), 2);
}

TEST_F(Entry, rule_23_a_kernel_of_a_schema_that_never_was_is_refused) {
  const std::string text = error_of([] { check(api->plugin_load("foreign")); }, TN_INCOMPATIBLE);
  EXPECT_NE(text.find("a kernel for another schema of fake::versioned"), std::string::npos) << text;
}

TEST_F(Entry, rule_24_an_entry_by_another_host_is_refused) {
  control();  // the plugin is loaded
  void* library = dlopen(FAKE_PLUGIN_DIR "/libfake.so", RTLD_NOW | RTLD_NOLOAD);
  ASSERT_NE(library, nullptr) << dlerror();
  const auto entry = reinterpret_cast<tn_plugin_entry_fn>(dlsym(library, "tn_plugin_entry"));
  const tn_host other = *api;
  tn_plugin plugin{};
  const std::string text = error_of([&] { check(entry(&other, &plugin)); }, TN_INCOMPATIBLE);
  EXPECT_NE(text.find("another copy of libtenon"), std::string::npos) << text;
  dlclose(library);
}

TEST_F(Entry, a_check_belongs_to_a_row_with_a_plan) {
  const void* table = nullptr;
  check(api->get_interface("fake.refusals", 1, &table));
  const std::string text = static_cast<const FakeRefusals*>(table)->checked_view;
  EXPECT_NE(text.find("fake::checked is neither element-wise nor a reduction"), std::string::npos)
      << text;
}

TEST_F(Entry, a_registration_of_nothing_is_refused) {
  const void* table = nullptr;
  check(api->get_interface("fake.refusals", 1, &table));
  const auto& refusals = *static_cast<const FakeRefusals*>(table);
  const std::string no_operator = refusals.no_operator, no_kernel = refusals.no_kernel;
  EXPECT_NE(no_operator.find("declares an operator without a schema"), std::string::npos);
  EXPECT_NE(no_kernel.find("does not say its operator"), std::string::npos);
}

TEST_F(Entry, a_shorter_description_has_nothing_beyond_its_end) {
  const tn_op_desc* facts = api->op_facts(op("fake.older").get());
  EXPECT_EQ(facts->check, nullptr);
  EXPECT_EQ(facts->size, sizeof(tn_op_desc)) << "the core's own, whole";
  EXPECT_EQ(op("fake.older").call<Tensor>(f32({2}).to(Device("fakemeta"))).numel(), 2);
}

}  // namespace
}  // namespace tn::test
