// Starting without memory: configuration, discovery, loading plugins and their first calls. Each
// failure is met by a process of its own, whose runtime is fresh.
//
// Where a stage makes thousands of allocations, nearly all of them for one operator as for another,
// the first kAll of them fail and then every kStride-th. --every: all, which takes some minutes.
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <iterator>

#include <tenon/safetensors.h>
#include <tenon/sdk/autograd.h>
#include <tenon/sdk/operators.h>

#include "injector.h"

namespace faults {

bool every = false;  // --every

namespace {

// A part of a program's start. Those before it have succeeded.
using Stage = void (*)();

void init() {
  tn::check(tn::api->init(TN_ABI_MAJOR, TN_ABI_MINOR));
}
void first_call() {
  const tn::Tensor sum = tn::ones({2, 3}) + 1;
  if (sum.to_vector<float>()[5] != 2) tn::fail(TN_INTERNAL, "a wrong sum");
}
void first_gradient() {
  const tn::Tensor x = tn::ones({3}).requires_grad_();
  tn::sum(tn::exp(x) * x).backward();
  if (std::abs(x.grad().to_vector<float>()[2] - 5.4365637f) > 1e-5f)
    tn::fail(TN_INTERNAL, "a wrong gradient");
}
void first_file() {
  const void* table = nullptr;
  tn::check(tn::api->get_interface(TN_SAFETENSORS_INTERFACE, 1, &table));
}
void doctor() {
  tn_value text{};
  tn::check(tn::api->doctor(1, &text));
  tn::api->value_drop(&text);
}

constexpr Stage kStages[] = {init, first_call, first_gradient, first_file, doctor};
constexpr const char* kNames[] = {"init", "first_call", "first_gradient", "first_file", "doctor"};

// Runs `body` in a process of its own that ends with what it returns.
int ending(const std::function<int()>& body) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    alarm(600);  // a hang ends it
    _exit(body());
  }
  int status = -1;
  return waitpid(child, &status, 0) == child ? status : -1;
}

constexpr uint64_t kAll = 300;
constexpr uint64_t kStride = 47;

// 0: the stage with this failure, and once more without, went as it should.
int meet(Stage stage, uint64_t nth, bool from_then_on) {
  fault_plan(FAULT_MEMORY, nth, from_then_on, ENOMEM);
  tn_status first = tn::guard(stage);
  fault_end();
  tn_status again = tn::guard(stage);
  const tn_code code = tn::api->status_code(first);
  if ((code == TN_OK || code == TN_OUT_OF_MEMORY) && !again) return 0;
  std::fprintf(stderr, "allocation %d fails%s: %s\nand then: %s\n", static_cast<int>(nth),
               from_then_on ? ", and all after it" : "", tn::api->status_message(first),
               tn::api->status_message(again));
  return 1;
}

uint64_t allocations_of(Stage stage) {
  int ends[2];
  if (pipe(ends) != 0) return 0;
  ending([&] {
    fault_plan(FAULT_MEMORY, 0, 0, ENOMEM);
    stage();
    const uint64_t count = fault_end();
    return write(ends[1], &count, sizeof count) == sizeof count ? 0 : 1;
  });
  uint64_t count = 0;
  if (read(ends[0], &count, sizeof count) != sizeof count) count = 0;
  close(ends[0]);
  close(ends[1]);
  return count;
}

// 0: all failures of the stage were met as they should be. In a process where the stages before it
// are done.
int meet_all(Stage stage) {
  const uint64_t count = allocations_of(stage);
  std::fprintf(stderr, "%d allocations\n", static_cast<int>(count));
  for (uint64_t nth = 1; nth <= count; nth += every || nth < kAll ? 1 : kStride)
    for (const bool from_then_on : {false, true})
      if (const int end = ending([&] { return meet(stage, nth, from_then_on); }); end != 0) {
        std::fprintf(stderr, "allocation %d of %d fails%s: the process ended with %d\n",
                     static_cast<int>(nth), static_cast<int>(count),
                     from_then_on ? ", and all after it" : "", end);
        return 1;
      }
  return count > 0 ? 0 : 1;
}

class Start : public testing::TestWithParam<size_t> {};

TEST_P(Start, fails_cleanly_at_every_allocation) {
  EXPECT_EQ(ending([] {
              tn::api = tn_get_host();
              for (size_t i = 0; i < GetParam(); ++i) kStages[i]();
              return meet_all(kStages[GetParam()]);
            }),
            0);
}

INSTANTIATE_TEST_SUITE_P(Stage, Start, testing::Range(size_t{0}, std::size(kStages)),
                         [](const auto& one) { return kNames[one.param]; });

TEST(StartFromFiles, works_where_reads_bring_a_few_bytes_at_a_time) {
  EXPECT_EQ(ending([] {
              tn::api = tn_get_host();
              fault_shorten(5);
              fault_plan(FAULT_READ, 2, 0, EINTR);
              for (const Stage stage : kStages) stage();
              return fault_end() > 10 ? 0 : 1;
            }),
            0);
}

// The OpenMP runtime itself ends the process where it finds no memory: it must not be asked then.
TEST(StartOfThreads, is_left_out_where_there_is_no_memory_for_them) {
  const auto threads = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
  };
  EXPECT_EQ(ending([&] {
              tn::init();
              tn::check(tn::api->set_num_threads(1));
              const tn::Tensor x = tn::ones({1 << 20}), out = x + x;
              tn::check(tn::api->set_num_threads(2));
              if (threads() != 1) return 1;
              fault_plan(FAULT_MEMORY, 1, 1, ENOMEM);
              tn_status status = tn::guard([&] { tn::add_out(out, x, x); });
              fault_end();
              if (status || out.to_vector<float>().back() != 2 || threads() != 1) return 2;
              tn::add_out(out, out, x);
              return out.to_vector<float>().back() == 3 && threads() == 2 ? 0 : 3;
            }),
            0);
}

}  // namespace
}  // namespace faults

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  setenv("TENON_CONFIG", "/dev/null", 0);
  faults::every = argc > 1 && std::strcmp(argv[1], "--every") == 0;
  return RUN_ALL_TESTS();
}
