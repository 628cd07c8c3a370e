// Calls of fake operators, of every kind that the core knows, take nothing from the heap.
#include "fixture.h"
#include "tests/heap/counter.h"

namespace tn::test {
namespace {

using Heap = Dispatch;

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
