// The injector reaches what it has to: each of these is served where nothing but that part
// allocates, and so fails when all memory does.
#include <gmock/gmock.h>

#include <dlfcn.h>
#include <sys/mman.h>

#include <cerrno>
#include <string>

#include <tenon/safetensors.h>
#include <tenon/sdk/autograd.h>
#include <tenon/sdk/operators.h>

#include "injector.h"
#include "spare_blocks.h"

namespace faults {
namespace {

// The code of a call without any memory.
tn_code without_memory(const std::function<void()>& call) {
  call();  // loads what it needs
  SpareBlocks spare;
  spare.take();
  fault_plan(FAULT_MEMORY, 1, 1, ENOMEM);
  tn_status status = tn::guard(call);
  fault_end();
  const tn_code code = tn::api->status_code(status);
  tn::api->status_release(status);
  return code;
}

TEST(Injector, counts_and_fails_the_nth_call_once_or_from_then_on) {
  for (const bool from_then_on : {false, true}) {
    bool made[5];
    fault_plan(FAULT_MEMORY, 3, from_then_on, ENOMEM);
    for (bool& one : made) {
      void* volatile block = std::malloc(1);
      one = block != nullptr;
      std::free(block);
    }
    EXPECT_EQ(fault_end(), 5u);
    EXPECT_THAT(made, testing::ElementsAre(true, true, false, !from_then_on, !from_then_on));
  }
}

TEST(Injector, counts_blocks_of_the_heap) {
  const int64_t before = fault_heap_blocks();
  void* volatile block = std::malloc(1);
  EXPECT_EQ(fault_heap_blocks(), before + 1);
  std::free(block);
  EXPECT_EQ(fault_heap_blocks(), before);
}

TEST(Injector, reaches_libtenon) {
  EXPECT_EQ(without_memory([] {
              tn_object* generator = nullptr;
              tn::check(tn::api->generator_create(tn::Device("cpu"), 1, &generator));
              tn::api->object_release(generator);
            }),
            TN_OUT_OF_MEMORY);
}

TEST(Injector, reaches_mappings_for_small_and_for_large_blocks) {
  for (const int64_t bytes : {64, 1 << 20})
    EXPECT_EQ(without_memory([&] { tn::empty({bytes}, TN_U8, "cpu"); }), TN_OUT_OF_MEMORY);
}

TEST(Injector, reaches_a_plugin_of_kernels) {
  const tn::Tensor out = tn::arange(64, TN_I64, "cpu");
  const tn::Tensor index = tn::clone(out), self = tn::clone(out);
  // The result is there: what is left to allocate is the kernel's list of rows.
  EXPECT_EQ(without_memory([&] { tn::index_select_out(out, self, 0, index); }), TN_OUT_OF_MEMORY);
}

TEST(Injector, reaches_autograd) {
  const tn::Tensor leaf = tn::ones({2}).requires_grad_();
  EXPECT_EQ(without_memory([&] {
              uint64_t id = 0;
              tn::check(tn::autograd().add_hook(
                  leaf.get(), [](void*, tn_tensor*, tn_tensor**) -> tn_status { return nullptr; },
                  nullptr, [](void*) {}, &id));
              tn::check(tn::autograd().remove_hook(leaf.get(), id));
            }),
            TN_OUT_OF_MEMORY);
}

TEST(Injector, reaches_a_plugin_of_files) {
  const void* found = nullptr;
  tn::check(tn::api->get_interface(TN_SAFETENSORS_INTERFACE, 1, &found));
  const auto* files = static_cast<const tn_safetensors*>(found);
  fault_plan(FAULT_MEMORY, 1, 1, ENOMEM);
  tn_safetensors_file* file = nullptr;
  tn_status status = files->open("/no file of a name that is too long to be kept in place", &file);
  fault_end();
  EXPECT_EQ(tn::api->status_code(status), TN_OUT_OF_MEMORY);
  tn::api->status_release(status);
}

}  // namespace
}  // namespace faults
