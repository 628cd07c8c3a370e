// Several threads at once.
#include <atomic>
#include <thread>

#include "support.h"

namespace test {

constexpr int kThreads = 4;
constexpr int kPasses = 200;

void at_once(const std::function<void(int)>& body) {
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(body, i);
  for (std::thread& thread : threads) thread.join();
}

TEST(Threads, passes_over_their_own_graphs_share_leaves) {
  const Tensor x = leaf({1, 2});
  at_once([&](int) {
    for (int i = 0; i < kPasses; ++i) sum(mul(x, x)).backward();
  });
  EXPECT_THAT(values(x.grad()), ElementsAre(2 * kThreads * kPasses, 4 * kThreads * kPasses));
}

TEST(Threads, passes_share_a_retained_graph) {
  const Tensor x = leaf({1, 2});
  const Tensor y = sum(mul(exp(x), x));
  at_once([&](int) {
    for (int i = 0; i < kPasses; ++i) y.backward({}, TN_BACKWARD_RETAIN_GRAPH);
  });
  const double n = kThreads * kPasses;
  EXPECT_THAT(values(x.grad()),
              Pointwise(DoubleNear(1e-6), Values{n * 2 * std::exp(1.0), n * 3 * std::exp(2.0)}));
}

TEST(Threads, a_graph_that_is_freed_by_one_pass_is_an_error_for_the_others) {
  for (int round = 0; round < 50; ++round) {
    const Tensor x = leaf({1, 2});
    const Tensor y = sum(mul(x, x));
    std::atomic<int> passed{0};
    at_once([&](int) {
      try {
        y.backward();
        ++passed;
      } catch (const tn::Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("second time"));
      }
    });
    EXPECT_EQ(passed, 1);
    EXPECT_THAT(values(x.grad()), ElementsAre(2, 4));
  }
}

TEST(Threads, views_are_brought_up_to_date_by_whoever_comes_first) {
  for (int round = 0; round < 50; ++round) {
    const Tensor base = tensor({1, 2, 3, 4}), w = leaf({10, 20});
    const Tensor u = slice(base, 0, 0, 3);
    mul_(slice(base, 0, 1, 3), w);
    at_once([&](int) { EXPECT_TRUE(sum(u).requires_grad()); });
    sum(u).backward();
    EXPECT_THAT(values(w.grad()), ElementsAre(2, 3));
  }
}

}  // namespace test
