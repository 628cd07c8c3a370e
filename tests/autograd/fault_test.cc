// Every allocation of the core fails once: a clean error, nothing lost, and the next call works.
#include "support.h"

namespace test {

void expect_clean_failures(const std::function<void()>& body) {
  body();  // whatever is made once
  const uint64_t before = tn::api->tensor_live_count();
  int failures = 0;
  for (uint64_t nth = 1; nth < 1000; ++nth) {
    bool failed = false;
    tn::api->memory_fail(nth, 0);
    try {
      body();
    } catch (const tn::Error& error) {
      failed = true;
      EXPECT_EQ(error.code(), TN_OUT_OF_MEMORY) << error.what();
    }
    tn::api->memory_fail(0, 0);
    EXPECT_EQ(tn::api->tensor_live_count(), before) << "allocation " << nth;
    if (!failed) break;
    ++failures;
  }
  EXPECT_GT(failures, 2);
  body();
}

TEST(Fault, recording_and_backward) {
  expect_clean_failures([] {
    const Tensor x = leaf({1, 2});
    sum(mul(exp(x), add(x, x))).backward();
    ASSERT_TRUE(x.grad().defined());
  });
}

TEST(Fault, views_and_writes) {
  expect_clean_failures([] {
    const Tensor x = leaf({1, 2, 3}), w = leaf({4, 5});
    const Tensor y = mul(x, 2);
    mul_(slice(y, 0, 1, 3), w);
    sum(y).backward();
  });
}

TEST(Fault, gradients_of_gradients) {
  expect_clean_failures([] {
    const Tensor x = leaf({1, 2});
    const Tensor g = tn::grad({sum(mul(mul(x, x), x))}, {x}, {}, TN_BACKWARD_CREATE_GRAPH)[0];
    sum(g).backward();
  });
}

}  // namespace test
