// A call takes nothing from the heap: tensors and storages come from the core's slabs.
#include <cstdlib>

#include "fixture.h"

extern "C" void* __libc_malloc(size_t);

namespace {
bool counting = false;
int allocations = 0;
}  // namespace

// Every allocation of this process comes through here; free stays the C library's.
extern "C" void* malloc(size_t size) {
  allocations += counting;
  return __libc_malloc(size);
}

namespace tn::test {
namespace {

using Heap = Dispatch;

template <class F>
int allocations_in(F&& calls) {
  calls();  // what is made once is made
  allocations = 0;
  counting = true;
  for (int i = 0; i < 100; ++i) calls();
  counting = false;
  return allocations;
}

TEST_F(Heap, the_counter_counts) {
  EXPECT_GE(allocations_in([] { delete new std::string(1000, 'x'); }), 100);
}

TEST_F(Heap, calls_in_every_form_allocate_nothing) {
  const Operator &axpy = op("fake.axpy"), &sum = op("fake.sum"), &twice = op("fake.double_plan");
  const Operator out = form("fake.axpy", TN_OUT), inplace = form("fake.axpy", TN_INPLACE);
  Tensor x = f32({2, 3}), y = f32({3}), z = f32({2, 3});
  const int made = allocations_in([&] {
    axpy.call<Tensor>(x, x);
    axpy.call<Tensor>(x, y);
    axpy.call<Tensor>(x, Operand(2));
    sum.call<Tensor>(x);
    twice.call<Tensor>(x);
    out.call_out(z, x, x);
    inplace.call_inplace(z, x);
  });
  EXPECT_EQ(made, 0);
}

TEST_F(Heap, views_and_their_death_allocate_nothing) {
  Tensor x = f32({2, 3});
  const int64_t sizes[] = {3, 2}, strides[] = {1, 3};
  const int made = allocations_in([&] {
    tn_tensor* v = nullptr;
    check(api->tensor_view(x.get(), 2, sizes, strides, 0, TN_F32, 0, &v));
    api->tensor_release(v);
  });
  EXPECT_EQ(made, 0);
}

}  // namespace
}  // namespace tn::test
