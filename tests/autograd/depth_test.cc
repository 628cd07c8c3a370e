// Graphs as deep as a stack is not.
#include "support.h"

namespace test {

constexpr int kNodes = 1'000'000;

Tensor chain(const Tensor& x) {
  const Tensor one = tensor({1});
  static const tn::Operator op("add", "Tensor");
  Tensor y = x;
  for (int i = 0; i < kNodes; ++i) y = op.call<Tensor>(y, one);
  return y;
}

TEST(Depth, backward_through_a_million_nodes) {
  const Tensor x = leaf({1});
  chain(x).backward();
  EXPECT_THAT(values(x.grad()), ElementsAre(1));
}

TEST(Depth, rule_8_a_graph_of_a_million_nodes_is_destroyed) {
  const uint64_t before = tn::api->tensor_live_count();
  { const Tensor y = chain(leaf({1})); }
  EXPECT_EQ(tn::api->tensor_live_count(), before);
}

TEST(Depth, rule_8_a_million_views_of_views) {
  Tensor x = leaf({1, 2});
  Tensor y = mul(x, 1);
  static const tn::Operator op("view", "");
  const int64_t sizes[] = {2};
  for (int i = 0; i < kNodes; ++i) y = op.call<Tensor>(y, Ints(sizes, 1));
  sum(y).backward();
  EXPECT_THAT(values(x.grad()), ElementsAre(1, 1));
}

}  // namespace test
