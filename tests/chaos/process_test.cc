// What threads and processes do to each other: first calls at once, fork, exit while work is
// pending, threads that die. Each test is a child process: its runtime is fresh, and its hang or
// crash is seen.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <tenon/sdk/call.h>

namespace {

using tn::Tensor;

constexpr int kThreads = 8;
constexpr const char* kCpu = "[\"cpu\"]";

// A child ends as programs end: what is static is destroyed. Where the parent had a team of threads
// this is not for sanitizers: LLVM's archer crashes in libomp's destructor, and the leak checker
// takes what the stacks of the parent's threads held for lost.
void leave(bool good, int generation) {
  if (generation > 1 && std::getenv("TEST_SANITIZER")) std::_Exit(good ? 0 : 1);
  std::exit(good ? 0 : 1);
}

// clang's address sanitizer does not hold its allocator's locks across a fork, so a child of a
// process whose other threads allocate may find them shut.
bool allocator_survives_forks() {
  const char* sanitizer = std::getenv("TEST_SANITIZER");
  return !sanitizer || !std::strstr(sanitizer, "address");
}

// The caller's own runtime never starts.
int ending(const std::function<bool()>& body) {
  static int generation = 0;
  const pid_t child = fork();
  if (child == 0) {
    ++generation;
    alarm(std::getenv("TEST_SANITIZER") ? 600 : 60);  // a hang ends the child
    bool good = false;
    if (tn_status status = tn::guard([&] { good = body(); }))
      std::fprintf(stderr, "%s\n", tn_status_message(status));
    leave(good, generation);
  }
  int status = 0;
  return waitpid(child, &status, 0) == child ? status : -1;
}

void start(const char* providers) {
  tn::api = tn_get_host();
  tn::check(tn::api->config_set("providers.cpu", providers));
  tn::check(tn::api->init(TN_ABI_MAJOR, TN_ABI_MINOR));
}

void at_once(const std::function<void(int)>& body) {
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(body, i);
  for (std::thread& thread : threads) thread.join();
}

Tensor ones(int64_t rows, int64_t columns) {
  tn_meta meta{};
  tn::check(tn::api->device_host(&meta.device));
  meta.dtype = TN_F32;
  meta.ndim = 2;
  meta.sizes[0] = rows;
  meta.sizes[1] = columns;
  tn_tensor* made = nullptr;
  tn::check(tn::api->tensor_empty(&meta, &made));
  std::fill_n(static_cast<float*>(made->dl.data), rows * columns, 1.0f);
  return Tensor::own(made);
}
Tensor call(const char* name, const char* overload, const auto&... args) {
  return tn::Operator(name, overload).call<Tensor>(args...);
}
// Uses every core: a product and a sum of n*n numbers.
double work(int64_t n) {
  const Tensor x = ones(n, n);
  return call("sum", "", call("matmul", "", x, call("add", "Tensor", x, x))).item();
}
double expected(int64_t n) {
  return 2.0 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
}
tn_memory_stats memory() {
  tn_memory_stats stats = TN_INIT(tn_memory_stats);
  tn_device host;
  tn::check(tn::api->device_host(&host));
  tn::check(tn::api->memory_get_stats(host.type, &stats));
  return stats;
}

class Chaos : public testing::TestWithParam<const char*> {};

TEST_P(Chaos, first_calls_from_many_threads_at_once) {
  EXPECT_EQ(ending([] {
              tn::api = tn_get_host();
              tn::check(tn::api->config_set("providers.cpu", GetParam()));
              std::atomic<int> good{0};
              at_once([&](int i) {
                tn_status status = tn::guard([&] {
                  // Some start the runtime, some load, some ask; all call in the end.
                  const void* table = nullptr;
                  if (i % 4 == 0) tn::check(tn::api->init(TN_ABI_MAJOR, TN_ABI_MINOR));
                  if (i % 4 == 1) tn::check(tn::api->plugin_load("cpu"));
                  if (i % 4 == 2) tn::check(tn::api->get_interface("tenon.autograd", 1, &table));
                  good += work(64) == expected(64);
                });
                if (status) std::fprintf(stderr, "%s\n", tn_status_message(status));
              });
              return good == kThreads;
            }),
            0);
}

TEST_P(Chaos, rule_25_fork_after_parallel_work) {
  EXPECT_EQ(ending([] {
              start(GetParam());
              bool good = work(256) == expected(256);
              for (int i = 0; i < 3; ++i)
                good &= ending([] { return work(256) == expected(256); }) == 0;
              return good && work(256) == expected(256);
            }),
            0);
}

TEST_P(Chaos, rule_25_fork_while_other_threads_work) {
  if (!allocator_survives_forks()) GTEST_SKIP() << "the sanitizer's own allocator hangs the child";
  EXPECT_EQ(
      ending([] {
        start(GetParam());
        work(64);
        std::atomic<bool> stop{false};
        std::thread other([&] {
          while (!stop) work(64);
        });
        bool good = true;
        for (int i = 0; i < 20; ++i)
          good &= ending([] {
                    const bool right = work(64) == expected(64);
                    std::_Exit(
                        right ? 0 : 1);  // a thread of the parent that is not here cannot be joined
                    return right;
                  }) == 0;
        stop = true;
        other.join();
        return good;
      }),
      0);
}

// The first calls start the runtime, load plugins and look operators up. Whatever the fork falls
// into, the child can do all of it again.
TEST_P(Chaos, rule_25_fork_while_another_thread_makes_the_first_calls) {
  if (!allocator_survives_forks()) GTEST_SKIP() << "the sanitizer's own allocator hangs the child";
  for (int delay = 0; delay < 24; ++delay)
    ASSERT_EQ(ending([&] {
                tn::api = tn_get_host();
                tn::check(tn::api->config_set("providers.cpu", GetParam()));
                std::thread first([] { work(64); });
                std::this_thread::sleep_for(std::chrono::microseconds(delay * delay * 20));
                const bool good = ending([] {
                                    const bool right = work(64) == expected(64);
                                    std::_Exit(right ? 0 : 1);
                                    return right;
                                  }) == 0;
                first.join();
                return good && work(64) == expected(64);
              }),
              0)
        << "after " << delay * delay * 20 << " us";
}

TEST_P(Chaos, exit_while_another_thread_works) {
#ifdef __clang__
  GTEST_SKIP() << "LLVM's OpenMP aborts where a process ends while a thread that used it goes on; "
                  "gcc's, which the release has, does not";
#endif
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(ending([] {
                start(GetParam());
                std::atomic<bool> begun{false};
                std::thread([&begun] {
                  for (;; begun = true) work(128);
                }).detach();
                while (!begun) std::this_thread::yield();
                std::exit(0);  // here, since `begun` must outlive the thread
                return true;
              }),
              0);
}

INSTANTIATE_TEST_SUITE_P(Provider, Chaos, testing::Values(kCpu, "[\"onednn\", \"cpu\"]"),
                         [](const auto& one) { return one.index == 0 ? "cpu" : "onednn"; });

TEST(ChaosMemory, threads_that_die_leave_their_tensors_and_give_their_caches_back) {
  EXPECT_EQ(ending([] {
              start(kCpu);
              std::vector<Tensor> held(kThreads);
              const auto generation = [&] {
                at_once([&](int i) {
                  std::vector<Tensor> many;
                  for (int k = 0; k < 1000; ++k) many.push_back(ones(1, 1 + k % 50));
                  held[static_cast<size_t>(i)] = many.back();
                });
              };
              generation();
              const tn_memory_stats first = memory();
              for (int i = 0; i < 50; ++i) generation();
              const tn_memory_stats last = memory();
              for (const Tensor& t : held)
                if (*t.data<float>() != 1) return false;
              held.clear();
              // What threads need that all run at once: a thousand tensors are less than half a
              // MiB. Caches lost with their threads would come to fifty times that.
              constexpr uint64_t kAtOnce = uint64_t{kThreads} << 20;
              return last.live_bytes == first.live_bytes && last.reserved_bytes <= kAtOnce &&
                     memory().live_bytes == 0 && tn::api->tensor_live_count() == 0;
            }),
            0);
}

TEST(ChaosMemory, a_hundred_thousand_tensors_in_random_order_stay_under_a_ceiling) {
  EXPECT_EQ(ending([] {
              start(kCpu);
              std::mt19937 random(7);
              std::vector<Tensor> live(500);
              uint64_t largest = 0, bytes = 0;
              for (int i = 0; i < 100000; ++i) {
                Tensor& slot = live[random() % live.size()];
                if (slot.defined()) bytes -= static_cast<uint64_t>(slot.numel()) * 4;
                slot = Tensor();
                // Sizes from 4 bytes to 256 KiB, small ones most.
                const int64_t numel = 1 + static_cast<int64_t>(random() % (1u << (random() % 17)));
                tn_meta meta{};
                tn::check(tn::api->device_host(&meta.device));
                meta.dtype = TN_F32;
                meta.ndim = 1;
                meta.sizes[0] = numel;
                tn_tensor* made = nullptr;
                tn::check(tn::api->tensor_empty(&meta, &made));
                slot = Tensor::own(made);
                *slot.data<float>() = static_cast<float>(i);
                bytes += static_cast<uint64_t>(numel) * 4;
                largest = std::max(largest, bytes);
              }
              const tn_memory_stats stats = memory();
              if (stats.live_bytes != bytes || stats.reserved_bytes > 2 * largest + (8u << 20)) {
                std::fprintf(stderr, "%llu bytes live, %llu reserved, at most %llu live at once\n",
                             static_cast<unsigned long long>(stats.live_bytes),
                             static_cast<unsigned long long>(stats.reserved_bytes),
                             static_cast<unsigned long long>(largest));
                return false;
              }
              live.clear();
              return memory().live_bytes == 0;
            }),
            0);
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  // Away from the tree's own tenon.toml, which is for programs.
  setenv("TENON_CONFIG", "/dev/null", 0);
  return RUN_ALL_TESTS();
}
