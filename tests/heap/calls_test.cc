// Calls of the standard operators take nothing from the heap: tensors, storages, nodes of the graph
// and what kernels need come from the core's slabs.
#include <gtest/gtest.h>

#include <tenon/calls.h>
#include <tenon/sdk/autograd.h>

#include "counter.h"

namespace tn::test {
namespace {

struct HeapOfCalls : testing::Test {
  Tensor x = ones({8, 16}), y = ones({8, 16}), row = ones({16}), out = empty({8, 16});
};

TEST_F(HeapOfCalls, element_wise_in_every_form) {
  EXPECT_EQ(allocations_in([&] {
              add(x, y);
              add(x, row);
              add(x, 2);
              mul(t(x), t(y));
              exp(x);
              where(gt(x, y), x, 0);
              add_out(out, x, y);
              add_(out, y);
              fill_(out, 1);
            }),
            0);
}

TEST_F(HeapOfCalls, views) {
  EXPECT_EQ(allocations_in([&] {
              view(x, {16, 8});
              t(x);
              permute(x, {1, 0});
              select(x, 0, 1);
              slice(x, 1, 0, 8);
              unsqueeze(x, 0);
              expand(row, {8, 16});
              detach(x);
            }),
            0);
}

TEST_F(HeapOfCalls, factories_and_copies) {
  EXPECT_EQ(allocations_in([&] {
              empty({8, 16});
              zeros({8, 16});
              x.to(TN_F64);
              clone(x);
              contiguous(t(x));
            }),
            0);
}

TEST_F(HeapOfCalls, reductions) {
  EXPECT_EQ(allocations_in([&] {
              sum(x);
              sum(x, {0});
              mean(x, {1}, true);
              amax(x, {1});
            }),
            0);
}

TEST_F(HeapOfCalls, recorded) {
  const Tensor leaf = ones({8, 16}).requires_grad_();
  EXPECT_EQ(allocations_in([&] {
              add(leaf, y);
              mul(leaf, leaf);
              exp(view(leaf, {16, 8}));
              sum(mul(leaf, 2));
            }),
            0);
}

}  // namespace
}  // namespace tn::test
