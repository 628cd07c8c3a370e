// Which provider serves a call, and life after fork().
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "support.h"

namespace {

using namespace test;

template <class... Args>
std::string explained(const char* name, const Args&... args) {
  const tn::Operator op(name);
  const tn_value in[] = {tn::to_value(args)...};
  tn_value text{};
  tn::check(tn::api->explain(op.get(), in, sizeof...(Args), 0, &text));
  const std::string out(text.u.str, text.len);
  tn::api->value_drop(&text);
  return out;
}
// The provider that the explanation says runs.
bool runs_on(const std::string& explanation, const std::string& provider) {
  return explanation.find("kernel of provider " + provider) != std::string::npos;
}

std::string config(const char* key) {
  const char *value = nullptr, *origin = nullptr;
  tn::check(tn::api->config_get(key, &value, &origin));
  return value;
}
bool onednn_first() {
  return config("providers.cpu").find("onednn") != std::string::npos;
}
bool onednn_takes_all() {
  return onednn_first() && config("plugin.onednn.all_products") == "true";
}

TEST(MatmulProvider, IsTheFirstThatAccepts) {
  const Tensor a = random({48, 48}, TN_F32), wide = random({48, 96}, TN_F32);
  const std::string first = onednn_first() ? "onednn" : "cpu";
  EXPECT_TRUE(runs_on(explained("mm", a, a), first)) << explained("mm", a, a);
  EXPECT_TRUE(runs_on(explained("mm", a, tn::t(a)), first));
  EXPECT_TRUE(runs_on(explained("mm", random({48, 48}), random({48, 48})), "cpu"));
  const Tensor gaps = tn::slice(wide, 1, 0, 96, 2);
  EXPECT_TRUE(runs_on(explained("mm", a, gaps), "cpu")) << explained("mm", a, gaps);
}

// Each case beside the nearest one that onednn keeps.
TEST(MatmulProvider, SmallAndNarrowProductsGoToCpu) {
  const std::string first = onednn_first() ? "onednn" : "cpu";
  const std::string small = onednn_takes_all() ? "onednn" : "cpu";
  const auto expect = [](const Tensor& a, const Tensor& b, const std::string& provider) {
    EXPECT_TRUE(runs_on(explained("mm", a, b), provider)) << explained("mm", a, b);
  };
  const auto f32 = [](int64_t rows, int64_t columns) { return tn::zeros({rows, columns}, TN_F32); };
  expect(f32(32, 32), f32(32, 32), small);
  expect(f32(33, 32), f32(32, 32), first);
  for (int64_t few : {1, 4}) {
    expect(f32(few, 512), f32(512, 512), small);
    expect(f32(few, 512), tn::t(f32(512, 512)), small);
    expect(f32(512, 512), tn::t(f32(few, 512)), small);
  }
  expect(f32(512, 512), f32(512, 1), small);
  expect(f32(512, 512), f32(512, 4), first);
  expect(tn::t(f32(512, 4)), tn::t(f32(512, 512)), first);
  expect(f32(12, 512), f32(512, 512), small);
  expect(f32(12, 256), f32(256, 256), first);
  expect(f32(12, 512), tn::t(f32(512, 512)), first);
  expect(f32(13, 512), f32(512, 512), first);

  const Tensor a = tn::zeros({64, 32, 32}, TN_F32), one = tn::zeros({1, 32, 32}, TN_F32);
  EXPECT_TRUE(runs_on(explained("bmm", a, a), first));
  EXPECT_TRUE(runs_on(explained("bmm", one, one), small));
  EXPECT_TRUE(runs_on(explained("addmm", f32(1, 32), f32(32, 32), f32(32, 32)), small));
  EXPECT_TRUE(runs_on(explained("addmm", f32(1, 32), f32(33, 32), f32(32, 32)), first));
}

TEST(MatmulProvider, ServesSeveralThreadsAtOnce) {
  const Tensor a = random({150, 150}, TN_F32);
  const Tensor x = random({2, 8, 12, 12}, TN_F32), w = random({16, 8, 3, 3}, TN_F32);
  const Numbers product = numbers(tn::mm(a, a)), image = numbers(tn::conv2d(x, w));
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      auto far = [](const Tensor& found, const Numbers& expected) {
        const auto values = found.to_vector<float>();
        for (size_t i = 0; i < values.size(); ++i)
          if (std::fabs(values[i] - expected[i]) > 1e-3) return true;
        return false;
      };
      for (int i = 0; i < 20; ++i)
        wrong += far(tn::mm(a, a), product) + far(tn::conv2d(x, w), image);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(MatmulProvider, Rule25WorksInAForkedChild) {
  const Tensor a = random({600, 600}, TN_F32);
  const Tensor x = random({4, 32, 20, 20}, TN_F32), w = random({32, 32, 3, 3}, TN_F32);
  auto all = [&] {
    std::vector<float> out = tn::mm(a, a).to_vector<float>();
    const std::vector<float> image = tn::conv2d(x, w).to_vector<float>();
    out.insert(out.end(), image.begin(), image.end());
    return out;
  };
  const std::vector<float> before = all();
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(60);  // a hang must fail, not last
    bool same = true;
    try {
      const std::vector<float> after = all();
      for (size_t i = 0; i < before.size(); ++i) same &= std::fabs(after[i] - before[i]) < 1e-3f;
    } catch (...) {
      same = false;
    }
    _exit(same ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
  EXPECT_EQ(all(), before);
}

}  // namespace
